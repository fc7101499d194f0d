package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Workspace stores the files of one session. It is safe for concurrent use.
type Workspace struct {
	session string
	files   Files

	writing sync.Mutex // held over a change and its event, so that both have one order

	described sync.Mutex // held while the description is written
	pending   pending
}

// New returns the workspace of a session.
func New(session string, files Files) *Workspace { return &Workspace{session: session, files: files} }

// Recorded records a change in the session. It is called once the change is in storage,
// and before another change of that kind can begin. created reports that the file is new. If it
// fails the change stays, and its error is returned.
type Recorded func(created bool) error

// checkText rejects bytes that cannot be sent to a client unchanged.
func checkText(data []byte, limit int64) error {
	switch {
	case int64(len(data)) > limit:
		return tooLong(limit)
	case !utf8.Valid(data):
		return errors.New("it is not text (UTF-8)")
	}
	return nil
}

// fail is the [fault.Error] of an operation on a file; nil if err is nil.
func (w *Workspace) fail(op, what string, err error) error {
	if err == nil {
		return nil
	}
	kind := fault.Invalid
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = fault.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EMFILE):
		kind = fault.Unavailable
	}
	return fault.New(kind, op, w.session, "%s: %w", what, err)
}

// invalid returns the error for a request that clients may not make.
func (w *Workspace) invalid(op string, err error) error {
	return fault.New(fault.Invalid, op, w.session, "%w", err)
}

func quoted(name string) string { return fmt.Sprintf("%q in the workspace files directory", name) }

// databaseName is the file of the session's database.
const databaseName = "session.db"

// DatabasePath returns the path of the session's database, whether or not it exists; "" if
// it cannot be a file on this machine.
func (w *Workspace) DatabasePath() string { return w.files.Path(databaseName) }
