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

// answer implements [extension.Agent]: it answers one request to the agent.
func (d *Door) answer(ctx context.Context, r *extension.Request, w *extension.Writer) error {
	hold(ctx)
	id := sessionOf(r)
	err := d.inTurn(ctx, func() error {
		if decision := r.Decision(); decision != nil {
			return d.decide(ctx, id, *decision, w)
		}
		return d.prompt(ctx, id, r, w)
	})
	if err == nil || ctx.Err() != nil && !errors.Is(err, errShutdown) {
		return err // the client has left, or the handler has sent why it stopped the answer
	}
	d.logFailure(err, id)
	return w.Errors(faultOf(err, cmp.Or(id, "request")))
}

// prompt sends the user's message to the session and writes what follows.
func (d *Door) prompt(ctx context.Context, id string, r *extension.Request, w *extension.Writer) error {
	resume := id == "" // without a thread only a ticket leads back to the session
	if resume {
		id = sessionPrefix + wire.NewSessionID()
	}
	text := r.Prompt()
	if strings.TrimSpace(text) == "" && len(attachments(references(r, false))) == 0 {
		return errEmpty // before the message denies an open permission
	}
	s, err := d.acquire(ctx, id)
	if err != nil {
		return err
	}
	defer d.release(s)
	if err := d.enter(ctx, s, true); err != nil {
		return err
	}
	t := &reply{out: w.Text}
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
	return d.writeReply(ctx, s, t, resume, w)
}

// send sends the user's message to the session and returns the message's id.
func (s *openSession) send(ctx context.Context, r *extension.Request, text string) (id string, err error) {
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

// conversation returns the messages before the last one.
func conversation(r *extension.Request) (list []earlierMessage) {
	before := *r
	before.Messages = before.Messages[:max(len(before.Messages)-1, 0)]
	for _, m := range before.Conversation() {
		list = append(list, earlierMessage{m.Role, m.Content})
	}
	return list
}

// decide applies the user's decision on a confirmation, once, and writes what follows.
func (d *Door) decide(ctx context.Context, id string, decision extension.Decision, w *extension.Writer) error {
	ticket, err := d.verify(decision.Data)
	if err != nil {
		return err
	}
	if ticket.Resume != (id == "") || !ticket.Resume && ticket.Session != id {
		return refused("confirmation_foreign", "This confirmation belongs to another conversation, so nothing was done.")
	}
	s, err := d.acquire(ctx, ticket.Session)
	if err != nil {
		return err
	}
	defer d.release(s)
	if err := d.settle(ctx, s, ticket, decision.Accepted); err != nil {
		return err
	}
	t := &reply{out: w.Text}
	err = d.writeReply(ctx, s, t, ticket.Resume, w)
	if err == nil && t.run.Idle && !t.any && !decision.Accepted && t.fault(s.id) == nil && t.warned == nil {
		return w.Text("All right, I did not do that.\n")
	}
	return err
}

// settle answers the question of a ticket. If the question is no longer open, the
// session is not even opened.
func (d *Door) settle(ctx context.Context, s *openSession, t ticket, accepted bool) error {
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
		return errSettled // another client's answer came first
	}
	return err
}

// decide answers the question of a ticket and reports whether that answer counts.
func (s *openSession) decide(ctx context.Context, t ticket, accepted bool) (ok bool, err error) {
	kept := context.WithoutCancel(ctx) // a decision counts even if the client leaves
	if t.Kind == aboutPermission {
		a := permit.Answer{Outcome: permit.Rejected}
		if accepted {
			a.Outcome = permit.Approved
		}
		return s.client.Session().Permissions().Answer(kept, t.ID, a)
	}
	q, err := s.await(ctx, t.ID)
	if err != nil {
		return false, err
	}
	return s.client.Session().Questions().AnswerUserInput(kept, q.id, q.decided(accepted))
}

// writeReply writes the answer up to the end of the run or the next question. An answer has
// at most one confirmation, list of errors or list of references, in this order of
// rank, because some clients stop at a second one. A question in words is written as
// text. References wait for the end of the run.
func (d *Door) writeReply(ctx context.Context, s *openSession, t *reply, resume bool, w *extension.Writer) error {
	q, asked, err := t.follow(ctx, s)
	for err == nil && asked && resume && !q.confirmable() { // an answer in words could not find the session
		if _, err = s.client.Session().Questions().AnswerUserInput(ctx, q.id, cannotBeAsked); err == nil {
			q, asked, err = t.follow(ctx, s)
		}
	}
	switch {
	case err != nil:
		d.abort(ctx, s)
		return err
	case asked && !q.confirmable():
		return t.Text(q.text(), true)
	case asked:
		sealed := q.ticket(s.id)
		sealed.Resume = resume
		if err := w.Errors(t.warned...); err != nil {
			return err
		}
		return w.Confirm(q.confirmation(d.sign(sealed)))
	}
	if f := t.fault(s.id); f != nil {
		return w.Errors(append(t.warned, *f)...)
	}
	if err := w.Errors(t.warned...); err != nil {
		return err
	}
	return s.sources.write(w)
}

// cannotBeAsked answers a question in words if the request named no thread, because the
// user's answer could not find the session.
var cannotBeAsked = wire.UserInputAnswer{
	Answer: "(The user cannot answer in words here. Decide yourself what fits best, and say in your answer what you assumed.)", WasFreeform: true,
}

// abortWait bounds how long an aborted run is waited for: the session has to cancel a
// request, to end the processes of tools, which may take 5 s, and to write two events.
const abortWait = 10 * time.Second

// abort stops the run of a client that has left, unless a question is open: the user
// may come back and answer it. On shutdown the sessions end their runs themselves.
func (d *Door) abort(ctx context.Context, s *openSession) {
	if errors.Is(context.Cause(ctx), errShutdown) || s.closed() {
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
