package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// embedded is a session of this process, as the terminal interface uses it.
type embedded struct {
	*front
	operate.Here

	answers *answering
	broken  atomic.Bool // its events have ended, although the user has not left
}

var _ tui.Session = (*embedded)(nil)

func (f *front) session(ctx context.Context, c *session.Client) *embedded {
	_ = c.Interest(ctx, wire.InterestWaiting) // else the session is closed, or only the wait is not described
	return &embedded{front: f, Here: operate.Here{Client: c}, answers: newAnswering()}
}

// settingsOf implements [subject].
func (f *embedded) settingsOf() string {
	return "A change counts from the next start of sidestick on. /config edit opens your file; /model, /mode and others change this session."
}

// ID implements [tui.Session].
func (f *embedded) ID() string { return f.Client.Session().ID() }

// Describe implements [tui.Session].
func (f *embedded) Describe(ctx context.Context) (d tui.Description, err error) {
	if d.Model, _, err = f.Client.Session().Settings().Model(ctx); err != nil {
		return d, err
	}
	m, err := f.runtime.Parts.Sessions.Metadata(ctx, f.ID())
	if err != nil || m == nil {
		return d, err
	}
	d.New = m.Summary == ""
	if d.Working, err = f.Client.Session().Working(ctx); err != nil {
		return d, err
	}
	if m.Context != nil {
		d.Folder, d.Branch = cli.Tilde(m.Context.Cwd), m.Context.Branch
	}
	mode, err := f.Client.Session().Settings().Mode(ctx)
	if err != nil {
		return d, err
	}
	d.Mode = string(mode)
	permitted, err := f.Client.Session().Permissions().Mode(ctx)
	d.AllowAll = permitted == wire.ModeAllowAll
	return d, err
}

// Events implements [tui.Session].
func (f *embedded) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return f.answers.watch(func(yield func(follow.Event, error) bool) {
		for event, err := range follow.NewReader(f.Client.Tail()).Events(ctx) {
			if err != nil && ctx.Err() == nil {
				f.broken.Store(true)
			}
			if errors.Is(err, eventlog.ErrClosed) || !yield(event, err) {
				return
			}
		}
	})
}

// Ended reports whether the session has to be entered again: it was closed, or its events cannot be
// read.
func (f *embedded) Ended() bool {
	select {
	case <-f.Client.Session().Closed():
		return true
	default:
		return f.broken.Load()
	}
}

// Explain implements [tui.Session].
func (f *embedded) Explain(ctx context.Context, failure follow.Failure) string {
	text := cmp.Or(failure.Message, "the run has failed")
	return timeline.Harmless(f.runtime.Advised(ctx, f.Client.Session(), failure.Type, text))
}

// Calls implements [tui.Session].
func (f *embedded) Calls() <-chan *tui.Call { return f.relay.calls }

// Retries implements [tui.Session].
func (f *embedded) Retries() <-chan tui.Retry { return f.relay.retries }

// words is [tui.Options.Words] for an error of this session.
func (f *embedded) words(err error) string { return f.front.words(f, err) }

// Send implements [tui.Session].
func (f *embedded) Send(ctx context.Context, m wire.Send) error {
	id, err := f.Client.Session().Send(ctx, m)
	if err != nil && id != "" && ctx.Err() != nil {
		return fmt.Errorf("%w: the session has not answered in time", tui.ErrUncertain)
	}
	return err
}

// Interrupt implements [tui.Session].
func (f *embedded) Interrupt(ctx context.Context) error {
	interrupted, err := f.Client.Session().Queue().InterruptRun(ctx, queue.Hold)
	if err != nil || interrupted {
		return err
	}
	return f.Client.Session().Abort(ctx, "user_initiated") // of a message that hooks still see
}

// Queue implements [tui.Session].
func (f *embedded) Queue(ctx context.Context) (out tui.Queue, err error) {
	waiting, err := f.Client.Session().Queue().Pending(ctx)
	return queueOf(waiting), err
}

// Unqueue implements [tui.Session].
func (f *embedded) Unqueue(ctx context.Context, id string) (removed bool, err error) {
	return f.Client.Session().Queue().Remove(ctx, id)
}

// HandOver implements [tui.Session].
func (f *embedded) HandOver(ctx context.Context) error {
	return f.Client.Session().Queue().HandOver(ctx)
}

// SetMode implements [tui.Session].
func (f *embedded) SetMode(ctx context.Context, mode string) error {
	return f.Client.Session().Settings().SetMode(ctx, wire.Mode(mode))
}

// SendNow implements [tui.Session].
func (f *embedded) SendNow(ctx context.Context, id string) (sent bool, err error) {
	return f.Client.Session().Queue().SendNow(ctx, id)
}

// MoveTo implements [tui.Session].
func (f *embedded) MoveTo(ctx context.Context, id string, position int) error {
	_, err := f.Client.Session().Queue().Move(ctx, id, int64(position))
	return err
}

// Shell implements [tui.Session].
func (f *embedded) Shell(ctx context.Context, command string) error {
	_, err := f.Client.Session().Shell().Execute(ctx, wire.NewID(), command)
	return err
}

// Permission implements [tui.Session].
func (f *embedded) Permission(ctx context.Context, r timeline.Request, cwd string) (*question.Question, error) {
	o, err := f.Client.Session().Permissions().Offer(ctx, r.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint // the request was answered meanwhile
	}
	if err != nil {
		return nil, err
	}
	return f.answers.question(r, cwd, operate.AgentHost(ctx, f.Client.Session()), o), nil
}

// AnswerPermission implements [tui.Session].
func (f *embedded) AnswerPermission(ctx context.Context, id string, a permit.Answer) (note string, ends bool, err error) {
	return f.answers.answer(ctx, id, a, f.Client.Session().Permissions().Answer)
}

// AnswerForm implements [tui.Session].
func (f *embedded) AnswerForm(ctx context.Context, id string, a wire.ElicitationAnswer) error {
	_, err := f.Client.Session().Questions().AnswerElicitation(ctx, id, a)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}

// ShellFolder implements [tui.Session].
func (e *embedded) ShellFolder(ctx context.Context) (string, error) {
	at, err := e.Client.Session().Shell().Jobs().Folder(ctx)
	return cli.Tilde(at), err
}

// Context implements [tui.Session].
func (e *embedded) Context(ctx context.Context) (cell.Context, error) {
	w, err := e.Window(ctx)
	return contextOf(w), err
}

// Todos implements [tui.Session].
func (f *embedded) Todos(ctx context.Context) ([]cell.Todo, error) {
	found, err := f.Client.Session().Workspace().Todos(ctx)
	return todosOf(found.Rows), err
}

// Leave implements [tui.Session].
func (f *embedded) Leave(ctx context.Context) error {
	f.Client.Tail().Close() // a log is closed when its last reader has left
	return f.Client.Detach(ctx)
}
