package metrics_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// scene is a session whose model has a tool, and whose next request may go to an agent.
type scene struct {
	statetest.Session
	*metrics.Metrics
	extension bool
}

func newScene() *scene {
	s := &scene{}
	s.Metrics = metrics.New(s)
	return s
}

func (s *scene) Model() string          { return "m" }
func (s *scene) Limit(last int64) int64 { return max(last, 1000) }
func (s *scene) Extension() bool        { return s.extension }
func (s *scene) Small() bool            { return true }
func (s *scene) Programs() []string     { return []string{"git"} }
func (s *scene) Size() int64            { return 77 }

func (s *scene) Offered() []offer.Chosen {
	return []offer.Chosen{{Definition: tool.Definition{Name: "view", Description: "Shows.", Parameters: []byte("{}")}, Sent: true}}
}

func (s *scene) Sections(programs []string) []prompt.Section {
	return []prompt.Section{{ID: "a", Text: programs[0] + " is there."}, {ID: prompt.CustomInstructions, Text: "Be brief, please."}}
}

// Read yields the events that were recorded.
func (s *scene) Read(context.Context, uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for i, e := range s.Sent() {
			if !yield(eventlog.Record{Pos: uint64(i) + 1, JSON: wire.AppendEvent(nil, &e.Event)}, nil) {
				return
			}
		}
	}
}

// talk records a question, a call of a tool and its result.
func (s *scene) talk(t *testing.T) {
	t.Helper()
	_ = s.Record("", &wire.UserMessage{Content: "What is in it?"}, &wire.AssistantTurnStart{TurnID: "0"},
		&wire.AssistantMessage{MessageID: "m1", ToolRequests: []wire.ToolRequest{{ToolCallID: "c1", Name: "view"}}},
		&wire.ToolStart{ToolCallID: "c1", ToolName: "view"},
		&wire.ToolComplete{ToolCallID: "c1", Success: true, Result: &wire.ToolResult{Content: "A long list of numbers, and nothing else."}},
		&wire.AssistantTurnEnd{TurnID: "0"})
	if len(s.Fold.Main.Messages) != 2 {
		t.Fatalf("the session has no conversation: %+v", s.Fold.Main.Messages)
	}
}

func TestCallsAreAddedUp(t *testing.T) {
	s, price := newScene(), 0.5
	call := turn.Usage{Model: "m", Milliseconds: 10, RequestBytes: 1000, Tokens: model.Usage{Reported: true, Input: 500, Output: 20, Cost: &price, NanoAIU: 2e9}}
	s.Account("", call)
	s.Account("a1", call)
	s.Ask()
	u, err := s.Usage(t.Context())
	if m := u.ModelMetrics["m"]; err != nil || m.Requests.Count != 2 || m.Requests.Cost != 1 || m.Usage.InputTokens != 1000 || m.Usage.OutputTokens != 40 {
		t.Errorf("%v: the model has cost %+v", err, u.ModelMetrics)
	}
	if u.TotalAPIDurationMs != 20 || u.TotalUserRequests != 1 || u.LastCallInputTokens != 500 || u.TotalPremiumRequestCost != 1 {
		t.Errorf("the session has cost %+v", u)
	}
	if s.Credits() != 4 || s.Ratio() >= 4 || s.Ratio() <= 2 {
		t.Errorf("%v credits, %v bytes per token; want 4, and between 2 and 4", s.Credits(), s.Ratio())
	}
	if end := s.Shutdown(); *end.EventsFileSizeBytes != 77 || *end.TotalNanoAiu != 4e9 || end.TotalAPIDurationMs != 20 {
		t.Errorf("the session ends with %+v", end)
	}
}

// What the GitHub service has reported is recorded once, so that a resume knows it.
func TestCreditsAreRecordedOnce(t *testing.T) {
	s := newScene()
	s.Account("", turn.Usage{Tokens: model.Usage{NanoAIU: 3e9}})
	for range 2 {
		if err := s.Checkpoint(); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Types(); !slices.Equal(got, []wire.EventType{"session.usage_checkpoint"}) || s.Credits() != 3 {
		t.Errorf("%v credits, recorded with %v", s.Credits(), got)
	}
}

func TestTheNextRequestIsMeasured(t *testing.T) {
	s := newScene()
	s.SetRatio(1)
	s.talk(t)
	f, err := s.Measure(t.Context())
	if want := (metrics.Footprint{System: 30, Conversation: f.Conversation, Results: 41, Tools: 12}); err != nil || f != want || f.Conversation < 55 {
		t.Errorf("%v: %+v, want %+v", err, f, want)
	}
	w, err := s.Weigh(t.Context())
	if err != nil || w.Limit != 1000 || !w.SmallSet || w.System != 13 || w.Instructions != 17 || len(w.Tools) != 1 {
		t.Errorf("%v: %+v", err, w)
	}
	if top := w.Heaviest(1); len(w.Messages) != 3 || len(top) != 1 || top[0].Label != "tool: view" || top[0].Tokens != 41 {
		t.Errorf("of %+v the largest are %+v", w.Messages, top)
	}
	if w.Total() != f.System+f.Conversation+f.Tools {
		t.Errorf("the parts are %d tokens, the whole is %+v", w.Total(), f)
	}
}

// A conversation that was released from memory is read from the log.
func TestAConversationOutOfMemoryIsRead(t *testing.T) {
	s := newScene()
	s.talk(t)
	before, err := s.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Fold.Main.Release(s.Fold.Seq)
	if len(s.Fold.Main.Messages) > 0 {
		t.Fatal("the conversation is in memory")
	}
	if after, err := s.Measure(t.Context()); err != nil || after != before {
		t.Errorf("%v: %+v, want %+v", err, after, before)
	}
	if w, err := s.Weigh(t.Context()); err != nil || len(w.Messages) != 3 {
		t.Errorf("%v: %+v", err, w.Messages)
	}
}

func TestAnAgentIsSentNeitherSystemMessageNorTools(t *testing.T) {
	s := newScene()
	s.extension = true
	s.talk(t)
	f, err := s.Measure(t.Context())
	if err != nil || f.System != 0 || f.Tools != 0 || f.Conversation == 0 {
		t.Errorf("%v: %+v", err, f)
	}
	if w, err := s.Weigh(t.Context()); err != nil || w.System != 0 || len(w.Tools) != 0 {
		t.Errorf("%v: %+v", err, w)
	}
}
