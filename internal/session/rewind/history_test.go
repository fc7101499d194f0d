package rewind_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/rewind"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// past is a session whose log is in memory.
type past struct {
	statetest.Session
	working  bool
	finished int
	before   func() // runs once, while the log is read
}

func (p *past) Claim() error { return nil }

func (p *past) Read(_ context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if f := p.before; f != nil {
			p.before = nil
			f()
		}
		pos := uint64(0)
		for _, e := range p.Sent() {
			if e.Ephemeral {
				continue
			}
			if pos++; pos >= from && !yield(eventlog.Record{Pos: pos, JSON: wire.AppendEvent(nil, &e.Event)}, nil) {
				return
			}
		}
	}
}

func (p *past) Cuts() state.Spans { return p.Fold.Cuts() }

func (p *past) ShareCuts() {}

func (p *past) SetUnfinished(bool) {}

func (p *past) Finish() error { p.finished++; return nil }

func (p *past) Working() bool { return p.working }

func (p *past) Resumed() bool { return false }

func (p *past) WithdrawPersonal() error { return nil }

func (p *past) Files() *rewind.Files { return nil }

// newPast is a session in which two messages were answered.
func newPast(t *testing.T) (*past, rewind.History) {
	p := &past{}
	_ = p.Record("", &wire.SessionStart{SessionID: "s1"})
	for _, text := range []string{"one", "two"} {
		_ = p.Record("", &wire.UserMessage{Content: text}, &wire.AssistantTurnStart{TurnID: text}, &wire.AssistantMessage{MessageID: text, Content: text}, &wire.AssistantTurnEnd{TurnID: text})
	}
	if len(p.Fold.Main.Messages) != 4 {
		t.Fatalf("the conversation has %d messages, want 4", len(p.Fold.Main.Messages))
	}
	return p, rewind.NewHistory(p, "s1")
}

// of is the id of the n-th event.
func (p *past) of(n int) string { return p.Sent()[n].ID }

// What is removed leaves the conversation and the events that clients read, and stays in the log.
func TestTruncateRemovesWhatFollows(t *testing.T) {
	p, h := newPast(t)
	removed, err := h.Truncate(t.Context(), p.of(5))
	if err != nil || removed != 4 {
		t.Fatalf("%d events were removed, %v, want 4", removed, err)
	}
	if n := len(p.Fold.Main.Messages); n != 2 {
		t.Errorf("the conversation has %d messages, want 2", n)
	}
	events, err := h.Events(t.Context())
	if err != nil || len(events) != 6 { // with the event of the truncation itself
		t.Errorf("the history has %d events, %v, want 6", len(events), err)
	}
	if p.finished != 2 {
		t.Errorf("what is open was closed %d times, want before and after", p.finished)
	}
	if types := p.Types(); !slices.Contains(types, "session.snapshot_rewind") {
		t.Errorf("clients were sent %v", types)
	}
}

// A rewind that something overtakes is prepared anew.
func TestTruncateWhileTheSessionChanges(t *testing.T) {
	p, h := newPast(t)
	p.before = func() { _ = p.Record("", &wire.SessionInfo{Message: "late"}) }
	if removed, err := h.Truncate(t.Context(), p.of(5)); err != nil || removed != 5 {
		t.Errorf("%d events were removed, %v, want 5 with the late one", removed, err)
	}
}

func TestWhatCannotBeTruncated(t *testing.T) {
	p, h := newPast(t)
	for what, kind := range map[string]fault.Kind{"nobody": fault.NotFound, p.of(0): fault.Invalid} {
		if _, err := h.Truncate(t.Context(), what); fault.KindOf(err) != kind {
			t.Errorf("%s: %v, want %v", what, err, kind)
		}
	}
	p.working = true
	if _, err := h.Truncate(t.Context(), p.of(5)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("during a run: %v", err)
	}
}

// A message is unsent only while the model has not answered it.
func TestUnsend(t *testing.T) {
	p, h := newPast(t)
	id := "m3"
	_ = p.Record("", &wire.UserMessage{Content: "three", MessageID: &id})
	if removed, err := h.Unsend(t.Context(), id); !removed || err != nil {
		t.Errorf("an unanswered message: removed %t, %v", removed, err)
	}
	if removed, err := h.Unsend(t.Context(), id); removed || err != nil {
		t.Errorf("a removed message: removed %t, %v", removed, err)
	}
}

// The conversation is cleared from inside a tool only.
func TestClear(t *testing.T) {
	p, h := newPast(t)
	if _, err := h.Clear(t.Context(), "go on"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("without a call under way: %v", err)
	}
	p.working = true
	_ = p.Record("", &wire.AssistantTurnStart{TurnID: "3"}, &wire.AssistantMessage{MessageID: "m3", ToolRequests: []wire.ToolRequest{{ToolCallID: "c1", Name: "clear"}}}, &wire.ToolStart{ToolCallID: "c1", ToolName: "clear"})
	if cleared, err := h.Clear(t.Context(), "go on"); err != nil || cleared != 5 {
		t.Errorf("%d messages were cleared, %v, want 5", cleared, err)
	}
	if _, err := h.Clear(t.Context(), ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without a prompt: %v", err)
	}
}
