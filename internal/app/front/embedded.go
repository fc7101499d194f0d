package front

import (
	"context"
	"errors"
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
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// embedded is a session of this process, as the terminal interface uses it.
type embedded struct {
	*front
	client *session.Client

	answers *answering
	broken  atomic.Bool // its events have ended, although the user has not left
}

var _ tui.Session = (*embedded)(nil)

func (f *front) session(c *session.Client) *embedded {
	return &embedded{front: f, client: c, answers: newAnswering()}
}

// ID implements [tui.Session].
func (e *embedded) ID() string { return e.client.Session().ID() }

// Describe implements [tui.Session].
func (e *embedded) Describe(ctx context.Context) (d tui.Description, err error) {
	if d.Model, _, err = e.client.Session().Settings().Model(ctx); err != nil {
		return d, err
	}
	m, err := e.runtime.Parts.Sessions.Metadata(ctx, e.ID())
	if err != nil || m == nil {
		return d, err
	}
	d.New = m.Summary == ""
	if d.Working, err = e.client.Session().Metrics().Working(ctx); err != nil {
		return d, err
	}
	if m.Context != nil {
		d.Folder, d.Branch = cli.Tilde(m.Context.Cwd), m.Context.Branch
	}
	mode, err := e.client.Session().Settings().Mode(ctx)
	if err != nil {
		return d, err
	}
	d.Mode = string(mode)
	permitted, err := e.client.Session().Permissions().Mode(ctx)
	d.AllowAll = permitted == wire.ModeAllowAll
	return d, err
}

// Events implements [tui.Session].
func (e *embedded) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		for event, err := range follow.NewReader(e.client.Tail()).Events(ctx) {
			if err != nil && ctx.Err() == nil {
				e.broken.Store(true)
			}
			if errors.Is(err, eventlog.ErrClosed) || !yield(event, err) {
				return
			}
		}
	}
}

// Ended reports whether the session has to be entered again: it was closed, or its events cannot be
// read.
func (e *embedded) Ended() bool {
	select {
	case <-e.client.Session().Closed():
		return true
	default:
		return e.broken.Load()
	}
}

// Records implements [tui.Session]. Lines that are no events are left out, as by every reader.
func (e *embedded) Records(ctx context.Context) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for line, err := range e.client.Session().History().All(ctx) {
			if err != nil {
				yield(wire.Event{}, err)
				return
			}
			event, err := wire.ParseEvent(line)
			if err == nil && !yield(event, nil) {
				return
			}
		}
	}
}

// Calls implements [tui.Session].
func (e *embedded) Calls() <-chan *tui.Call { return e.calls }

// Retries implements [tui.Session].
func (e *embedded) Retries() <-chan tui.Retry { return e.retries }

// inWords is an error that says whether the session was closed or deleted, if it is no longer open.
func (e *embedded) inWords(err error) error {
	if err == nil {
		return nil
	}
	return e.runtime.InWords(e.ID(), err)
}

// Send implements [tui.Session].
func (e *embedded) Send(ctx context.Context, m wire.Send) error {
	_, err := e.client.Session().Send(context.WithoutCancel(ctx), m) // a message that was sent is not lost because the user leaves
	return e.inWords(err)
}

// Interrupt implements [tui.Session].
func (e *embedded) Interrupt(ctx context.Context) error {
	interrupted, err := e.client.Session().Queue().InterruptRun(ctx, session.HoldQueue)
	if err != nil || interrupted {
		return err
	}
	return e.client.Session().Abort(ctx, "user_initiated") // of a message that hooks still see
}

// Queue implements [tui.Session].
func (e *embedded) Queue(ctx context.Context) (out tui.Queue, err error) {
	waiting, err := e.client.Session().Queue().Pending(ctx)
	return queueOf(waiting), err
}

// Unqueue implements [tui.Session].
func (e *embedded) Unqueue(ctx context.Context, id string) (removed bool, err error) {
	return e.client.Session().Queue().Remove(ctx, id)
}

// HandOver implements [tui.Session].
func (e *embedded) HandOver(ctx context.Context) error {
	q := e.client.Session().Queue()
	waiting, err := q.Pending(ctx)
	if err != nil {
		return err
	}
	if waiting.Held || waiting.Interrupted {
		return q.Pause(ctx, false)
	}
	for _, i := range waiting.Items {
		if i.Kind == "command" {
			return nil // it runs after the run, and what follows it waits for it
		}
		if steered, err := q.SendNow(ctx, i.ID); err != nil || !steered {
			return err
		}
	}
	return nil
}

// SendNow implements [tui.Session].
func (e *embedded) SendNow(ctx context.Context, id string) error {
	_, err := e.client.Session().Queue().SendNow(ctx, id)
	return e.inWords(err)
}

// MoveTo implements [tui.Session].
func (e *embedded) MoveTo(ctx context.Context, id string, position int) error {
	_, err := e.client.Session().Queue().Move(ctx, id, int64(position))
	return e.inWords(err)
}

// Shell implements [tui.Session].
func (e *embedded) Shell(ctx context.Context, command string) error {
	_, err := e.client.Session().Shell().Execute(ctx, wire.NewID(), command)
	return e.inWords(err)
}

// Permission implements [tui.Session].
func (e *embedded) Permission(ctx context.Context, r timeline.Request, cwd string) (*question.Question, error) {
	o, err := e.client.Session().Permissions().Offer(ctx, r.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint // the request was answered meanwhile
	}
	if err != nil {
		return nil, err
	}
	return e.answers.question(r, cwd, operate.AgentHost(ctx, e.client.Session()), o), nil
}

// AnswerPermission implements [tui.Session].
func (e *embedded) AnswerPermission(ctx context.Context, id string, a permit.Answer) (note string, ends bool, err error) {
	return e.answers.answer(context.WithoutCancel(ctx), id, a, e.client.Session().Permissions().Answer)
}

// AnswerForm implements [tui.Session].
func (e *embedded) AnswerForm(ctx context.Context, id string, a wire.ElicitationAnswer) error {
	_, err := e.client.Session().Questions().AnswerElicitation(context.WithoutCancel(ctx), id, a)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}

// Todos implements [tui.Session].
func (e *embedded) Todos(ctx context.Context) ([]cell.Todo, error) {
	found, err := e.client.Session().Workspace().Todos(ctx)
	return todosOf(found.Rows), err
}

// Leave implements [tui.Session].
func (e *embedded) Leave(ctx context.Context) error {
	e.client.Tail().Close() // a log is closed when its last reader has left
	return e.client.Detach(ctx)
}
