package web

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answer is the [extension.Agent] that the sessions are.
func (d *Door) answer(ctx context.Context, r *extension.Request, w *extension.Writer) error {
	id := sessionOf(r)
	err := d.inTurn(func() error {
		if decision := r.Decision(); decision != nil {
			return d.decide(ctx, id, *decision, w)
		}
		return d.prompt(ctx, id, r, w)
	})
	if err == nil || ctx.Err() != nil && !errors.Is(err, errShutdown) {
		return nil // nobody is there to be told
	}
	d.logFailure(err, id)
	return w.Errors(faultOf(err, cmp.Or(id, "request")))
}

// prompt sends a session what the person wrote and tells what comes of it.
func (d *Door) prompt(ctx context.Context, id string, r *extension.Request, w *extension.Writer) error {
	resume := id == "" // only its tickets find a session again whose request names no thread
	if resume {
		id = sessionPrefix + wire.NewSessionID()
	}
	text := r.Prompt()
	if strings.TrimSpace(text) == "" && len(attachments(references(r, false))) == 0 {
		return errEmpty // before it decides anything
	}
	s, err := d.take(ctx, id)
	if err != nil {
		return err
	}
	defer d.park(s)
	if err := d.enter(ctx, s, true); err != nil {
		return err
	}
	t := &telling{out: w.Text}
	answered, err := s.answerOpen(ctx, r, text)
	if err != nil {
		return err
	}
	if !answered {
		if s.working {
			return refused("busy", "The run before is still under way. Wait for it, and ask again.")
		}
		if t.message, err = s.send(ctx, r, text); err != nil {
			return err
		}
	}
	return d.tell(ctx, s, t, resume, w)
}

// send gives the session the person's message and returns its id.
func (s *seat) send(ctx context.Context, r *extension.Request, text string) (id string, err error) {
	attached := attachments(references(r, s.fresh))
	if s.fresh {
		if before := earlier(conversation(r)); before != nil {
			attached = append([]any{before}, attached...)
		}
	}
	s.fresh = false
	id, err = s.client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: text, Attachments: encode(attached)})
	s.working = err == nil
	return id, err
}

// conversation is what was said before the last message.
func conversation(r *extension.Request) (list []said) {
	before := *r
	before.Messages = before.Messages[:max(len(before.Messages)-1, 0)]
	for _, m := range before.Conversation() {
		list = append(list, said{m.Role, m.Content})
	}
	return list
}

// decide applies a person's decision, once, and tells what comes of it.
func (d *Door) decide(ctx context.Context, id string, decision extension.Decision, w *extension.Writer) error {
	ticket, err := d.unseal(decision.Data)
	if err != nil {
		return err
	}
	if ticket.Resume != (id == "") || !ticket.Resume && ticket.Session != id {
		return refused("confirmation_foreign", "This confirmation belongs to another conversation, so nothing was done.")
	}
	s, err := d.take(ctx, ticket.Session)
	if err != nil {
		return err
	}
	defer d.park(s)
	if err := d.settle(ctx, s, ticket, decision.Accepted); err != nil {
		return err
	}
	t := &telling{out: w.Text}
	err = d.tell(ctx, s, t, ticket.Resume, w)
	if err == nil && t.idle && !t.any && !decision.Accepted && t.fault(s.id) == nil {
		return w.Text("All right, I did not do that.\n")
	}
	return err
}

// settle gives the question of a ticket its answer. If it is not open any more, the
// session is not even opened.
func (d *Door) settle(ctx context.Context, s *seat, t ticket, accepted bool) error {
	if s.client == nil {
		open, err := d.openIn(ctx, s.id)
		if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && !open.has(t) {
			return errSettled
		}
		if err != nil {
			return err
		}
	}
	if err := d.enter(ctx, s, false); err != nil {
		return err
	}
	if !s.has(t) {
		return errSettled
	}
	ok, err := s.decide(ctx, t, accepted)
	if err == nil && !ok {
		return errSettled // another client was faster
	}
	return err
}

// decide answers the question of a ticket. It reports whether that answer counts.
func (s *seat) decide(ctx context.Context, t ticket, accepted bool) (ok bool, err error) {
	kept := context.WithoutCancel(ctx) // a decision counts, whether or not its answer is waited for
	if t.Kind == aboutPermission {
		a := permit.Answer{Outcome: permit.Rejected}
		if accepted {
			a.Outcome = permit.Approved
		}
		return s.client.Session().AnswerPermission(kept, t.ID, a)
	}
	q, err := s.await(ctx, t.ID)
	if err != nil {
		return false, err
	}
	return s.client.Session().AnswerUserInput(kept, q.id, q.decided(accepted))
}

// tell tells what comes of what was said, up to the end of the run or the next
// question, one in words as text. Of a confirmation, errors and references one alone is sent, in this order
// of rank: there are clients that stop at a second. References wait for the run's end.
func (d *Door) tell(ctx context.Context, s *seat, t *telling, resume bool, w *extension.Writer) error {
	q, asked, err := t.follow(ctx, s)
	for err == nil && asked && resume && !q.confirmable() { // an answer in words would not find the way back
		if _, err = s.client.Session().AnswerUserInput(ctx, q.id, cannotBeAsked); err == nil {
			q, asked, err = t.follow(ctx, s)
		}
	}
	switch {
	case err != nil:
		d.abort(ctx, s)
		return err
	case asked && !q.confirmable():
		return t.say(q.id, q.text())
	case asked:
		sealed := q.ticket(s.id)
		sealed.Resume = resume
		return w.Confirm(q.confirmation(d.seal(sealed)))
	}
	if f := t.fault(s.id); f != nil {
		return w.Errors(*f)
	}
	return s.sources.tell(w)
}

// cannotBeAsked is the answer to a question in words whose person could not give one.
var cannotBeAsked = wire.UserInputAnswer{
	Answer: "(The user cannot answer in words here. Decide yourself what fits best, and say in your answer what you assumed.)", WasFreeform: true,
}

// abortWait bounds how long an aborted run is waited for: the session has to cancel a
// request, to end what tools have started, which it gives 5 s, and to write two events.
const abortWait = 10 * time.Second

// abort stops the run of a person who has gone. A question stays open: who has it
// before them may come back. A shutdown ends runs by itself.
func (d *Door) abort(ctx context.Context, s *seat) {
	if errors.Is(context.Cause(ctx), errShutdown) || s.gone() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWait)
	defer cancel()
	if err := s.catchUp(ctx); err != nil || s.waits() || !s.working {
		return
	}
	err := s.client.Session().Abort(ctx, "user_initiated")
	if err == nil {
		err = s.rest(ctx)
	}
	if err != nil {
		d.opts.Logger.Warn("a run was not stopped cleanly", "session", s.id, "err", err)
	}
}
