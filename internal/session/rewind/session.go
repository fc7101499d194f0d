package rewind

import (
	"context"
	"iter"
	"log/slog"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Session is the interface of [Files] to their session. No method is called on the session's
// goroutine, except that any goroutine may call Cwd. A session that closes or is closed is
// [fault.NotFound].
type Session interface {
	// Position returns where the session is, after all that other processes have recorded.
	Position(ctx context.Context) (Position, error)
	// Records reads the whole log, with the records that were removed from the history.
	Records(ctx context.Context) iter.Seq2[eventlog.Record, error]
	// Truncate removes an event and all that follow from the history, and returns how many
	// they are.
	Truncate(ctx context.Context, eventID string) (removed int64, err error)
	// Hold keeps the session from beginning a run until Release is called. held is false if
	// the session works, or is held already; then Release is not called.
	Hold(ctx context.Context) (held bool, err error)
	Release()
	// Project returns where the session works now.
	Project(ctx context.Context) (Project, error)
	// Cwd returns the working directory.
	Cwd() string
}

// Position is where a session is at one moment.
type Position struct {
	Cuts     state.Spans // what was removed from the history
	Tracking bool        // the session has kept old versions of files since its first turn
	Busy     bool        // files or the history may be changing
}

// Project is where a session works. Shell is the tool that runs commands; nil if GitRoot is
// empty, or this system has none.
type Project struct {
	Cwd, GitRoot string
	Shell        tool.Tool
}

// Options are the parts of the process that [Files] use. All are required, but for Secrets.
type Options struct {
	ID      string // of the session
	FS      vfs.FS
	Resolve func(path string) string // follows symbolic links
	Kept    *workspace.Workspace     // has the old versions of files
	// Seal returns a digest of the parts that only this machine can make.
	Seal func(parts ...string) (string, error)
	// RunScript runs git. Secrets are the variables of the environment that it does not inherit.
	RunScript func(context.Context, shell.Script) (shell.Outcome, error)
	Secrets   []string
	Logs      *slog.Logger
}

// Files are the files that the built-in tools of one session change. They are safe for
// concurrent use, and have no state but what the log and the workspace of the session hold.
type Files struct {
	s Session
	o Options
}

// New returns the files of a session.
func New(s Session, o Options) *Files { return &Files{s, o} }
