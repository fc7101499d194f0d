package remote

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxOpen is how many questions a session has open at most. Source: docs/protocol.md.
const maxOpen = 100

// Call is a question that the session asks. Every client of the session sees it, and the first
// answer counts. Ctx ends when the question needs no answer any more.
type Call struct {
	Ctx context.Context
	// Method and Params are those of the request to a client for the same question.
	Method string
	Params json.RawMessage
	// Reply answers the question. It is called once and does not block. An error leaves the question
	// to other clients.
	Reply func(value any, err error)
}

// Calls yields the questions.
func (s *Session) Calls() <-chan *Call { return s.calls }

// questions are the events that ask the user, but for permission requests and forms, which the
// interface reads itself.
var questions = lazy.Value[map[wire.EventType]callNames]{Make: func() map[wire.EventType]callNames {
	return map[wire.EventType]callNames{
		"user_input.requested":       {"userInput.request", "session.ui.handlePendingUserInput"},
		"exit_plan_mode.requested":   {"exitPlanMode.request", "session.ui.handlePendingExitPlanMode"},
		"auto_mode_switch.requested": {"autoModeSwitch.request", "session.ui.handlePendingAutoModeSwitch"},
	}
}}

// callNames are the call that a terminal knows a question by, and the method that answers it.
type callNames struct{ method, answer string }

// ends are the events that end a question, with the event that asks it.
var ends = lazy.Value[map[wire.EventType]wire.EventType]{Make: func() map[wire.EventType]wire.EventType {
	return map[wire.EventType]wire.EventType{
		"user_input.completed": "user_input.requested", "exit_plan_mode.completed": "exit_plan_mode.requested",
		"auto_mode_switch.completed": "auto_mode_switch.requested",
		"elicitation.completed":      "elicitation.requested", "permission.completed": "permission.requested",
	}
}}

// asked are the questions that are open, by id.
type asked struct {
	open    map[string]open
	answers sync.WaitGroup // under way
}

type open struct {
	kind wire.EventType
	end  context.CancelFunc // of the call; nil for a permission request or a form
}

// interest has the server ask this client what it asks by events, and tell it of retries and of what model calls wait for.
func (s *Session) interest(ctx context.Context, c *client.Client) error {
	kinds := append(slices.Collect(maps.Keys(questions.Get())), wire.InterestRetries, wire.InterestWaiting)
	for _, kind := range kinds {
		err := s.link.call(ctx, c, "session.eventLog.registerInterest", map[string]any{"sessionId": s.id, "eventType": kind}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// asking takes an event that begins or ends a question. It reports false if the event says nothing new:
// the server repeats open questions for clients that attach.
func (s *Session) asking(e wire.Event) (isNew bool) {
	id := wire.Raw(e.Data).Get("requestId").Text()
	if _, isEnd := ends.Get()[e.Type]; isEnd {
		s.settle(id)
		return true
	}
	q, isCall := questions.Get()[e.Type]
	if id == "" || !isCall && e.Type != "permission.requested" && e.Type != "elicitation.requested" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.asked.open[id]; known {
		return false
	}
	if s.asked.open == nil {
		s.asked.open = map[string]open{}
	}
	o := open{kind: e.Type}
	if isCall {
		var ctx context.Context
		ctx, o.end = context.WithCancel(context.Background())
		select {
		case s.calls <- &Call{Ctx: ctx, Method: q.method, Params: e.Data, Reply: func(value any, err error) { s.reply(id, q.answer, value, err) }}:
		default: // a server has not so many open
		}
	}
	s.asked.open[id] = o
	return true
}

// settle ends a question.
func (s *Session) settle(id string) {
	s.mu.Lock()
	o := s.asked.open[id]
	delete(s.asked.open, id)
	s.mu.Unlock()
	if o.end != nil {
		o.end()
	}
}

// reply answers a question. If that fails because the connection is lost, the server asks again.
func (s *Session) reply(id, method string, value any, err error) {
	if err != nil {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return // values of package question can be encoded
	}
	if inner := wire.Raw(raw).Get("response"); inner != nil {
		raw = json.RawMessage(inner) // of a switch of the model
	}
	s.asked.answers.Go(func() {
		_ = s.do(context.Background(), method, map[string]any{"requestId": id, "response": json.RawMessage(raw)}, nil)
	})
}

// withdrawAll ends all questions but permission requests, of which the server says whether they are
// open.
func (st *stream) withdrawAll() {
	st.mu.Lock()
	all := map[string]open{}
	for id, o := range st.asked.open {
		if o.kind != "permission.requested" {
			all[id] = o
		}
	}
	st.mu.Unlock()
	for id, o := range all {
		if o.kind == "elicitation.requested" {
			st.say("elicitation.completed", map[string]any{"requestId": id, "action": "cancel"})
			continue
		}
		st.settle(id)
	}
}

// pending asks which permission requests are open, and passes on what follows from that. It reports
// false if the stream has ended.
func (st *stream) pending(ctx context.Context) bool {
	var list wire.PendingPermissions
	if err := st.do(ctx, "session.permissions.pendingRequests", nil, &list); err != nil {
		return true // those that come are asked, and an answer to another does not count
	}
	waiting := map[string]bool{}
	for _, item := range list.Items {
		waiting[item.RequestID] = true
		if e, ok := st.requests[item.RequestID]; ok {
			e.Ephemeral = true // it was passed on as a part of the history
			st.pass(e, false)
		}
	}
	st.requests = nil
	st.mu.Lock()
	var over []string
	for id, o := range st.asked.open {
		if o.kind == "permission.requested" && !waiting[id] {
			over = append(over, id)
		}
	}
	st.mu.Unlock()
	for _, id := range over {
		st.say("permission.completed", map[string]any{"requestId": id, "result": map[string]any{"kind": "cancelled"}})
	}
	return !st.stopped
}
