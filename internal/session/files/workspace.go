package files

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Session is the interface of a [Workspace] to its session.
type Session interface {
	state.Recorder
	// Beside makes a change beside the log, on the caller's goroutine. Until f has returned, the
	// session keeps its claim on the log and stays open. [fault.Conflict] if another owner works in
	// it. If ctx ends early, f may not have been called.
	Beside(ctx context.Context, f func() error) error
}

// Options are what a [Workspace] is made of.
type Options struct {
	Session Session
	ID      string               // of the session
	Files   *workspace.Workspace // where the files are
	Kept    *clientfs.Storage    // where a client keeps the session; nil: this program keeps it
	Logger  *slog.Logger
}

// Workspace is what a session keeps beside its log, as clients use it. Create it with [New].
//
// Reads and writes wait for storage on the caller's goroutine. A change is made only in a session that is
// open and that no other owner works in, [fault.Conflict] otherwise. A change of a file is recorded, in the
// order in which it was made; that a folder was made is not. If ctx ends early, nothing is changed, or the change is
// recorded. A change stays unrecorded only if the log cannot be written any more, or another
// owner takes the session over in that moment.
type Workspace struct {
	session    Session
	id         string
	files      *workspace.Workspace
	kept       *clientfs.Storage
	logs       *slog.Logger
	database   database
	describing atomic.Pointer[chan struct{}] // closed when workspace.yaml is written; nil: it is not being written
}

// New returns the workspace of a session. It reads and writes nothing yet.
func New(o Options) *Workspace {
	return &Workspace{session: o.Session, id: o.ID, files: o.Files, kept: o.Kept, logs: o.Logger}
}

// Stored is where the files are.
func (w *Workspace) Stored() *workspace.Workspace { return w.files }

// Describe describes the workspace.
func (w *Workspace) Describe(ctx context.Context) (*wire.Workspace, error) {
	return mailbox.Ask(ctx, w.session.Do, func() (*wire.Workspace, error) {
		sum := w.Summary()
		return &wire.Workspace{
			ID: sum.ID, Name: sum.Name, UserNamed: sum.UserNamed, Cwd: sum.Cwd, GitRoot: sum.GitRoot,
			Repository: sum.Repository, Branch: sum.Branch, CreatedAt: sum.CreatedAt, UpdatedAt: sum.UpdatedAt,
		}, nil
	})
}

// Plan returns the text of the plan; exists reports whether there is one.
func (w *Workspace) Plan(ctx context.Context) (text string, exists bool, err error) {
	return w.files.Plan(ctx)
}

// PlanPath is where the plan is, or would be.
func (w *Workspace) PlanPath() string { return w.files.PlanPath() }

// UpdatePlan makes text the plan. It is in storage before the event is recorded.
func (w *Workspace) UpdatePlan(ctx context.Context, text string) error {
	return w.change(ctx, func() error {
		return w.files.UpdatePlan(ctx, text, func(created bool) error {
			return w.record(&wire.SessionPlanChanged{Operation: operation[wire.PlanOperation](created)})
		})
	})
}

// DeletePlan removes the plan. If there is none, nothing happens.
func (w *Workspace) DeletePlan(ctx context.Context) error {
	return w.change(ctx, func() error {
		return w.files.DeletePlan(ctx, func() error {
			return w.record(&wire.SessionPlanChanged{Operation: "delete"})
		})
	})
}

// Files lists the files in the workspace files directory, as [workspace.Workspace.List].
func (w *Workspace) Files(ctx context.Context) ([]string, error) { return w.files.List(ctx) }

// ReadFile returns the text of a file in the workspace files directory, as
// [workspace.Workspace.Read].
func (w *Workspace) ReadFile(ctx context.Context, name string) (string, error) {
	return w.files.Read(ctx, name)
}

// CreateFile writes a file in the workspace files directory, as
// [workspace.Workspace.Create].
func (w *Workspace) CreateFile(ctx context.Context, name, text string) error {
	return w.change(ctx, func() error { return w.files.Create(ctx, name, text, w.recordFile) })
}

