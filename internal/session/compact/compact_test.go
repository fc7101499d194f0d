package compact_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// scene is an idle session with a conversation, whose model answers with the answer.
type scene struct {
	statetest.Session
	*compact.Compaction
	answer  string
	fails   error
	begun   chan struct{} // not nil: a call waits until its context ends
	kept    []string      // titles of summaries that were kept as files
	charged int           // calls that were accounted for
}

func newScene(t *testing.T) *scene {
	s := &scene{answer: "<overview>Numbers.</overview>"}
	s.Compaction = compact.New(s, "s1", "", slog.New(slog.DiscardHandler))
	_ = s.Record("", &wire.UserMessage{Content: "What is one and one?"}, &wire.AssistantTurnStart{TurnID: "0"}, &wire.AssistantMessage{MessageID: "m1", Content: "Two."}, &wire.AssistantTurnEnd{TurnID: "0"})
	if len(s.Fold.Main.Messages) != 2 {
		t.Fatal("the session has no conversation")
	}
	return s
}

func (s *scene) Open() error { return nil }

func (s *scene) Claim() error { return nil }

func (s *scene) FinishesLater() bool { return false }

func (s *scene) Ratio() float64 { return 4 }

func (s *scene) Account(string, turn.Usage) { s.charged++ }

func (s *scene) Guard(f func() error) error { return fault.Guard("test", f) }

func (s *scene) Keep(title, _ string) (int64, string, error) {
	s.kept = append(s.kept, title)
	return int64(len(s.kept)), "/kept", nil
}

func (s *scene) Prepare(_ context.Context, focus string) (compact.Plan, error) {
	return s.Plan(compact.Draft{
		Prompt:  turn.Prompt{BytesPerToken: 4, ContextTokens: 10_000, Request: model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem, Content: "Help."}}}},
		Entries: s.Fold.Main.Messages, Epoch: s.Fold.EpochOf(""),
		Call: func(ctx context.Context, request []model.Message) (*model.Response, turn.Usage, error) {
			if s.begun != nil {
				close(s.begun)
				<-ctx.Done()
				return nil, turn.Usage{}, ctx.Err()
			}
			return &model.Response{Text: s.answer}, turn.Usage{Model: "m", RequestBytes: int64(len(request))}, s.fails
		},
	}, focus)
}

// A summary replaces the conversation, is kept as a file, and has a turn and a price.
func TestASummaryReplacesTheConversation(t *testing.T) {
	s := newScene(t)
	done, err := s.Run(t.Context(), "")
	if err != nil || !done.Success || done.SummaryContent == nil || !strings.Contains(*done.SummaryContent, "Numbers") || *done.Trigger != "manual" {
		t.Fatalf("Run = %+v, %v", done, err)
	}
	want := []wire.EventType{"session.compaction_start", "assistant.turn_start", "assistant.turn_end", "session.compaction_complete", "assistant.usage", "session.usage_info"}
	if types := s.Types()[4:]; !slices.Equal(types[:len(want)], want) {
		t.Errorf("clients were sent %v, want %v", types, want)
	}
	if s.charged != 1 || len(s.kept) != 1 || s.Busy() {
		t.Errorf("%d calls were charged, and %v kept", s.charged, s.kept)
	}
	if text, err := s.Handoff(t.Context()); err != nil || !strings.Contains(text, "Numbers") || s.charged != 1 {
		t.Errorf("Handoff = %q, %v, want the summary that is there", text, err)
	}
}

// A failure is recorded, with its turn if there was a call, and the conversation stays.
func TestASummaryThatFails(t *testing.T) {
	s := newScene(t)
	s.fails = errors.New("it is down")
	done, err := s.Run(t.Context(), "")
	if !errors.Is(err, s.fails) || done.Success || done.Error == nil || s.charged != 1 || s.Busy() {
		t.Errorf("Run = %+v, %v, want the failure", done, err)
	}
	if _, last := s.Now(); last == nil || len(s.Fold.Main.Messages) != 2 || s.Fold.SummarizingOf("") {
		t.Error("the conversation is another one, or is still being summarized")
	}
}

// One summary is under way at a time, and it ends as the caller who asked for it or a client says.
func TestOneSummaryAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ended := newScene(t), make(chan error, 1)
		s.begun = make(chan struct{})
		go func() { _, err := s.Run(t.Context(), ""); ended <- err }()
		<-s.begun
		if _, err := s.Run(t.Context(), ""); fault.KindOf(err) != fault.Conflict {
			t.Errorf("a second one: %v, want Conflict", err)
		}
		if did, err := s.Cancel(t.Context(), false); did || err != nil {
			t.Errorf("Cancel = %v, %v of one that nobody asked for", did, err)
		}
		if did, err := s.Cancel(t.Context(), true); !did || err != nil {
			t.Errorf("Cancel = %v, %v", did, err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) || s.Busy() {
			t.Errorf("Run = %v, want its cancellation", err)
		}
	})
}
