package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// wait is an open question to the clients, and the goroutine of the run that
// waits for its answer. Who answers first wins; the question is gone then.
type wait struct {
	requestID  string
	toolCallID string
	permission *state.Request     // nil for an external tool
	request    *permit.Request    // of a permission, once the run has come to it
	answered   chan permit.Answer // capacity 1
	result     chan tool.Result   // capacity 1
	asking     *asking            // a question to a person
	recorded   chan error         // capacity 1: what became of the result
}

// Ask implements [turn.Host]: rules first, then a person.
func (t *thread) Ask(ctx context.Context, q permit.Request, c tool.Call) permit.Answer {
	var decided *permit.Answer
	var w *wait
	err := t.s.post(context.WithoutCancel(ctx), func() error {
		decided, w = t.s.question(ctx, q, c)
		return nil
	})
	switch {
	case err != nil:
		return permit.Answer{Outcome: permit.Canceled}
	case decided != nil:
		return *decided
	}
	select {
	case a := <-w.answered:
		return a
	case <-ctx.Done():
		return t.s.withdraw(w)
	}
}

// question decides by the rules, or asks. A question that was asked before a
// resume is asked again under its old id, unless it has its answer already.
func (s *Session) question(ctx context.Context, q permit.Request, c tool.Call) (*permit.Answer, *wait) {
	w := s.takeExpected(c.ID)
	decided, why := s.rule(q)
	if w != nil && w.permission != nil && !sameAct(w.permission.Data, s.permissionRequest(w.requestID, q, c, why)) {
		s.retire(w)
		w = nil
	}
	if w != nil && len(w.answered) > 0 {
		return nil, w
	}
	decided = hooked(c.Hook, decided, why)
	if ctx.Err() != nil {
		s.dismiss(w)
		return &permit.Answer{Outcome: permit.Canceled}, nil
	}
	if decided != nil {
		if w != nil { // it was asked once, and rules that came since decide it
			s.dismiss(w)
			s.tell(completed(w, *decided))
		}
		return decided, nil
	}
	again := w != nil
	if !again {
		id := wire.NewID()
		if s.record(s.permissionRequest(id, q, c, why)) != nil {
			return &permit.Answer{Outcome: permit.Canceled}, nil
		}
		w = newQuestion(id, s.state.Permissions()[id])
		s.await(w)
	}
	w.request = &q
	if !s.someoneDecides() {
		s.dismiss(w)
		a := permit.Answer{Outcome: permit.Unanswerable, Why: why.Why}
		s.tell(completed(w, a))
		return &a, nil
	}
	if again {
		s.repeat("permission.requested", w.permission.Data)
	}
	return nil, w
}

// retire gives up a question of before a resume that was about something else: another
// call has its id by now, or a path leads elsewhere. An answer to it allows nothing.
func (s *Session) retire(w *wait) {
	if s.waits[w.requestID] == w {
		delete(s.waits, w.requestID)
		s.tell(completed(w, permit.Answer{Outcome: permit.Canceled}))
	}
}

// sameAct reports whether a question that the log holds is about what a new one asks.
// What the log does not say, as that of another runtime may not, is not compared.
func sameAct(asked json.RawMessage, now *wire.PermissionRequested) bool {
	data, err := wire.Marshal(now)
	if err != nil {
		return false
	}
	before, after := wire.Raw(asked).Get("permissionRequest"), wire.Raw(data).Get("permissionRequest")
	for _, name := range []string{
		"kind", "fullCommandText", "resolvedWorkingDirectory", "path", "fileName", "resolvedPath", "newFileContents", "url", "toolName",
	} {
		if said := before.Get(name); said.IsString() && said.Text() != after.Get(name).Text() {
			return false
		}
	}
	args := before.Get("args")
	return args == nil || bytes.Equal(wire.CompactObject(json.RawMessage(args)), wire.CompactObject(json.RawMessage(after.Get("args"))))
}

// hooked is what a hook makes of what the rules have decided, nil if a person is to be
// asked. It allows nothing that is denied, or that may be.
func hooked(hook string, decided *permit.Answer, d permit.Decision) *permit.Answer {
	switch {
	case hook == "allow" && decided == nil && !d.Doubt:
		return &permit.Answer{Outcome: permit.Approved}
	case hook == "ask" && decided != nil && decided.Outcome == permit.Approved:
		return nil
	}
	return decided
}