// SavePaste keeps a text that is too long for a message as a file, which the message can
// name. Errors are as those of [Workspace.CreateFile].
func (w *Workspace) SavePaste(ctx context.Context, text string) (*wire.Paste, error) {
	name := "paste-" + wire.NewID() + ".txt"
	var at string
	err := w.change(ctx, func() (err error) {
		at, err = w.files.SavePaste(ctx, name, text, w.recordFile)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &wire.Paste{Filename: name, FilePath: at, SizeBytes: int64(len(text))}, nil
}

// Stat describes a file or folder in the workspace files directory.
func (w *Workspace) Stat(ctx context.Context, name string) (workspace.Entry, error) {
	return w.files.Stat(ctx, name)
}

// CreateDirectory makes a folder in the workspace files directory, as [workspace.Workspace.Mkdir].
func (w *Workspace) CreateDirectory(ctx context.Context, name string, parents bool) error {
	return w.change(ctx, func() error { return w.files.Mkdir(ctx, name, parents) })
}

// RemovePath removes a file or folder, as [workspace.Workspace.RemovePath].
func (w *Workspace) RemovePath(ctx context.Context, name string, all, force bool) error {
	return w.change(ctx, func() error {
		return w.files.RemovePath(ctx, name, all, force, func(name string) error {
			return w.record(&wire.WorkspaceFileChanged{Operation: "update", Path: name})
		})
	})
}

// RenamePath gives a file or folder another name, as [workspace.Workspace.Rename]. It is
// recorded as an update of the one and the creation of the other: the protocol has no event
// for a file that is removed.
func (w *Workspace) RenamePath(ctx context.Context, from, to string) error {
	return w.change(ctx, func() error {
		return w.files.Rename(ctx, from, to, func(from, to string) error {
			return w.record(&wire.WorkspaceFileChanged{Operation: "update", Path: from}, &wire.WorkspaceFileChanged{Operation: "create", Path: to})
		})
	})
}

// Checkpoints lists the session's checkpoints, the oldest first.
func (w *Workspace) Checkpoints(ctx context.Context) (list []wire.Checkpoint, err error) {
	stored, err := w.files.Checkpoints(ctx)
	for _, c := range stored {
		list = append(list, wire.Checkpoint{Number: c.Number, Title: c.Title, Filename: c.File})
	}
	return list, err
}

// Checkpoint returns the text of a checkpoint; exists reports whether there is one of
// that number.
func (w *Workspace) Checkpoint(ctx context.Context, number int64) (text string, exists bool, err error) {
	return w.files.Checkpoint(ctx, number)
}

// ClientMetadata returns what clients have noted about the session.
func (w *Workspace) ClientMetadata(ctx context.Context) (map[string]string, error) {
	return w.files.ClientMetadata(ctx)
}

// UpdateClientMetadata changes what clients have noted, as
// [workspace.Workspace.UpdateClientMetadata]. Nothing is recorded: the notes are not part of
// the conversation.
func (w *Workspace) UpdateClientMetadata(ctx context.Context, p workspace.NotesPatch) (now map[string]string, err error) {
	err = w.change(ctx, func() (err error) {
		now, err = w.files.UpdateClientMetadata(ctx, p)
		return err
	})
	return now, err
}

// change makes a change beside the log, on the caller's goroutine.
func (w *Workspace) change(ctx context.Context, f func() error) error {
	return w.session.Beside(ctx, f)
}

func (w *Workspace) recordFile(name string, created bool) error {
	return w.record(&wire.WorkspaceFileChanged{Operation: operation[wire.FileOperation](created), Path: name})
}

// record records a change that has been made, whether or not its caller still waits.
func (w *Workspace) record(events ...wire.Data) error {
	return w.session.Post(context.Background(), func() error { return w.session.Record("", events...) })
}

func operation[T ~string](created bool) T {
	if created {
		return "create"
	}
	return "update"
}

// flushWait bounds how long a description is written for.
const flushWait = 10 * time.Second

// Summary is the short form of the description, as snapshots carry it. It is called on the
// session's goroutine.
func (w *Workspace) Summary() *wire.WorkspaceSummary {
	st := w.session.State()
	created, updated := wire.Moment(st.Started), wire.Moment(st.Modified)
	return &wire.WorkspaceSummary{
		ID: w.id, Name: wire.Optional(st.Label()), UserNamed: wire.Optional(st.Name.User), Cwd: wire.Optional(st.Cwd), GitRoot: wire.Optional(st.GitRoot),
		Repository: wire.Optional(st.Repository), Branch: wire.Optional(st.Branch), CreatedAt: &created, UpdatedAt: &updated,
	}
}

// Note notes what workspace.yaml is to hold; Write has it written. It is called on the session's
// goroutine.
func (w *Workspace) Note() {
	st := w.session.State()
	w.files.Describe(workspace.Description{
		ID: w.id, Name: st.Label(), UserNamed: st.Name.User, Cwd: st.Cwd, GitRoot: st.GitRoot,
		Repository: st.Repository, Branch: st.Branch, Created: wire.Moment(st.Started),
	})
}

// Write starts to write workspace.yaml if it is to change. It is called on the session's goroutine.
func (w *Workspace) Write() {
	if !w.files.Described() {
		return
	}
	written := make(chan struct{})
	w.describing.Store(&written)
	w.session.Go("session.describe", func() {
		defer w.describing.CompareAndSwap(&written, nil)
		defer close(written)
		w.Flush()
	})
}

// Settle waits until what Write has started has ended, or ctx has.
func (w *Workspace) Settle(ctx context.Context) {
	if written := w.describing.Load(); written != nil {
		select {
		case <-*written:
		case <-ctx.Done():
		}
	}
}

// Flush writes workspace.yaml if it is to change, and waits for others that write it. It
// waits for the disk, so it is never called on the session's goroutine.
func (w *Workspace) Flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushWait)
	defer cancel()
	err := w.files.Flush(ctx)
	if err == nil && w.kept != nil { // a client finds all files of a session from the beginning
		err = w.files.BeginCheckpoints(ctx)
	}
	if err != nil {
		w.logs.Warn("the session's folder is not described", "err", err)
	}
}
