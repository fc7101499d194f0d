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
func (f *runDisplay) Text(piece string, begins bool) error {
	f.reply.Text(piece, begins)
	return f.show.Text(piece, begins)
}

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
	t.reply.Event(e)
	if err := t.show.Event(e); err != nil {
		return true, err
	}
	q, ok := timeline.ReadRequest(e.Event)
	switch {
	case ok && !q.ResolvedBy && t.ask != nil && !t.stopping:
		return false, t.permission(f.ctx, q, e.Cwd)
	case ok:
		t.remember(q)
	case t.refused != nil && refusalOf(e) != nil:
		t.refused(t, e.Row, *refusalOf(e))
	case e.Type == "assistant.turn_start" && t.Begun():
		return false, t.startsWithout(f.ctx)
	case e.Type == "elicitation.requested" && !t.stopping:
		return false, t.form(f.ctx, e)
	case timeline.Unanswerable(e.Event) && t.unasked != nil:
		t.unanswerable(t.asked[e.Get("requestId").Text()])
	case t.hinting != nil && (e.Type == "tool.execution_complete" && e.Row.Call == t.hinting.ToolCallID || e.Type == "assistant.turn_end" || e.Type == "session.idle"):
		return false, t.suggest(f.ctx)
	case e.Type == "session.idle" && len(t.unhinted) > 0:
		return false, t.suggestMore(f.ctx)
	}
	return false, nil
}

// unanswerable remembers a request that no user could answer. The first of a conversation has
// a hint of its own, and the others have one together, at the end of the run.
func (t *conversation) unanswerable(q timeline.Request) {
	t.unmet.deny(q)
	switch {
	case !t.hinted:
		t.hinted, t.hinting = true, &q
	case len(t.unhinted) < maxAsked:
		t.unhinted = append(t.unhinted, q)
	}
}

// suggest reports the first request that no user could answer, after the result that it
// explains.
func (t *conversation) suggest(ctx context.Context) error {
	q := *t.hinting
	t.hinting = nil
	return t.reportUnasked(ctx, q)
}

// suggestMore reports the other requests that no user could answer.
func (t *conversation) suggestMore(ctx context.Context) error {
	more := t.unhinted
	t.unhinted = nil
	return t.reportUnasked(ctx, more...)
}

func (t *conversation) reportUnasked(ctx context.Context, list ...timeline.Request) error {
	ctx = context.WithoutCancel(ctx)
	p := t.client.Session().Permissions()
	r, err := p.Rules(ctx)
	if err != nil {
		return err
	}
	b, err := p.Sandbox(ctx)
	if err != nil {
		return err
	}
	t.unasked(list, r, b)
	return nil
}

// printDisplay prints events and asks nothing. It is for events between two runs.
type printDisplay struct{ show.Printer }

var _ follow.Display = printDisplay{}

// Event implements [follow.Display].
func (f printDisplay) Event(e follow.Event) (enough bool, err error) {
	return false, f.Printer.Event(e)
}
