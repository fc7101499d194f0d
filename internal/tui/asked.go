package tui

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ask shows a question; then takes its answer.
func (p *program) ask(q *question.Question, then answer) {
	p.questions.add(q, then)
	p.stale = true
	if p.questions.WantsAttention() {
		p.attention("a question waits: " + q.Short())
	}
}

// answer passes an answer on. One that stops the run, or that is a message, leaves the question
// to the session, which withdraws it.
func (p *program) answer(q *question.Question, a question.Answer) {
	if then := p.questions.taker(q); then != nil {
		then(a)
	}
	switch {
	case a.Stop:
		p.stopRun()
	case a.Instead != "":
		p.send(wire.Send{Prompt: a.Instead, AgentMode: p.mode}, nil)
	}
}

// requested asks for a permission.
func (p *program) requested(r timeline.Request, cwd string) {
	r.Printed = p.questions.printed[r.ToolCallID]
	s, place := p.joined.Session, p.questions.arrives(r.ID)
	p.beside(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(ctx, orderTime)
		defer cancel()
		var q *question.Question
		err := fault.Guard("tui.permission", func() (err error) { q, err = s.Permission(ctx, r, cwd); return err })
		return func() {
			p.questions.made(place, func() {
				switch {
				case p.joined.Session != s:
				case err != nil:
					p.fail(err)
				case q != nil && p.questions.Find(q.ID) == nil:
					p.ask(q, func(a question.Answer) { p.permit(s, q.ID, a) })
				}
			})
		}
	})
}

// permit answers a permission request.
func (p *program) permit(s Session, id string, a question.Answer) {
	if a.Stop || a.Instead != "" {
		return
	}
	var note string
	var ends bool
	p.tell(func(ctx context.Context) (err error) {
		note, ends, err = s.AnswerPermission(ctx, id, a.Permit)
		return err
	}, func(err error) {
		p.fail(err)
		if ends && err == nil {
			p.questions.correction = a.Permit.Feedback
			p.correct()
		}
		if note != "" {
			p.note(note)
		}
	})
}

// correct sends what the user wrote with a denial, once the run has ended.
func (p *program) correct() {
	if p.questions.correction != "" && !p.working {
		p.send(wire.Send{Prompt: p.questions.correction, AgentMode: p.mode}, nil)
		p.questions.correction = ""
	}
}

// elicited asks what an elicitation asks.
func (p *program) elicited(e follow.Event) {
	if e.Type != "elicitation.requested" {
		return
	}
	s, id := p.joined.Session, e.Get("requestId").Text()
	q, err := question.OfElicitation(question.Elicitation{
		ID: id, Source: e.Get("elicitationSource").Text(), Message: e.Get("message").Text(), Schema: json.RawMessage(e.Get("requestedSchema")), URL: e.Get("url").Text(),
	})
	if err != nil {
		p.fail(err)
		a := question.Declined()
		p.tell(func(ctx context.Context) error { return s.AnswerForm(ctx, id, a.Form) }, nil)
		return
	}
	p.questions.made(p.questions.arrives(id), func() {
		p.ask(q, func(a question.Answer) {
			if !a.Stop && a.Instead == "" {
				p.tell(func(ctx context.Context) error { return s.AnswerForm(ctx, id, a.Form) }, nil)
			}
		})
	})
}

// settled withdraws a question that another client has answered, or that has ended with its run.
func (p *program) settled(e follow.Event) {
	if e.Type != "permission.completed" && e.Type != "elicitation.completed" {
		return
	}
	if q := p.questions.settle(e.Get("requestId").Text()); q != nil {
		p.withdraw(q)
	}
}

// withdraw removes a question that needs no answer any more, and says so.
func (p *program) withdraw(q *question.Question) {
	p.questions.taker(q)
	if note, ok := p.questions.Withdraw(q, time.Now()); ok && note != "" {
		p.note(note)
	}
}

// errWithdrawn is the reply to a call whose run the user has stopped.
var errWithdrawn = errors.New("the user has stopped the run instead of answering")

// call asks what the session asks by a call.
func (p *program) call(c *Call) {
	q, err := question.Of(c.Method, c.Params)
	if err == nil && q == nil {
		err = errors.New("a terminal does not answer " + c.Method)
	}
	if err != nil {
		c.Reply(nil, err)
		return
	}
	p.questions.made(p.questions.arrives(""), func() {
		if c.Ctx.Err() != nil {
			return
		}
		p.ask(q, func(a question.Answer) {
			if a.Stop || a.Instead != "" {
				c.Reply(nil, errWithdrawn)
				return
			}
			c.Reply(a.Reply, nil)
		})
	})
	p.beside(func(ctx context.Context) func() { // until the call ends, answered or not
		select {
		case <-c.Ctx.Done():
		case <-ctx.Done():
		}
		return func() {
			if p.questions.takers[q] != nil {
				p.withdraw(q)
			}
		}
	})
}
