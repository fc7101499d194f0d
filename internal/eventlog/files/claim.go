package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// newStream returns a stream on an open log, and tells others that it is open.
func (s *Store) newStream(dir string, f vfs.File) (*stream, error) {
	if err := f.Claim(vfs.ClaimOpen); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	return &stream{store: s, dir: dir, file: f, number: s.streams.Add(1)}, nil
}

// Claim implements [eventlog.Stream].
func (s *stream) Claim() error {
	const op = "files.Claim"
	switch {
	case s.isClosed():
		return eventlog.ErrClosed
	case s.broken != nil:
		return s.inDoubt(op)
	case s.claimed:
		return nil
	}
	if err := s.store.claim(op, s.path(), s.file); err != nil {
		return err
	}
	if err := s.catchUp(); err != nil {
		s.file.Unclaim(vfs.ClaimWrite)
		return failed(op, s.path(), err)
	}
	s.claimed = true
	return nil
}

// Release implements [eventlog.Stream].
func (s *stream) Release() {
	if s.claimed {
		s.claimed = false
		s.file.Unclaim(vfs.ClaimWrite)
	}
}

// Others implements [eventlog.Stream].
func (s *stream) Others() int { return s.file.Holder(vfs.ClaimOpen) }

// claim takes the log of a session for the writing of f, if nobody else has it
// who could be asked.
func (s *Store) claim(op, path string, f vfs.File) error {
	err := f.Claim(vfs.ClaimWrite)
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported): // then the size of the log is all that tells
		return nil
	case !errors.Is(err, vfs.ErrClaimed):
		return failed(op, path, err)
	}
	return &fault.Error{
		Op: op, On: path, Kind: fault.Conflict, Hint: "wait until it is done there, or end that process",
		Err: fmt.Errorf("%s is at work in the session", s.process(f.Holder(vfs.ClaimWrite))),
	}
}

// process names a process to a person.
func (s *Store) process(pid int) string {
	switch {
	case pid <= 0:
		return "another process"
	case pid == os.Getpid():
		return "this process"
	}
	args, err := s.fs.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(args) == 0 {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, commandLine(args))
}

// commandLine is what /proc says, NUL behind each argument, on a part of a line.
func commandLine(args []byte) string {
	const most = 80 // runes; a prompt may be among the arguments
	line := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.TrimRight(string(args), "\x00")))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// claimAsRead is claim for a log that was read, without a claim, up to size
// bytes: only then is its end damaged, and not what another process is at.
func (s *stream) claimAsRead(size int64) error {
	const op = "files.Open"
	if err := s.store.claim(op, s.path(), s.file); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err == nil && info.Size() != size {
		err = &fault.Error{
			Op: op, On: s.path(), Kind: fault.Conflict, Hint: "open the session again",
			Err: errString("another process wrote while the session was opened"),
		}
	}
	if err != nil {
		s.file.Unclaim(vfs.ClaimWrite)
	}
	return err
}

// catchUp takes in what others have written since this stream last knew the end
// of the log, which must be claimed.
func (s *stream) catchUp() error {
	mine, err := s.file.Stat()
	if err != nil {
		return err
	}
	here, err := s.store.fs.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !vfs.SameFile(here, mine):
		return fault.New(fault.NotFound, "files.Claim", s.path(), "another process has deleted the session")
	case err != nil:
		return err
	}
	size := mine.Size()
	offs, whole, err := s.foreign(size)
	switch {
	case err != nil:
		return err
	case !whole:
		return &fault.Error{
			Op: "files.Claim", On: s.path(), Kind: fault.Conflict, Hint: "open the session anew",
			Err: fmt.Errorf("another process has changed the log, or died while it wrote: the log has %d bytes, this process knows %d", size, s.size),
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, off := range offs {
		s.add(off)
	}
	s.size = size
	return nil
}

// foreign returns where the records begin that were appended up to end, and
// whether there is nothing else, behind a whole line.
func (s *stream) foreign(end int64) (offs []int64, whole bool, err error) {
	switch {
	case end == s.size:
		return nil, true, nil
	case end < s.size:
		return nil, false, nil
	}
	if s.size > 0 {
		var last [1]byte
		if _, err := s.file.ReadAt(last[:], s.size-1); err != nil || last[0] != '\n' {
			return nil, false, err
		}
	}
	seen, err := look(s.file, s.size, end, func(rec record) error {
		offs = append(offs, rec.off)
		return nil
	})
	return offs, seen.clean(), err
}
