package obs

import (
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
	lost int // lines that w did not take since the last one that it took
}

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
	text := line
	if s.lost > 0 {
		text = fmt.Appendf(nil, "\n%d lines of the log are missing here: nobody has read stderr\n%s", s.lost, line)
	}
	taken, err := s.pass(f, text)
	if s.lost++; taken {
		s.lost = 0
	}
	return len(line), err
}

// A pipe that reports room takes at least pipeRoom bytes without blocking: PIPE_BUF of POSIX.
// Where lines are lost already, none waits.
const (
	pipeRoom   = 512
	readerWait = time.Second
)

// pass writes text to a file that may block, and reports whether that has taken all of it.
func (s *sink) pass(f *os.File, text []byte) (taken bool, err error) {
	wait := readerWait
	if s.lost > 0 {
		wait = 0
	}
	for len(text) > 0 {
		if !hasRoom(f, wait) {
			return false, nil
		}
		n, err := f.Write(text[:min(len(text), pipeRoom)])
		if err != nil {
			return false, err
		}
		text = text[n:]
	}
	return true, nil
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
