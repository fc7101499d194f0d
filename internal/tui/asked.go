package tui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answered takes the answer to a question.
type answered func(a question.Answer)

// ask shows a question; then takes its answer.
func (p *program) ask(q *question.Question, then answered) {
	p.asked[q] = then
	p.questions.Add(q)
	p.stale = true
	if p.questions.WantsAttention() {
		p.attention("a question waits: " + q.Short())
	}
}

// answer passes an answer on. One that stops the run, or that is a message, leaves the question
// to the session, which withdraws it.
func (p *program) answer(q *question.Question, a question.Answer) {
	then := p.asked[q]
	delete(p.asked, q)
	if then != nil {
		then(a)
	}
	switch {
	case a.Stop:
		p.interrupt()
	case a.Instead != "":
		p.send(wire.Send{Prompt: a.Instead, AgentMode: p.mode}, nil)
	}
}

// maxPrinted bounds the output of a call that is remembered, in bytes, and maxCalls the calls.
const maxPrinted, maxCalls = 2 << 10, 100

// remember keeps the end of the output of calls, which a question about a second run shows.
func (p *program) remember(e follow.Event) {
	switch e.Type {
	case "tool.execution_partial_result":
		text := p.printed[e.Row.Call] + e.Row.Body
		if len(p.printed) < maxCalls {
			p.printed[e.Row.Call] = strings.ToValidUTF8(text[max(len(text)-maxPrinted, 0):], "")
		}
	case "tool.execution_complete":
		delete(p.printed, e.Row.Call)
	}
}

// requested asks for a permission.
func (p *program) requested(r timeline.Request, cwd string) {
	r.Printed = p.printed[r.ToolCallID]
	s := p.joined.Session
	p.beside(func(ctx context.Context) func() {
		q, err := s.Permission(ctx, r, cwd)
		return func() {
			switch {
			case p.joined.Session != s:
			case err != nil:
				p.fail(err)
			case q != nil && p.questions.Find(q.ID) == nil && !p.joined.over[r.ID]:
				p.ask(q, func(a question.Answer) { p.permit(s, q.ID, a) })
			}
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
			p.correction = a.Permit.Feedback
			p.correct()
		}
		if note != "" {
			p.note(note)
		}
	})
}

// correct sends what the user wrote with a denial, once the run has ended.
func (p *program) correct() {
	if p.correction != "" && !p.working {
		p.send(wire.Send{Prompt: p.correction, AgentMode: p.mode}, nil)
		p.correction = ""
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
	p.ask(q, func(a question.Answer) {
		if !a.Stop && a.Instead == "" {
			p.tell(func(ctx context.Context) error { return s.AnswerForm(ctx, id, a.Form) }, nil)
		}
	})
}

// settled withdraws a question that another client has answered, or that has ended with its run.
func (p *program) settled(e follow.Event) {
	if e.Type != "permission.completed" && e.Type != "elicitation.completed" {
		return
	}
	id := e.Get("requestId").Text()
	if q := p.questions.Find(id); q != nil {
		p.withdraw(q)
		return
	}
	if p.joined.over == nil {
		p.joined.over = map[string]bool{}
	}
	p.joined.over[id] = true // what its question shows may still be on its way
}

// withdraw takes a question back.
func (p *program) withdraw(q *question.Question) {
	delete(p.asked, q)
	if note, ok := p.questions.Withdraw(q, time.Now()); ok && note != "" {
		p.note(note)
	}
}

// forget takes all questions back, without a word: the session was left.
func (p *program) forget() {
	for q := range p.asked {
		p.questions.Withdraw(q, time.Now())
	}
	clear(p.asked)
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
	replied := false
	p.ask(q, func(a question.Answer) {
		replied = true
		if a.Stop || a.Instead != "" {
			c.Reply(nil, errWithdrawn)
			return
		}
		c.Reply(a.Reply, nil)
	})
	stop := context.AfterFunc(c.Ctx, func() {
		p.post(func() {
			if !replied && p.asked[q] != nil {
				p.withdraw(q)
			}
		})
	})
	_ = stop // the context of a call ends in any case
}
