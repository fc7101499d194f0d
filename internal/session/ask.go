package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The questions that go to one client, as a direct request. The answer may also
// come from another client as a call of its own; the first one counts. A question
// whose client has gone stays open for whoever comes.

func answersQuestions(c *Client) bool { return c.answers && c.peer != nil }

func approvesPlans(c *Client) bool { return c.approves && c.peer != nil }

// latest is the client that attached last of those that can do something, nil if
// none can.
func (s *Session) latest(can func(*Client) bool) *Client {
	for i := len(s.clients) - 1; i >= 0; i-- {
		if can(s.clients[i]) {
			return s.clients[i]
		}
	}
	return nil
}

// asking is an open question to a person: how to put it to a client, and how its
// end is told.
type asking struct {
	can    func(*Client) bool
	method string
	params map[string]any
	// read makes the answer of what the client returned.
	read func(call func(result any) error) (any, error)
	// told is the event that says how it ended; nil for no answer.
	told   func(answer any) wire.Data
	answer chan any // capacity 1
	failed error    // of the client that was asked last
	// asked is the client that is being asked; nil for nobody. drop ends that.
	asked *Client
	drop  context.CancelFunc
}

// AskUser implements [tool.Person].
func (h host) AskUser(ctx context.Context, c tool.Call, q tool.Question) (tool.UserAnswer, error) {
	id := wire.NewID()
	a := &asking{
		can: answersQuestions, method: "userInput.request",
		params: map[string]any{"sessionId": h.s.id, "question": q.Text, "choices": q.Choices, "allowFreeform": q.Freeform},
		read: func(call func(any) error) (any, error) {
			var got wire.UserInputAnswer
			err := call(&got)
			return tool.UserAnswer{Text: got.Answer, Freeform: got.WasFreeform}, err
		},
		told: func(answer any) wire.Data {
			done := &wire.UserInputCompleted{RequestID: id}
			if u, ok := answer.(tool.UserAnswer); ok {
				done.Answer, done.WasFreeform = &u.Text, &u.Freeform
			}
			return done
		},
	}
	answer, err := h.s.ask(ctx, c, id, a, &wire.UserInputRequested{
		RequestID: id, Question: q.Text, Choices: q.Choices, AllowFreeform: &q.Freeform, ToolCallID: &c.ID,
	})
	u, _ := answer.(tool.UserAnswer)
	return u, err
}

// ApprovePlan implements [tool.Person].
func (h host) ApprovePlan(ctx context.Context, c tool.Call, p tool.Plan) (tool.PlanAnswer, error) {
	id := wire.NewID()
	content := h.s.planContent(ctx)
	a := &asking{
		can: approvesPlans, method: "exitPlanMode.request",
		params: map[string]any{
			"sessionId": h.s.id, "summary": p.Summary, "planContent": content, "actions": p.Actions, "recommendedAction": p.Recommended,
		},
		read: func(call func(any) error) (any, error) {
			var got wire.PlanAnswer
			err := call(&got)
			return tool.PlanAnswer{Approved: got.Approved, Action: got.SelectedAction, Feedback: got.Feedback}, err
		},
		told: func(answer any) wire.Data {
			done := &wire.ExitPlanCompleted{RequestID: id}
			if d, ok := answer.(tool.PlanAnswer); ok {
				done.Approved, done.Feedback = &d.Approved, wire.Optional(d.Feedback)
				done.SelectedAction = wire.Optional(wire.PlanAction(d.Action))
			}
			return done
		},
	}
	event := &wire.ExitPlanRequested{
		RequestID: id, Summary: p.Summary, PlanContent: content, RecommendedAction: wire.PlanAction(p.Recommended),
	}
	for _, action := range p.Actions {
		event.Actions = append(event.Actions, wire.PlanAction(action))
	}
	answer, err := h.s.ask(ctx, c, id, a, event)
	d, _ := answer.(tool.PlanAnswer)
	if d.Approved && d.Action == "" {
		d.Action = p.Recommended
	}
	if err == nil && d.Approved {
		err = h.s.Settings().leavePlanMode(ctx, d.Action)
	}
	return d, err
}

// planContent is the text of the session's plan, "" if there is none.
func (s *Session) planContent(ctx context.Context) string {
	text, _, err := s.files.Plan(ctx)
	if err != nil {
		s.logs.Warn("the plan cannot be read", "err", err)
	}
	return text
}

// ask puts a question to a client and waits for the first answer.
func (s *Session) ask(ctx context.Context, c tool.Call, id string, a *asking, event wire.Data) (any, error) {
	a.answer = make(chan any, 1)
	w := &wait{requestID: id, toolCallID: c.ID, asking: a}
	err := s.post(context.WithoutCancel(ctx), func() error {
		if s.latest(a.can) == nil {
			return tool.ErrNobody
		}
		s.await(w)
		s.emit(event)
		s.put(w)
		return nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case answer := <-a.answer:
		return answer, a.failed
	case <-ctx.Done():
		_ = s.post(context.Background(), func() error {
			if s.waits[id] == w {
				s.dismiss(w)
				s.emit(a.told(nil))
			}
			return nil
		})
		return nil, ctx.Err()
	}
}

// put asks the client that came last, if nobody is being asked. A client that cannot
// be reached any more leaves the question open; one that fails to answer ends it.
func (s *Session) put(w *wait) {
	a := w.asking
	if a.asked != nil {
		return
	}
	c := s.latest(a.can)
	if c == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.gone)
	a.asked, a.drop = c, cancel
	s.reg.running.Go(func() {
		defer cancel()
		answer, err := a.read(func(result any) error { return c.peer.Call(ctx, a.method, a.params, result) })
		if ctx.Err() != nil || fault.KindOf(err) == fault.Unavailable && err != nil {
			return
		}
		_, _ = s.answerAsked(context.Background(), w.requestID, answer, err)
	})
}

// putOn asks somebody else what a client was asked that has left; nil for what nobody
// is being asked.
func (s *Session) putOn(gone *Client) {
	for _, w := range s.waits {
		if w.asking != nil && w.asking.asked == gone {
			w.asking.asked = nil
			s.put(w)
		}
	}
}

// answerAsked gives a question its answer, or the reason why there is none. It
// reports false if no such question is open.
func (s *Session) answerAsked(ctx context.Context, requestID string, answer any, failed error) (ok bool, err error) {
	err = s.do(ctx, func() error {
		w := s.waits[requestID]
		if w == nil || w.asking == nil {
			return nil
		}
		s.dismiss(w)
		w.asking.failed = failed
		if failed != nil {
			s.emit(w.asking.told(nil))
		} else {
			s.emit(w.asking.told(answer))
		}
		w.asking.answer <- answer
		ok = true
		return nil
	})
	return ok, err
}

// AnswerUserInput gives a question of ask_user its answer. It reports false if no
// such question is open.
func (s *Session) AnswerUserInput(ctx context.Context, requestID string, a wire.UserInputAnswer) (ok bool, err error) {
	return s.answerAsked(ctx, requestID, tool.UserAnswer{Text: a.Answer, Freeform: a.WasFreeform}, nil)
}

// AnswerPlan decides on a plan. It reports false if no such question is open.
func (s *Session) AnswerPlan(ctx context.Context, requestID string, a wire.PlanAnswer) (ok bool, err error) {
	return s.answerAsked(ctx, requestID, tool.PlanAnswer{Approved: a.Approved, Action: a.SelectedAction, Feedback: a.Feedback}, nil)
}
