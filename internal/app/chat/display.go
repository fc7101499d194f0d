package chat

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// runDisplay is what the terminal does with a run: it prints its events, and asks the user
// what they ask.
type runDisplay struct {
	*conversation
	ctx context.Context
}

var _ follow.Display = (*runDisplay)(nil)

// Text implements [follow.Display].
func (f *runDisplay) Text(piece string, begins bool) error { return f.show.Text(piece, begins) }

// Event implements [follow.Display]. A question is answered before it returns.
func (f *runDisplay) Event(e follow.Event) (enough bool, err error) {
	t := f.conversation
	if t.Begun() {
		t.learn(e)
		t.compacted = false
	}
	if t.compacted && e.Row.Kind == timeline.Compaction {
		return false, nil
	}
	if err := t.show.Event(e); err != nil {
		return true, err
	}
	q, ok := timeline.ReadRequest(e.Event)
	switch {
	case ok && !q.ResolvedBy && t.ask != nil && !t.stopping:
		return false, t.permission(f.ctx, q, e.Cwd)
	case ok:
		t.remember(q)
	case timeline.Unanswerable(e.Event) && t.unasked != nil && t.hinting == nil:
		q := t.asked[e.Get("requestId").Text()]
		t.hinting = &q
	case t.hinting != nil && (e.Type == "tool.execution_complete" || e.Type == "assistant.turn_end" || e.Type == "session.idle"):
		return false, t.suggest(f.ctx)
	}
	return false, nil
}

// suggest reports the request that no user could answer, once, after the result that it
// explains.
func (t *conversation) suggest(ctx context.Context) error {
	q := *t.hinting
	t.hinting = nil
	r, err := t.client.Session().Permissions().Rules(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	t.unasked(q, r)
	t.unasked = nil
	return nil
}

// printDisplay prints events and asks nothing. It is for events between two runs.
type printDisplay struct{ show.Printer }

var _ follow.Display = printDisplay{}

// Event implements [follow.Display].
func (f printDisplay) Event(e follow.Event) (enough bool, err error) {
	return false, f.Printer.Event(e)
}
