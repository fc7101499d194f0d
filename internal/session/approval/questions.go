package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Ability says which kind of question a client can be asked.
type Ability uint8

const (
	AnswersQuestions Ability = iota // of the tool ask_user
	DecidesOnPlans                  // of the tool exit_plan_mode
)

// Client is a client that can be called. Values for the same client are equal.
type Client interface {
	// Call calls a method of the client and decodes its result.
	Call(ctx context.Context, method string, params, result any) error
	// Attached returns a context that ends when the client leaves the session.
	Attached() context.Context
}

// Clients finds the clients of a session for [Questions].
type Clients interface {
	// Latest returns the client with an ability that attached last, nil if there is none.
	// Call it on the session's goroutine.
	Latest(can Ability) Client
}

// Questions are the open questions of tools to the user: questions of ask_user and plan
// approvals. Each is sent to one client as a request. Another client may answer it with a
// call of its own; the first answer counts. A question whose client leaves stays open for
// another client. A crash ends all questions: the tools ask again.
//
// Its methods are safe for concurrent use, except for those whose comment requires the
// session's goroutine. They return the errors of [Session.Do].
type Questions struct {
	session   Session
	clients   Clients
	sessionID string
	open      map[string]*question // by request id; belongs to the session's goroutine
}

// NewQuestions returns the questions of a session, without an open one.
func NewQuestions(s Session, c Clients, sessionID string) *Questions {
	return &Questions{session: s, clients: c, sessionID: sessionID}
}

// question is an open question, with functions that send it to a client and report its end
// to all clients. The fields below answer belong to the session's goroutine.
type question struct {
	id      string
	agentID string // of the asking thread
	can     Ability
	method  string
	params  map[string]any
	// read calls the client and decodes the answer.
	read func(call func(result any) error) (any, error)
	// completed returns the event that ends the question; answer is nil if there is none.
	completed func(answer any) wire.Data
	answer    chan any // capacity 1

	failed error              // error of the client that was asked last
	asked  Client             // the client that is being asked; nil for none
	stop   context.CancelFunc // cancels the call of that client; nil for none
}

// AskUser asks the user a question of the tool ask_user. The error is [tool.ErrNobody] if no
// attached client answers questions.
func (o *Questions) AskUser(ctx context.Context, c tool.Call, q tool.Question) (tool.UserAnswer, error) {
	id := wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: id, agentID: c.AgentID, can: AnswersQuestions, method: "userInput.request",
		params: map[string]any{"sessionId": o.sessionID, "question": q.Text, "choices": q.Choices, "allowFreeform": q.Freeform},
		read: func(call func(any) error) (any, error) {
			var got wire.UserInputAnswer
			err := call(&got)
			return tool.UserAnswer{Text: got.Answer, Freeform: got.WasFreeform}, err
		},
		completed: func(answer any) wire.Data {
			done := &wire.UserInputCompleted{RequestID: id}
			if u, ok := answer.(tool.UserAnswer); ok {
				done.Answer, done.WasFreeform = &u.Text, &u.Freeform
			}
			return done
		},
	}, &wire.UserInputRequested{
		RequestID: id, Question: q.Text, Choices: q.Choices, AllowFreeform: &q.Freeform, ToolCallID: &c.ID,
	})
	u, _ := answer.(tool.UserAnswer)
	return u, err
}

// ApprovePlan asks the user for a decision on a plan, whose whole text is content. The error
// is [tool.ErrNobody] if no attached client decides on plans.
func (o *Questions) ApprovePlan(ctx context.Context, c tool.Call, p tool.Plan, content string) (tool.PlanAnswer, error) {
	id := wire.NewID()
	event := &wire.ExitPlanRequested{
		RequestID: id, Summary: p.Summary, PlanContent: content, RecommendedAction: wire.PlanAction(p.Recommended),
	}
	for _, action := range p.Actions {
		event.Actions = append(event.Actions, wire.PlanAction(action))
	}
	answer, err := o.ask(ctx, &question{
		id: id, agentID: c.AgentID, can: DecidesOnPlans, method: "exitPlanMode.request",
		params: map[string]any{
			"sessionId": o.sessionID, "summary": p.Summary, "planContent": content, "actions": p.Actions, "recommendedAction": p.Recommended,
		},
		read: func(call func(any) error) (any, error) {
			var got wire.PlanAnswer
			err := call(&got)
			return tool.PlanAnswer{Approved: got.Approved, Action: got.SelectedAction, Feedback: got.Feedback}, err
		},
		completed: func(answer any) wire.Data {
			done := &wire.ExitPlanCompleted{RequestID: id}
			if d, ok := answer.(tool.PlanAnswer); ok {
				done.Approved, done.Feedback = &d.Approved, wire.Optional(d.Feedback)
				done.SelectedAction = wire.Optional(wire.PlanAction(d.Action))
			}
			return done
		},
	}, event)
	d, _ := answer.(tool.PlanAnswer)
	if d.Approved && d.Action == "" {
		d.Action = p.Recommended
	}
	return d, err
}

