package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxHeld bounds the events that are held back while a question is open. Further ones stay
// in the log's tail.
const maxHeld = 10_000

// meanwhile runs ask on a goroutine, and waits for it while it holds back events. It
// withdraws the question if the run ends, or if an event makes it moot. The error is a
// panic of ask.
func (t *conversation) meanwhile(ctx context.Context, moot func(follow.Event) bool, ask func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- fault.Guard("chat.ask", func() error { ask(ctx); return nil })
	}()
	for {
		records := t.records
		if len(t.held) >= maxHeld {
			records = nil
		}
		select {
		case err := <-done:
			return err
		case <-t.interrupts:
			t.abort()
		case h, ok := <-records:
			if !ok { // the session was closed; events reports it
				cancel()
				return <-done
			}
			t.held = append(t.held, h)
			if h.err != nil || h.Type == "session.idle" || moot(h.Event) {
				cancel()
			}
		}
	}
}

// permission asks the user whether a tool may act, and sends the answer to the session.
// An error is that of the session; a terminal that was closed aborts the run.
func (t *conversation) permission(ctx context.Context, q timeline.Request, cwd string) error {
	if err := t.show.Finish(); err != nil {
		return err
	}
	o, err := t.client.Session().Permissions().Offer(context.WithoutCancel(ctx), q.ID)
	if err != nil {
		return err
	}
	if o.Again {
		q.Printed = t.printed[q.ToolCallID]
		delete(t.printed, q.ToolCallID)
	}
	var a permit.Answer
	moot := func(e follow.Event) bool {
		return e.Type == "permission.completed" && e.Get("requestId").Text() == q.ID
	}
	title, message, confirms := q.Confirmation()
	panicked := t.meanwhile(ctx, moot, func(ctx context.Context) {
		if confirms {
			a, err = t.ask.Confirm(ctx, t.host(), title, message)
			return
		}
		a, err = t.ask.Permission(ctx, q, cwd, o)
	})
	if panicked != nil { // the question stays open
		return panicked
	}
	var instead ask.TypedMessageError
	if errors.As(err, &instead) {
		return t.sayInstead(ctx, instead.Text)
	}
	if t.unanswered(ctx, err) {
		return nil
	}
	ok, err := t.answer(context.WithoutCancel(ctx), q.ID, a)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	if ok && a.Outcome == permit.Rejected && !confirms && !o.Again { // after a second run that was denied, the run continues
		t.denied, t.correction = true, a.Feedback
	}
	return err
}

// form has the user answer an elicitation. Without a terminal to ask at, the session has
// declined it, unless another client answers.
func (t *conversation) form(ctx context.Context, e follow.Event) error {
	q := question.ReadElicitation(e.Event)
	if t.ask == nil {
		return t.show.Note(asksInVain(q))
	}
	if err := t.show.Finish(); err != nil {
		return err
	}
	var a wire.ElicitationAnswer
	var err error
	moot := func(e follow.Event) bool {
		return e.Type == "elicitation.completed" && e.Get("requestId").Text() == q.ID
	}
	if panicked := t.meanwhile(ctx, moot, func(ctx context.Context) { a, err = t.ask.Form(ctx, q) }); panicked != nil {
		return panicked
	}
	if t.unanswered(ctx, err) {
		return nil
	}
	_, err = t.client.Session().Questions().AnswerElicitation(context.WithoutCancel(ctx), q.ID, a)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}

// asksInVain says that there is no user to ask.
func asksInVain(q question.Elicitation) string {
	from := "a question"
	if q.Source != "" {
		from = "a question of the MCP server " + q.Source
	}
	return from + " was declined, because there is no terminal to ask you at: " + timeline.OneLine(q.Message, 2*terminal.Columns)
}

// answer sends an answer to the session, and prints whether an approval for a location was
// saved. One that cannot be saved holds for the session, which is a part of what the user
// approved.
func (t *conversation) answer(ctx context.Context, id string, a permit.Answer) (ok bool, err error) {
	permissions := t.client.Session().Permissions()
	ok, err = permissions.Answer(ctx, id, a)
	if a.Scope != permit.ForLocation {
		return ok, err
	}
	if err == nil {
		if ok {
			t.ask.Saved(a.Location)
		}
		return ok, nil
	}
	a.Scope, a.Location = permit.ForSession, ""
	ok, again := permissions.Answer(ctx, id, a)
	if again != nil {
		return false, again // the answer itself cannot be recorded
	}
	t.ask.NotSaved(err)
	return ok, nil
}

// hangUpWait bounds the wait for the SIGHUP of a terminal that was closed: the end of the input may be
// noticed first.
const hangUpWait = 100 * time.Millisecond

// unanswered reports whether a question has no answer. It aborts the run if the user has
// asked for that or has left, and otherwise prints that the question was withdrawn. If the process is to
// end, the question stays open.
func (t *conversation) unanswered(ctx context.Context, err error) bool {
	if errors.Is(err, io.EOF) { // of a terminal that was closed, or of Ctrl-D
		select {
		case <-ctx.Done():
		case <-time.After(hangUpWait):
		}
	}
	switch {
	case err == nil:
		return false
	case t.leaves(ctx):
	case errors.Is(err, terminal.ErrInterrupted), errors.Is(err, io.EOF), errors.Is(err, cli.ErrAborted):
		t.abort()
	default: // withdrawn
		t.ask.Withdrawn()
	}
	return true
}

// serve answers a call of the session.
func (t *conversation) serve(ctx context.Context, c *entry.Call) {
	answer := ask.Answers(c.Method)
	if err := t.ready(c, answer != nil); err != nil {
		c.Reply(nil, err)
		return
	}
	var value any
	var err error
	panicked := t.meanwhile(ctx, never, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.Ctx, cancel)()
		value, err = answer(t.ask, ctx, c.Params)
	})
	err = cmp.Or(panicked, err)
	if !t.unanswered(ctx, err) || !t.leaves(ctx) {
		c.Reply(value, err)
	}
}

// ready returns why a call cannot be put to the user, nil if it can. known says that a
// terminal answers the method.
func (t *conversation) ready(c *entry.Call, known bool) error {
	switch {
	case !known:
		return fault.New(fault.Invalid, "terminal", c.Method, "a terminal does not answer this")
	case t.ask == nil:
		return fault.New(fault.Unavailable, "terminal", c.Method, "there is no terminal to ask the user at")
	case c.Ctx.Err() != nil:
		return c.Ctx.Err()
	}
	if err := t.show.Finish(); err != nil {
		return fault.New(fault.Unavailable, "terminal", c.Method, "the question could not be shown: %w", err)
	}
	return nil
}

func never(follow.Event) bool { return false }

// sayInstead sends a message instead of an answer. The session withdraws the question and
// continues with the message.
func (t *conversation) sayInstead(ctx context.Context, text string) error {
	_, err := t.client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: text})
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}
