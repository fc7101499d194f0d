package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// load reads the log, makes the index and repairs the end.
func (s *stream) load() (*eventlog.Repair, error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	end, err := trimNUL(s.file, size)
	if err != nil {
		return nil, err
	}
	r := newRecords(s.file, 0, end)
	for {
		_, off, err := r.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		s.add(off)
	}
	s.size = r.behind
	d := damage{size: size, nul: size - end, keep: r.behind, skipped: r.skipped}
	d.feed = !r.line.ended && d.keep > r.line.off
	return s.repair(d)
}

// trimNUL returns the size of the file without the NUL bytes at its end.
func trimNUL(f vfs.File, size int64) (int64, error) {
	buf := make([]byte, min(window, size))
	for size > 0 {
		part := buf[:min(int64(len(buf)), size)]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, err
		}
		for n := len(part); n > 0; n-- {
			if part[n-1] != 0 {
				return size - int64(len(part)-n), nil
			}
		}
		size -= int64(len(part))
	}
	return 0, nil
}

// damage is what load found.
type damage struct {
	size    int64 // of the file
	keep    int64 // as much of it is kept
	nul     int64 // as much at its end is NUL
	feed    bool  // what is kept lacks its line feed
	skipped []int
}

// reason says it in words; empty if there is no damage.
func (d damage) reason() string {
	var why []string
	switch cut := d.size - d.keep; {
	case cut > 0 && cut == d.nul:
		why = append(why, fmt.Sprintf("the log ended in %d NUL bytes", d.nul))
	case cut > 0 && d.nul > 0:
		why = append(why, fmt.Sprintf("the last line was not finished and ended in %d NUL bytes", d.nul))
	case cut > 0:
		why = append(why, "the last line was not finished")
	case d.feed:
		why = append(why, "the last line had no line feed")
	}
	switch n := len(d.skipped); {
	case n == 1:
		why = append(why, "1 damaged line is passed over")
	case n > 1:
		why = append(why, fmt.Sprintf("%d damaged lines are passed over", n))
	}
	return strings.Join(why, "; ")
}

// repair makes the file end behind a whole line, and says what it did.
func (s *stream) repair(d damage) (*eventlog.Repair, error) {
	why := d.reason()
	if why == "" {
		return nil, nil
	}
	if d.size > d.keep || d.feed {
		if err := s.claimAsRead(d.size); err != nil {
			return nil, err
		}
		defer s.file.Unclaim(vfs.ClaimWrite)
	}
	rep := &eventlog.Repair{CutBytes: d.size - d.keep, SkippedLines: d.skipped, Reason: why}
	if rep.CutBytes > 0 {
		saved, err := s.save(d.keep, rep.CutBytes)
		if err != nil {
			return nil, err
		}
		rep.SavedAs = saved
		if err := truncate(s.store.fs, s.path(), d.keep); err != nil {
			return nil, err
		}
	}
	if d.feed {
		if _, err := s.file.Write([]byte{'\n'}); err != nil {
			return nil, err
		}
		s.size++
	}
	return rep, nil // not synced: a power cut brings the damage back, and the next Open repairs it
}

// save copies n bytes from off to a new file beside the log, durably, and
// returns its path.
func (s *stream) save(off, n int64) (path string, err error) {
	f, path, err := s.createCut(time.Now())
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.NewSectionReader(s.file, off, n))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.store.fs.SyncDir(s.dir)
	}
	if err != nil {
		_ = s.store.fs.Remove(path) // the log still has the bytes
		return "", err
	}
	return path, nil
}

// createCut makes the file for what is cut now, or in the first millisecond
// after that has none.
func (s *stream) createCut(now time.Time) (vfs.File, string, error) {
	for ms := now.UnixMilli(); ; ms++ {
		path := fmt.Sprintf("%s.cut-%d", s.path(), ms)
		f, err := s.store.fs.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
		if !errors.Is(err, fs.ErrExist) {
			return f, path, err
		}
	}
}

// truncate cuts a file by a handle of its own: on Windows one that is open for
// appending cannot do it.
func truncate(fsys vfs.FS, path string, size int64) error {
	f, err := fsys.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
