package front

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// attached is a session of a server, as the terminal interface uses it. Its first rows were read
// when it was opened, so that entering it does not wait for the server.
type attached struct {
	*remote.Session
	server  string // its address
	calls   chan *tui.Call
	retries chan tui.Retry
	again   *answering
	left    *sync.WaitGroup // leaving is under way
}

var _ tui.Session = (*attached)(nil)

func (g *guest) attach(s *remote.Session) *attached {
	return &attached{Session: s, server: g.address, calls: make(chan *tui.Call), retries: make(chan tui.Retry), again: newAnswering(), left: &g.leaving}
}

// Leave implements [tui.Session]. It does not wait for the server.
func (a *attached) Leave(ctx context.Context) error {
	ctx = kept(ctx)
	a.left.Go(func() { _ = a.Session.Leave(ctx) }) // the server notices the end of the connection, too
	return nil
}

// Describe implements [tui.Session].
func (a *attached) Describe(ctx context.Context) (tui.Description, error) {
	d := a.Description()
	free, err := a.AllowsAll(ctx)
	return tui.Description{
		Model: d.Model, Mode: d.Mode, Folder: cli.Tilde(d.Folder), Branch: d.Branch, New: d.New, Working: d.Working, AllowAll: free,
		Server: a.server,
	}, err
}

// Events implements [tui.Session].
func (a *attached) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		var passing sync.WaitGroup
		defer passing.Wait()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		passing.Go(func() { a.passOn(ctx) })
		a.Session.Events(ctx)(yield)
	}
}

// passOn passes questions and retries on to the interface, until ctx ends.
func (a *attached) passOn(ctx context.Context) {
	for {
		select {
		case c := <-a.Session.Calls():
			select {
			case a.calls <- (*tui.Call)(c):
			case <-c.Ctx.Done():
			case <-ctx.Done():
				return
			}
		case r := <-a.Session.Retries():
			select {
			case a.retries <- tui.Retry{Next: r.Next, Of: r.Of, Wait: time.Duration(r.WaitMs) * time.Millisecond, Why: timeline.OneLine(r.Reason, 200)}:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// Calls implements [tui.Session].
func (a *attached) Calls() <-chan *tui.Call { return a.calls }

// Retries implements [tui.Session].
func (a *attached) Retries() <-chan tui.Retry { return a.retries }

// Send implements [tui.Session].
func (a *attached) Send(ctx context.Context, m wire.Send) error {
	return a.Session.Send(kept(ctx), m) // a message that was sent is not lost because the user leaves
}

// Queue implements [tui.Session].
func (a *attached) Queue(ctx context.Context) (out tui.Queue, err error) {
	waiting, err := a.Session.Queue(ctx)
	return queueOf(waiting), err
}

// MoveTo implements [tui.Session].
func (a *attached) MoveTo(ctx context.Context, id string, position int) error {
	return a.Move(ctx, id, position)
}

// Permission implements [tui.Session].
func (a *attached) Permission(ctx context.Context, r timeline.Request, cwd string) (*question.Question, error) {
	o, err := a.Offer(ctx, r.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint // the session was closed; its last events say so
	}
	if err != nil {
		return nil, err
	}
	return a.again.question(r, cwd, "", o), nil
}

// AnswerPermission implements [tui.Session].
func (a *attached) AnswerPermission(ctx context.Context, id string, p permit.Answer) (note string, ends bool, err error) {
	return a.again.answer(kept(ctx), id, p, a.Permit)
}

// AnswerForm implements [tui.Session].
func (a *attached) AnswerForm(ctx context.Context, id string, answer wire.ElicitationAnswer) error {
	_, err := a.Session.AnswerForm(kept(ctx), id, answer)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}

// ShellFolder implements [tui.Session]. Servers do not say where the shell is.
func (a *attached) ShellFolder(context.Context) (string, error) { return "", nil }

// Context implements [tui.Session].
func (a *attached) Context(ctx context.Context) (cell.Context, error) {
	w, err := a.Window(ctx)
	return contextOf(w), err
}

// Todos implements [tui.Session].
func (a *attached) Todos(ctx context.Context) ([]cell.Todo, error) {
	found, err := a.Session.Todos(ctx)
	return todosOf(found.Rows), err
}

// kept is ctx for something that is done although the user leaves.
func kept(ctx context.Context) context.Context {
	return context.WithoutCancel(ctx) // calls have bounds of their own
}