// ask sends a question to a client and waits for the first answer.
func (o *Questions) ask(ctx context.Context, q *question, event wire.Data) (any, error) {
	q.answer = make(chan any, 1)
	// Without the context, because a question that is open must have a tool that waits.
	err := o.session.Post(context.WithoutCancel(ctx), func() error {
		if o.clients.Latest(q.can) == nil {
			return tool.ErrNobody
		}
		if o.open == nil { // most sessions have none at most times
			o.open = map[string]*question{}
		}
		o.open[q.id] = q
		o.session.Emit(q.agentID, event)
		o.put(q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case answer := <-q.answer:
		return answer, q.failed
	case <-ctx.Done():
		_ = o.session.Post(context.Background(), func() error { // ctx has ended, the question must end too
			if o.open[q.id] == q {
				o.end(q, nil)
			}
			return nil
		})
		return nil, ctx.Err()
	}
}

// put sends a question to the client that attached last, if no client is being asked. If the
// client cannot be reached, the question stays open; if it answers with an error, the
// question ends.
func (o *Questions) put(q *question) {
	if q.asked != nil {
		return
	}
	c := o.clients.Latest(q.can)
	if c == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.Attached())
	q.asked, q.stop = c, cancel
	o.session.Go("approval.question", func() {
		defer cancel()
		var answer any
		err := fault.Guard("approval.question", func() (err error) {
			answer, err = q.read(func(result any) error { return c.Call(ctx, q.method, q.params, result) })
			return err
		})
		if ctx.Err() != nil || fault.KindOf(err) == fault.Unavailable && err != nil {
			return
		}
		_, _ = o.answer(context.Background(), q.id, answer, err) // without a context: the tool waits for it
	})
}

// end closes a question and reports its end to all clients.
func (o *Questions) end(q *question, answer any) {
	delete(o.open, q.id)
	if q.stop != nil {
		q.stop()
	}
	o.session.Emit(q.agentID, q.completed(answer))
}

// Attached sends the questions that no client is being asked to a client that has just
// attached. Call it on the session's goroutine.
func (o *Questions) Attached() { o.putAfter(nil) }

// Left sends the questions of a client that has left to another one. Call it on the
// session's goroutine.
func (o *Questions) Left(c Client) { o.putAfter(c) }

func (o *Questions) putAfter(asked Client) {
	for _, q := range o.open {
		if q.asked == asked {
			q.asked = nil
			o.put(q)
		}
	}
}

// Waiting reports whether a question is open. Call it on the session's goroutine.
func (o *Questions) Waiting() bool { return len(o.open) > 0 }

// answer ends a question with an answer, or with the reason why there is none. It reports
// false if no such question is open.
func (o *Questions) answer(ctx context.Context, requestID string, answer any, failed error) (ok bool, err error) {
	return mailbox.Ask(ctx, o.session.Do, func() (bool, error) {
		q := o.open[requestID]
		if q == nil {
			return false, nil
		}
		q.failed = failed
		if failed != nil {
			o.end(q, nil)
		} else {
			o.end(q, answer)
		}
		q.answer <- answer
		return true, nil
	})
}

// AnswerUserInput answers a question of ask_user. It reports false if no such question is
// open.
func (o *Questions) AnswerUserInput(ctx context.Context, requestID string, a wire.UserInputAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, tool.UserAnswer{Text: a.Answer, Freeform: a.WasFreeform}, nil)
}

// AnswerPlan decides on a plan. It reports false if no such plan is open.
func (o *Questions) AnswerPlan(ctx context.Context, requestID string, a wire.PlanAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, tool.PlanAnswer{Approved: a.Approved, Action: a.SelectedAction, Feedback: a.Feedback}, nil)
}
