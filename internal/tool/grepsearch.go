package tool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tree"
)

const (
	// maxSearched bounds a file that is searched, in bytes. Larger files are skipped,
	// and the answer says so.
	maxSearched = 16 << 20
	// batch is how many files are open at once while ripgrep searches them.
	batch = 100
)

// scan is one search: the query, and what was found so far.
type scan struct {
	query
	mode          string
	numbers       bool
	before, after int
	limit         int
	prog          string // of ripgrep; empty if it is not used

	out   strings.Builder
	lines int
	full  bool // limit or maxShown was reached
	large int  // files that were left out for their size
	// withholds reports whether a deny rule covers a file; denied counts those left out.
	withholds func(name string) bool
	denied    int
	tree      *tree.Tree
}

func newScan(q query, a grepArgs) *scan {
	s := &scan{query: q, mode: a.Mode, numbers: a.Numbers == nil || *a.Numbers, limit: min(a.Limit, maxHeadLimit)}
	if s.limit == 0 {
		s.limit = headLimit
	}
	if a.Mode == "content" {
		s.before, s.after = min(max(a.Before, a.Around), maxContext), min(max(a.After, a.Around), maxContext)
	}
	if q.rg != "" {
		s.prog = ripgrep()
	}
	return s
}

// sought is an open file to search.
type sought struct {
	f    *os.File
	name string // in the answer
}

// onDisk searches a file or the files below a folder.
func (s *scan) onDisk(ctx context.Context, real string, args grepArgs) error {
	info, err := os.Lstat(real)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return s.folder(ctx, real, args)
	}
	return s.file(real, args.Path)
}

// stored searches a file in the storage of a client.
func (s *scan) stored(ctx context.Context, f *Stored, name string) error {
	data, err := f.Read(ctx, maxSearched)
	if err == nil && !s.text(data, name) {
		err = errBinary
	}
	return err
}

var errBinary = errors.New("it is a binary file, which grep does not search; a shell command such as strings can")

// file searches one file, also one that .gitignore excludes.
func (s *scan) file(real, name string) error {
	f, info, err := tree.OpenFile(real)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > maxSearched {
		return errors.New("it has " + strconv.FormatInt(info.Size(), 10) + " bytes, too many for grep; search it with a shell command")
	}
	if !s.search(sought{f, name}) {
		return errBinary
	}
	return nil
}

// folder searches the files below a folder.
func (s *scan) folder(ctx context.Context, real string, args grepArgs) error {
	t, err := tree.Open(real)
	if err != nil {
		return err
	}
	defer t.Close()
	s.tree = t
	size := 1
	if s.prog != "" {
		size = batch
	}
	var open []sought
	t.Each(ctx, func(dir *os.Root, rel string, e fs.DirEntry) bool {
		if !e.Type().IsRegular() || !args.wants(rel) {
			return true
		}
		if s.withholds(filepath.Join(real, filepath.FromSlash(rel))) {
			s.denied++
			return true
		}
		f, info, err := tree.OpenIn(dir, e.Name())
		switch {
		case err != nil:
			return true // gone, or not ours to read
		case info.Size() > maxSearched:
			s.large++
			f.Close()
			return true
		}
		if open = append(open, sought{f, under(args.Path) + filepath.FromSlash(rel)}); len(open) == size {
			s.searchAll(ctx, open)
			open = open[:0]
		}
		return !s.full
	})
	s.searchAll(ctx, open)
	return nil
}

// searchAll searches open files in order and closes them.
func (s *scan) searchAll(ctx context.Context, files []sought) {
	worth := s.worth(ctx, files)
	for i, f := range files {
		if worth(i) && !s.full && ctx.Err() == nil {
			s.search(f)
		}
		f.f.Close()
	}
}

// search searches a file. It returns false if the file is not text.
func (s *scan) search(file sought) bool {
	data, err := io.ReadAll(io.NewSectionReader(file.f, 0, maxSearched)) // ripgrep may have moved the offset
	return err == nil && s.text(data, file.name)
}

// text searches the content of a file. It returns false if that is not text.
func (s *scan) text(data []byte, name string) bool {
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return false
	}
	text := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	switch s.mode {
	case "content":
		s.show(name, text)
	case "count":
		n := 0
		for range s.matches(text) {
			n++
		}
		if n > 0 {
			s.put(name + ":" + strconv.Itoa(n))
		}
	default:
		for range s.matches(text) {
			s.put(name)
			break
		}
	}
	return true
}

// put adds a line to the answer. It returns false if there is no room.
func (s *scan) put(line string) bool {
	if s.full || s.lines == s.limit || s.out.Len() > 0 && s.out.Len()+len(line) > maxShown {
		s.full = true
		return false
	}
	if s.lines++; s.out.Len() > 0 {
		s.out.WriteByte('\n')
	}
	s.out.WriteString(line)
	return true
}

// answer is what the model reads.
func (s *scan) answer(timed context.Context) string {
	var notes string
	if s.large > 0 {
		notes = noted("%d files of more than %d bytes were not searched.", s.large, maxSearched)
	}
	if s.denied > 0 {
		notes += noted("%d files were not searched, because a deny rule covers them.", s.denied)
	}
	if s.tree != nil {
		notes += curtailed(s.tree, timed, false, 0)
	}
	if s.full {
		notes += noted("Only the first %d lines are shown. Use path, glob or type, or a narrower pattern.", s.lines)
	}
	if s.out.Len() == 0 {
		return "No matches found." + notes
	}
	return s.out.String() + notes
}
