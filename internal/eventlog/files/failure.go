package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// failures says what a person can do about an error of the file system.
var failures = []struct {
	err  error
	kind fault.Kind
	hint string
}{
	{fs.ErrPermission, fault.Denied, "let this user read and write it, or choose another home with SIDESTICK_HOME"},
	{syscall.EROFS, fault.Denied, "the disk is read-only: choose another home with SIDESTICK_HOME"},
	{syscall.ENOSPC, fault.Unavailable, "the disk is full: free some space and try again"},
	{syscall.EDQUOT, fault.Unavailable, "your disk quota is used up: free some space and try again"},
	{syscall.EMFILE, fault.Unavailable, "too many files are open: raise the limit (ulimit -n) or close sessions"},
	{syscall.ENFILE, fault.Unavailable, "too many files are open on this machine: close some programs"},
	{syscall.ENOTDIR, fault.Invalid, "a file stands where a folder is needed: move it away"},
	{vfs.ErrNotRegular, fault.Denied, "move it away, and restore the file from a copy"},
	{syscall.EISDIR, fault.Denied, "a folder stands where a file is needed: move it away"},
	{errRewritten, fault.Conflict, "open the session anew"},
	{io.ErrUnexpectedEOF, fault.Conflict, "another program cut the log: open the session anew"},
	{fs.ErrNotExist, fault.NotFound, ""},
}

// failed turns an error of the file system into a fault. A fault stays as it is. An
// error that is not in the table means that the disk does not work.
func failed(op, path string, err error) error {
	var already *fault.Error
	switch {
	case errors.Is(err, fs.ErrClosed):
		return eventlog.ErrClosed
	case errors.As(err, &already):
		return err
	}
	e := &fault.Error{Op: op, On: path, Kind: fault.Unavailable, Hint: "check the disk", Err: reason(err)}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			e.Kind, e.Hint = f.kind, f.hint
			break
		}
	}
	return e
}

// reason removes the path from an error, because failed states it already.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// errRewritten is the error of a reader that does not find records where they were.
const errRewritten = errString("another program has changed the log while it was open")

// errString is a constant error.
type errString string

func (e errString) Error() string { return string(e) }

// shown is an id in a form that is safe to print: as it is, or quoted and shortened.
func shown(session string) string {
	if len(session) > maxID {
		session = session[:maxID]
	}
	if q := strconv.Quote(session); q != `"`+session+`"` {
		return q
	}
	return session
}
