package obs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// sink is where the lines of a logger go: w, or the file that the first line makes in
// dir. It is safe for concurrent use.
//
// It uses package os and not vfs: log lines need not survive a crash, and logging must
// work when the file system of the store has failed.
type sink struct {
	mu   sync.Mutex // guards the rest, and serialises writes
	dir  string     // "" once a file was made, or could not be
	w    io.Writer
	file *os.File
	lost int // lines that were dropped since the last one that was written
	// stuck is the result of a write that has not returned in time; nil if there is none.
	stuck chan error
}

// readerWait bounds the wait for the reader of stderr. Where lines are lost already, none
// waits.
const readerWait = time.Second

// Write writes one record. A record that stderr does not take, because nobody reads that
// pipe, is dropped: the program does not wait for a reader of its log. How many are missing
// is written before the next one.
func (s *sink) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		s.open()
	}
	f, ok := s.w.(*os.File)
	if !ok || f == s.file || !canBlock(f) {
		return s.w.Write(line)
	}
	if s.stuck != nil {
		select {
		case <-s.stuck:
			s.stuck = nil
		default:
			s.lost++
			return len(line), nil
		}
	}
	return len(line), s.pass(f, line)
}

// pass writes a record to a file that may block, on a goroutine that is left behind if it
// does. There is one such goroutine at most.
func (s *sink) pass(f *os.File, line []byte) error {
	text := bytes.Clone(line) // the caller uses line again
	if s.lost > 0 {
		text = fmt.Appendf(nil, "%d lines of the log are missing here: nobody has read stderr\n%s", s.lost, line)
		s.lost = 0
	}
	done := make(chan error, 1)
	go func() {
		_, err := f.Write(text)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(readerWait):
		s.stuck = done // the record is written when somebody reads
		return nil
	}
}

// canBlock reports whether a write to a file may wait for a reader.
func canBlock(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && !info.Mode().IsRegular()
}

// open switches from w to a new file, or reports once why it cannot.
func (s *sink) open() {
	file, err := create(s.dir, time.Now().UTC())
	if err != nil {
		fmt.Fprintf(s.w, "cannot log to a file, logging here instead: %v\n", err)
	} else {
		s.file, s.w = file, file
	}
	s.dir = ""
}

// create makes a file that only its owner can read, because logs name the user's files.
// It appends, so that two loggers of one process that start in the same second share it.
func create(dir string, now time.Time) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("sidestick-%s-%d.log", now.Format("20060102T150405Z"), os.Getpid())
	return os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// Close closes the file, if one was made, and prevents one from being made later.
func (s *sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		s.dir, s.w = "", io.Discard
	}
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.w = nil, io.Discard
	return err
}
