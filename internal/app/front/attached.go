package front

import (
	"context"
	"fmt"
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
	*guest
	relay relay
	again *answering
}

var _ tui.Session = (*attached)(nil)

func (g *guest) attach(s *remote.Session) *attached {
	return &attached{Session: s, guest: g, relay: newRelay(), again: newAnswering()}
}

// settingsOf implements [subject].
func (g *attached) settingsOf() string {
	return "These are the settings of this machine; models, permissions and the sandbox are those of the server " + g.address + ". A change counts from the next start of sidestick on."
}

// Leave implements [tui.Session]. It does not wait for the server.
func (g *attached) Leave(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)                  // it has a bound of its own
	g.leaving.Go(func() { _ = g.Session.Leave(ctx) }) // the server notices the end of the connection, too
	return nil
}

// Describe implements [tui.Session].
func (g *attached) Describe(ctx context.Context) (tui.Description, error) {
	d := g.Description()
	free, err := g.AllowsAll(ctx)
	return tui.Description{
		Model: d.Model, Mode: d.Mode, Folder: cli.Tilde(d.Folder), Branch: d.Branch, New: d.New, Working: d.Working, AllowAll: free,
		Server: g.address,
	}, err
}

// Events implements [tui.Session].
func (g *attached) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		var passing sync.WaitGroup
		defer passing.Wait()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		passing.Go(func() {
			passOn(ctx, g.relay, g.Session.Calls(), func(c *remote.Call) *tui.Call { return (*tui.Call)(c) }, g.Session.Retries(), func(r wire.ModelRetry) tui.Retry {
				return tui.Retry{Next: r.Next, Wait: time.Duration(r.WaitMs) * time.Millisecond, Left: time.Duration(r.LeftMs) * time.Millisecond, Why: timeline.OneLine(r.Reason, 200)}
			})
		})
		g.again.watch(g.Session.Events(ctx))(yield)
	}
}

// Explain implements [tui.Session]. The advice for failures is about this machine, not about the server.
func (g *attached) Explain(_ context.Context, f follow.Failure) string {
	return timeline.Harmless(f.Message)
}

// words is [tui.Options.Words] for an error of this session.
func (g *attached) words(err error) string { return g.guest.words(g, err) }

// Calls implements [tui.Session].
func (g *attached) Calls() <-chan *tui.Call { return g.relay.calls }

// Retries implements [tui.Session].
func (g *attached) Retries() <-chan tui.Retry { return g.relay.retries }

// Send implements [tui.Session].
func (g *attached) Send(ctx context.Context, m wire.Send) error {
	err := g.Session.Send(ctx, m)
	if remote.Unanswered(err) {
		return fmt.Errorf("%w: %w", tui.ErrUncertain, err)
	}
	return err
}

// Queue implements [tui.Session].
func (g *attached) Queue(ctx context.Context) (out tui.Queue, err error) {
	waiting, err := g.Session.Queue(ctx)
	return queueOf(waiting), err
}

// MoveTo implements [tui.Session].
func (g *attached) MoveTo(ctx context.Context, id string, position int) error {
	return g.Move(ctx, id, position)
}

// Permission implements [tui.Session].
func (g *attached) Permission(ctx context.Context, r timeline.Request, cwd string) (*question.Question, error) {
	o, err := g.Offer(ctx, r.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint // the session was closed; its last events say so
	}
	if err != nil {
		return nil, err
	}
	return g.again.question(r, cwd, "", o), nil
}

// AnswerPermission implements [tui.Session].
func (g *attached) AnswerPermission(ctx context.Context, id string, p permit.Answer) (note string, ends bool, err error) {
	return g.again.answer(ctx, id, p, g.Permit)
}

// AnswerForm implements [tui.Session].
func (g *attached) AnswerForm(ctx context.Context, id string, answer wire.ElicitationAnswer) error {
	_, err := g.Session.AnswerForm(ctx, id, answer)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}

// ShellFolder implements [tui.Session]. Servers do not say where the shell is.
func (g *attached) ShellFolder(context.Context) (string, error) { return "", nil }

// Context implements [tui.Session].
func (g *attached) Context(ctx context.Context) (cell.Context, error) {
	w, err := g.Window(ctx)
	return contextOf(w), err
}

// Todos implements [tui.Session].
func (g *attached) Todos(ctx context.Context) ([]cell.Todo, error) {
	found, err := g.Session.Todos(ctx)
	return todosOf(found.Rows), err
}
