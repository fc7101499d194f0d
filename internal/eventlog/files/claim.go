package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// newStream returns a stream on an open log, and lets others see that it is open.
func (s *Store) newStream(dir string, f vfs.File) (*stream, error) {
	if err := f.Claim(vfs.ClaimOpen); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	return &stream{store: s, dir: dir, file: f, number: s.streams.Add(1)}, nil
}

// Others implements [eventlog.Store].
func (s *Store) Others(ctx context.Context, session string) (owner string, known bool, err error) {
	const op = "files.Others"
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	dir, err := s.dir(op, session)
	if err != nil {
		return "", false, err
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return "", false, s.missing(op, session, path, err)
	}
	defer f.Close()
	owner, known = holder(f)
	return owner, known, nil
}

// Others implements [eventlog.Stream]. It names a process as [eventlog.Process] does.
func (s *stream) Others() (owner string, known bool) { return holder(s.file) }

// holder names a process that has a log open through another descriptor than f.
func holder(f vfs.File) (owner string, known bool) {
	switch id := f.Holder(vfs.ClaimOpen); {
	case id < 0:
		return "", false
	case id == 0:
		return "", true
	default:
		return eventlog.Process(id), true
	}
}

// claim claims the log of a session for writing through f. Where the system has no
// claims it succeeds: then only the size of the log shows that others have written.
func (s *Store) claim(op, path string, f vfs.File) error {
	err := f.Claim(vfs.ClaimWrite)
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported):
		return nil
	case !errors.Is(err, vfs.ErrClaimed):
		return failed(op, path, err)
	}
	return &fault.Error{
		Op: op, On: path, Kind: fault.Conflict, Hint: "wait until it is done there, or end that process",
		Err: inUse(s.process(f.Holder(vfs.ClaimWrite)) + " is at work in the session"),
	}
}

// inUse is an error that says which process has claimed a session. It is [vfs.ErrClaimed].
type inUse string

func (u inUse) Error() string      { return string(u) }
func (inUse) Is(target error) bool { return target == vfs.ErrClaimed }

// process describes a process to a person.
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

// commandLine shortens the content of /proc/<id>/cmdline, which has a NUL byte behind
// each argument, to a part of a line.
func commandLine(args []byte) string {
	const most = 80 // runes; one of the arguments may be a long prompt
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
// bytes. If it succeeds, the end of the log is damaged; otherwise another process may
// be writing it.
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

// catchUp reads the records that others have appended since this stream last knew the end
// of the log, which has size bytes. The caller has claimed the log and holds s.growing.
func (s *stream) catchUp(size int64) error {
	offs, _, whole, err := s.foreign(size)
	switch {
	case err != nil:
		return err
	case !whole:
		return &fault.Error{
			Op: "files.Claim", On: s.path(), Kind: fault.Conflict, Hint: "open the session anew",
			Err: fmt.Errorf("another process has changed the log, or died while it wrote: the log has %d bytes, this process knows %d", size, s.size),
		}
	}
	s.last = mark{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extend(offs, size)
	return nil
}

// extend counts records that others have appended, up to offset end. The caller holds s.mu.
func (s *stream) extend(offs []int64, end int64) {
	for _, off := range offs {
		s.add(off)
	}
	s.size = end
}

// foreign returns where the records begin that others have appended up to offset end, and a
// mark of the last. whole is false if they have done anything else to the log. The caller
// holds s.growing.
func (s *stream) foreign(end int64) (offs []int64, last mark, whole bool, err error) {
	if end < s.size {
		return nil, last, false, nil
	}
	if kept, err := s.last.holds(s.file); err != nil || !kept {
		return nil, last, false, err
	}
	if end == s.size {
		return nil, s.last, true, nil
	}
	if s.size > 0 {
		var feed [1]byte
		if _, err := s.file.ReadAt(feed[:], s.size-1); err != nil || feed[0] != '\n' {
			return nil, last, false, err
		}
	}
	seen, err := scanLog(s.file, s.size, end, func(rec record) error {
		offs = append(offs, rec.off)
		last = markOf(rec.off, rec.json)
		return nil
	})
	return offs, last, seen.clean(), err
}