func newQuestion(id string, q state.Request) *wait {
	return &wait{requestID: id, toolCallID: q.ToolCallID, permission: &q, answered: make(chan permit.Answer, 1)}
}

func (s *Session) someoneDecides() bool {
	for _, c := range s.clients {
		if c.decides || c.shows {
			return true
		}
	}
	return false
}

func (s *Session) await(w *wait) {
	if s.waits == nil {
		s.waits = map[string]*wait{}
	}
	s.waits[w.requestID] = w
}

// expect begins to wait for the answers to all open questions, before the run that
// goes on with them does: who resumes may answer at once.
func (s *Session) expect() {
	s.expected = map[string]*wait{}
	for id, q := range s.state.Main.Permissions {
		s.expected[q.ToolCallID] = newQuestion(id, q)
	}
	for id, q := range s.state.Main.External {
		s.expected[q.ToolCallID] = newHandedOut(id, q.ToolCallID)
	}
	for _, w := range s.expected {
		s.await(w)
	}
}

// dismiss stops waiting, also for nothing.
func (s *Session) dismiss(w *wait) {
	if w == nil {
		return
	}
	delete(s.waits, w.requestID)
	if w.asking != nil && w.asking.drop != nil {
		w.asking.drop() // nobody is waited for any more
	}
}

// takeExpected returns the wait of expect for a call, nil if there is none.
func (s *Session) takeExpected(toolCallID string) *wait {
	w := s.expected[toolCallID]
	delete(s.expected, toolCallID)
	return w
}

// withdraw gives a question up, unless it was answered just now.
func (s *Session) withdraw(w *wait) permit.Answer {
	a := permit.Answer{Outcome: permit.Canceled}
	_ = s.post(context.Background(), func() error {
		if s.waits[w.requestID] != w {
			a = <-w.answered
			return nil
		}
		delete(s.waits, w.requestID)
		s.tell(completed(w, a))
		return nil
	})
	return a
}

// AnswerPermission gives a question its answer. It reports false if no such
// question is open: another client was faster, or the run has ended. An approval for a
// location, or for always, is kept before anybody hears of it.
func (s *Session) AnswerPermission(ctx context.Context, requestID string, a permit.Answer) (ok bool, err error) {
	if a.Outcome == permit.Approved && a.Scope != permit.Once {
		if a, ok, err = s.extend(ctx, requestID, a); !ok || err != nil {
			return false, err
		}
	}
	err = s.do(ctx, func() error {
		w := s.waits[requestID]
		ok = w != nil && w.permission != nil
		if !ok {
			return nil
		}
		if err := s.settle(w, a); err != nil {
			ok = false
			return err
		}
		s.reconsider() // what was approved may cover others that wait
		return nil
	})
	return ok, err
}

// settle records an answer and gives it to the run.
func (s *Session) settle(w *wait, a permit.Answer) error {
	if err := s.record(completed(w, a)); err != nil {
		return err
	}
	delete(s.waits, w.requestID)
	w.answered <- a
	return nil
}

func completed(w *wait, a permit.Answer) *wire.PermissionCompleted {
	return &wire.PermissionCompleted{RequestID: w.requestID, ToolCallID: &w.toolCallID, Result: permissionResult(a)}
}

// reconsider answers the questions that rules decide by now. Those of before a resume
// that the run has not come to yet are decided when it does.
func (s *Session) reconsider() {
	var asked []*wait
	for _, w := range s.waits {
		if w.request != nil {
			asked = append(asked, w)
		}
	}
	slices.SortFunc(asked, func(a, b *wait) int { return cmp.Compare(a.permission.Seq, b.permission.Seq) })
	for _, w := range asked {
		if decided, _ := s.rule(*w.request); decided != nil {
			_ = s.settle(w, *decided) // else it stays open, and somebody can still answer
		}
	}
}

// askAgain repeats the open permission requests for a client that has just come,
// because it may be the one that can answer. The others know their ids already.
func (s *Session) askAgain() {
	for _, w := range s.waits {
		if w.permission != nil {
			s.repeat("permission.requested", w.permission.Data)
		}
	}
}

// repeat tells a recorded event's data once more, as an ephemeral event.
func (s *Session) repeat(t wire.EventType, data json.RawMessage) {
	s.emit(&wire.RawData{EventType: t, Raw: data})
}
