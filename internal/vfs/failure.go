package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// failures lists what the user can do about errors of the file system.
var failures = lazy.Value[[]failure]{Make: func() []failure {
	return []failure{
		{fs.ErrPermission, fault.Denied, "let this user read and write it, or choose another home with SIDESTICK_HOME"},
		{syscall.EROFS, fault.Denied, "the disk is read-only: choose another home with SIDESTICK_HOME"},
		{syscall.ENOSPC, fault.Unavailable, "the disk is full: free some space and try again"},
		{syscall.EDQUOT, fault.Unavailable, "your disk quota is used up: free some space and try again"},
		{syscall.EMFILE, fault.Unavailable, "too many files are open: raise the limit (ulimit -n) or close sessions"},
		{syscall.ENFILE, fault.Unavailable, "too many files are open on this machine: close some programs"},
		{syscall.ENOTDIR, fault.Invalid, "a file stands where a folder is needed: move it away"},
		{ErrNotRegular, fault.Denied, "move it away, and restore the file from a copy"},
		{syscall.EISDIR, fault.Denied, "a folder stands where a file is needed: move it away"},
		{ErrClaimed, fault.Unavailable, "try again"},
		{fs.ErrNotExist, fault.NotFound, ""},
	}
}}

type failure struct {
	err  error
	kind fault.Kind
	hint string
}

// Failure returns an error of the file system as a fault, with what the user can do about
// it. op is the operation and path the file. An error that is not known means that the disk
// does not work.
func Failure(op, path string, err error) *fault.Error {
	e := &fault.Error{Op: op, On: path, Kind: fault.Unavailable, Hint: "check the disk", Err: Reason(err)}
	for _, f := range failures.Get() {
		if errors.Is(err, f.err) {
			e.Kind, e.Hint = f.kind, f.hint
			break
		}
	}
	return e
}

// Reason returns an error of the file system without the path, for messages that name the path
// already. Other errors are returned as they are.
func Reason(err error) error {
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
