package front

import (
	"context"
	"iter"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answering asks for permissions, and answers, in a session of this process or of a server.
type answering struct {
	mu    sync.Mutex
	again map[string]bool // requests for a second run, by id
}

func newAnswering() *answering { return &answering{again: map[string]bool{}} }

// question is the question of a permission request.
func (g *answering) question(r timeline.Request, cwd, host string, o approval.Offer) *question.Question {
	if !o.Again {
		r.Printed = ""
	}
	if o.Again {
		g.mu.Lock()
		g.again[r.ID] = true
		g.mu.Unlock()
	}
	return question.OfRequest(r, cwd, host, o)
}

// forget removes what is known of a request, and returns whether it was for a second run.
func (g *answering) forget(id string) (again bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	again = g.again[id]
	delete(g.again, id)
	return again
}

// watch passes events on, and forgets the requests that are over, whoever has answered them.
func (g *answering) watch(events iter.Seq2[follow.Event, error]) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		for e, err := range events {
			if e.Type == "permission.completed" {
				g.forget(e.Get("requestId").Text())
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// answer answers a permission request, as [tui.Session.AnswerPermission] says. An approval for a
// location that cannot be saved holds for the session, which is a part of what the user approved.
func (g *answering) answer(ctx context.Context, id string, a permit.Answer, send func(context.Context, string, permit.Answer) (bool, error)) (note string, ends bool, err error) {
	again := g.forget(id)
	ok, err := send(ctx, id, a)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return "", false, nil // the session was closed; its last events say so
	case a.Scope != permit.ForLocation || err == nil && !ok:
		return "", ok && a.Outcome == permit.Rejected && !again, err
	case err == nil:
		return "saved for " + timeline.OneLine(a.Location, 200), false, nil
	}
	why := err
	a.Scope, a.Location = permit.ForSession, ""
	if _, err := send(ctx, id, a); err != nil {
		return "", false, err
	}
	return "the approval holds in this session only; it was not saved: " + cli.Message(why), false, nil
}

// relay hands the questions of calls, and retries, over to the interface.
type relay struct {
	calls   chan *tui.Call
	retries chan tui.Retry
}

func newRelay() relay {
	return relay{calls: make(chan *tui.Call), retries: make(chan tui.Retry, entry.MaxRetries)}
}

// passOn passes calls and retries on, until ctx ends. A call waits for the interface. A retry does not, so
// that no question waits behind it: it is dropped if the interface has more to show than it can.
func passOn[C, R any](ctx context.Context, to relay, calls <-chan C, asCall func(C) *tui.Call, retries <-chan R, asRetry func(R) tui.Retry) {
	for {
		select {
		case c := <-calls:
			q := asCall(c)
			select {
			case to.calls <- q:
			case <-q.Ctx.Done():
			case <-ctx.Done():
				return
			}
		case r := <-retries:
			select {
			case to.retries <- asRetry(r):
			default:
			}
		case <-ctx.Done():
			return
		}
	}
}

// queueOf is a queue of the protocol.
func queueOf(waiting wire.QueueListed) (out tui.Queue) {
	for _, i := range waiting.Items {
		out.Items = append(out.Items, tui.Queued{ID: i.ID, Text: i.DisplayText, Command: i.Kind == "command"})
	}
	out.Steering, out.Held, out.Interrupted = waiting.SteeringMessages, waiting.Held, waiting.Interrupted
	return out
}

// todosOf is a list of todos of the protocol.
func todosOf(rows []wire.TodoRow) (list []cell.Todo) {
	for _, r := range rows {
		list = append(list, cell.Todo{Title: wire.OrZero(r.Title), State: wire.OrZero(r.Status)})
	}
	return list
}
