package projectfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Trust is given to content: a file of a folder that the user trusts has its powers only while its
// content is what the user has agreed to. docs/decisions/0033-trust-is-given-to-content.md.

// Counts reports whether a file may use its powers: nil if the user trusts the folder that it lies in,
// and has agreed to a content with this digest. path is absolute; the digest is of the bytes that the
// caller uses, and not of a second read. The error is [ErrUntrusted] if no trusted folder contains the
// file; any other says in words for the user what has changed, and what to do.
type Counts func(path, digest string) error

// ErrUntrusted is the error of [Counts] for a file in a folder that the user does not trust.
var ErrUntrusted = errors.New("the folder is not trusted")

// Agreed is what the user has agreed to about one file.
type Agreed struct {
	Digest string `json:"sha256"`
	// Kind is what the file is, with its powers, and Does what it starts, grants or sends: lines as
	// `sidestick trust` prints them.
	Kind string   `json:"kind,omitempty"`
	Does []string `json:"does,omitempty"`
}

// Digest returns the digest of a content, as [Counts] takes it.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// DigestOf reads a content to its end, and returns its digest.
func DigestOf(content io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, content)
	return hex.EncodeToString(h.Sum(nil)), err
}

// Scripts returns the files inside a folder that words of commands lead to, each once: the programs and
// scripts that hooks and servers of the folder name. A word is relative to the folder or to one of bases;
// those that name a folder are a base, too. Left out are the targets of redirections and of tee, and files
// whose names end with .log or .jsonl, which commands write. The paths are absolute and not resolved; resolve
// returns a path with its links resolved, "" if that fails. unknown are words of commands that may name more files,
// which depend on what is only known when the command runs.
func Scripts(disk Disk, resolve func(string) string, folder string, bases []string, texts ...string) (files, unknown []string) {
	s := scripts{disk: disk, resolve: resolve, folder: folder, real: resolve(folder), bases: append([]string{folder}, bases...)}
	for range 2 { // words that name a folder may come after those that are relative to it
		for _, text := range texts {
			s.words(text)
			s.shell(text, 0)
		}
	}
	slices.Sort(s.files)
	slices.Sort(s.unknown)
	return slices.Compact(s.files), slices.Compact(s.unknown)
}

// inside reports whether a path is in the folder by its name, or once its links are resolved: a link in the
// folder that leads out of it can be made to lead elsewhere.
func (s *scripts) inside(path string) bool {
	if isBelow(s.folder, path) {
		return true
	}
	at := s.resolve(filepath.Dir(path))
	return at != "" && s.real != "" && isBelow(s.real, filepath.Join(at, filepath.Base(path)))
}

func isBelow(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// MaxFile bounds a file of the table, in bytes: a longer one has no power.
const MaxFile = 1 << 20

// maxScript bounds a script or program whose content the user agrees to, in bytes.
const maxScript = 64 << 20

// CheckScripts returns why a command of a folder must not run: one of its [Scripts] does not count. open
// opens a file for reading, as a file system does.
func CheckScripts[F io.ReadCloser](
	disk Disk, open func(name string, flag int, perm fs.FileMode) (F, error), resolve func(string) string, counts Counts,
	folder string, bases []string, texts ...string,
) error {
	files, _ := Scripts(disk, resolve, folder, bases, texts...)
	for _, path := range files {
		digest, err := readDigest(disk, open, path)
		if err == nil {
			err = counts(path, digest)
		}
		if err != nil {
			return fmt.Errorf("the file %s that it names: %w", path, err)
		}
	}
	return nil
}

func readDigest[F io.ReadCloser](disk Disk, open func(string, int, fs.FileMode) (F, error), path string) (string, error) {
	info, err := disk.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", fmt.Errorf("it is not a file of at most %d MiB", maxScript>>20)
	}
	f, err := open(path, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return DigestOf(io.LimitReader(f, maxScript))
}

// Strings returns the texts in a value that was decoded from JSON, in the order of their names.
func Strings(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			texts = append(texts, Strings(one)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, Strings(v[key])...)
		}
	}
	return texts
}

// mostBases bounds the folders that words of one file are relative to, and longestWord a word in bytes.
const mostBases, longestWord = 10, 1024

type scripts struct {
	disk          Disk
	resolve       func(string) string
	folder, real  string
	bases, files  []string
	unknown       []string
	compared      int  // names, with patterns
	written, tees bool // the next word is written to
}

// words looks at the words of a text, cut where shells and formats of data end a word.
func (s *scripts) words(text string) {
	s.written, s.tees = false, false
	start := 0
	end := func(i int) {
		if word := text[start:i]; word != "" {
			s.word(word)
		}
		start = i + 1
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '>':
			end(i)
			s.written = true
		case c == ' ' || c == '\t':
			end(i)
		case strings.IndexByte("\"'`|&;()<\n\r=,:", c) >= 0:
			end(i)
			if strings.IndexByte("|&;\n", c) >= 0 {
				s.tees = false
			}
		}
	}
	end(len(text))
}

func (s *scripts) word(word string) {
	if s.written || s.tees && !strings.HasPrefix(word, "-") {
		s.written = false
		return
	}
	if s.tees = s.tees || word == "tee"; word == "tee" || len(word) > longestWord || strings.ContainsRune(word, 0) {
		return
	}
	word = strings.Trim(strings.ReplaceAll(word, `\`, "/"), "{}[]")
	if strings.HasPrefix(word, "$") { // a variable that leads to the folder, such as $PWD
		_, word, _ = strings.Cut(word, "/")
	}
	s.add(word)
}

func (s *scripts) add(word string) {
	name := filepath.FromSlash(strings.TrimPrefix(word, "./"))
	if name == "" || name == "." || strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".jsonl") {
		return
	}
	for _, base := range s.bases {
		path := filepath.Clean(name)
		info, err := s.disk.Stat(path)
		if !filepath.IsAbs(path) || err != nil { // "$CLAUDE_PROJECT_DIR"/x is the words $CLAUDE_PROJECT_DIR and /x
			path = filepath.Join(base, path)
			info, err = s.disk.Stat(path)
		}
		switch {
		case err != nil || !s.inside(path):
		case info.Mode().IsRegular():
			s.files = append(s.files, path)
		case info.IsDir() && len(s.bases) < mostBases && !slices.Contains(s.bases, path):
			s.bases = append(s.bases, path)
		}
	}
}
