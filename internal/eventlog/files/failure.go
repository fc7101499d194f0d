package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// failures says what the user can do about errors of reading a log.
var failures = lazy.Value[[]hinted]{Make: func() []hinted {
	return []hinted{
		{errRewritten, "open the session anew"},
		{io.ErrUnexpectedEOF, "another program cut the log: open the session anew"},
	}
}}

type hinted struct {
	err  error
	hint string
}

// failed turns an error of the file system into a fault. A fault stays as it is.
func failed(op, path string, err error) error {
	var already *fault.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // see until
	case errors.Is(err, fs.ErrClosed):
		return eventlog.ErrClosed
	case errors.As(err, &already):
		return err
	}
	e := vfs.Failure(op, path, err)
	for _, f := range failures.Get() {
		if errors.Is(err, f.err) {
			e.Kind, e.Hint = fault.Conflict, f.hint
		}
	}
	return e
}

// errRewritten is the error of a reader that does not find records where they were.
const errRewritten = errString("another program has changed the log while it was open")

// errEndless is the error of a reader that waits for the end of a line which can be no record any more.
const errEndless = errString("the log ends in more than 64 MiB without the end of a line, which can be no event")

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
