package files

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// cutEnd cuts off what follows the last record of the log, and returns where a copy of
// that is. The cut is not synced: a loss of power can bring the damage back, and then the
// next Open repairs it again.
func (s *stream) cutEnd(seen *scanResult) (saved string, err error) {
	s.size = seen.keep
	if cut := seen.size - seen.keep; cut > 0 {
		if saved, err = s.save("cut", seen.keep, cut); err != nil {
			return "", err
		}
		if err := truncate(s.store.fs, s.path(), seen.keep); err != nil {
			return "", err
		}
	}
	if seen.keep > seen.tidy {
		if _, err := s.file.Write([]byte{'\n'}); err != nil {
			return "", err
		}
		s.add(seen.tidy)
		s.size++
	}
	return saved, nil
}

// rewrite replaces the log by a tidy one, and returns where a copy of the old one is.
// Whenever a crash ends it, one of the two is there, complete.
func (s *stream) rewrite(seen *scanResult) (saved string, err error) {
	if saved, err = s.save("damaged", 0, seen.size); err != nil {
		return "", err
	}
	tmp := fmt.Sprintf("%s.%s.tmp", s.path(), rand.Text()[:8])
	err = s.store.writeSynced(tmp, func(w *bufio.Writer) error { return s.writeTidy(w, seen) })
	if err != nil {
		_ = s.store.fs.Remove(saved) // the log still has everything
		return "", err
	}
	_ = s.file.Close() // it was only read; Windows does not replace an open file
	if err := s.store.fs.Rename(tmp, s.path()); err != nil {
		_ = s.store.fs.Remove(tmp) // the first error is the one to act on
		return "", err
	}
	if err := s.store.fs.SyncDir(s.dir); err != nil {
		return "", err
	}
	return saved, s.reload(seen)
}

// writeTidy writes all records to w, one per line.
func (s *stream) writeTidy(w *bufio.Writer, seen *scanResult) error {
	if _, err := io.Copy(w, io.NewSectionReader(s.file, 0, seen.tidy)); err != nil {
		return err
	}
	_, err := scanLog(s.file, seen.tidy, seen.size, lineWriter(w))
	return err
}

// lineWriter returns a function that writes a record and a line feed.
func lineWriter(w *bufio.Writer) func(record) error {
	return func(rec record) error {
		_, _ = w.Write(rec.json) // w keeps the error
		return w.WriteByte('\n')
	}
}

// reload opens the log that rewrite has written and counts its new lines.
func (s *stream) reload(seen *scanResult) error {
	f, err := s.store.fs.OpenFile(s.path(), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	s.file = f
	for _, c := range []vfs.Claim{vfs.ClaimOpen, vfs.ClaimWrite} { // closing the old file has dropped its claims
		if err := f.Claim(c); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	again, err := scanLog(s.file, seen.tidy, info.Size(), s.addTidy)
	if err == nil && !again.clean() {
		err = fault.New(fault.Internal, "files.Open", s.path(), "the log is not tidy after its repair; what it was is kept beside it")
	}
	s.size = again.size
	return err
}

// save copies n bytes of the log, from offset off, to a new file beside it, durably. It
// returns the path: events.jsonl, what, and the time in milliseconds, or a later
// millisecond if that file exists.
func (s *stream) save(what string, off, n int64) (path string, err error) {
	for ms := time.Now().UnixMilli(); ; ms++ {
		path = fmt.Sprintf("%s.%s-%d", s.path(), what, ms)
		err = s.store.writeSynced(path, func(w *bufio.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(s.file, off, n))
			return err
		})
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		if err = s.store.fs.SyncDir(s.dir); err != nil {
			_ = s.store.fs.Remove(path) // the log still has the bytes
		}
	}
	if err != nil {
		return "", err
	}
	return path, nil
}

// writeSynced makes a new file with the bytes that fill writes. When it returns nil the
// bytes are durable, the name is not. After an error there is no file.
func (s *Store) writeSynced(path string, fill func(*bufio.Writer) error) error {
	f, err := s.fs.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, window)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.fs.Remove(path) // the first error is the one to act on
	}
	return err
}

// truncate cuts a file through a handle of its own: on Windows a handle that is open for
// appending cannot do that.
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
