package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// costing is an answer of the GitHub service that costs so many AI credits.
func costing(credits float64) modeltest.Reply {
	return modeltest.Reply{Body: fmt.Sprintf(`{"id":"x","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":9,"completion_tokens":1},"copilot_usage":{"total_nano_aiu":%.0f}}`, credits*1e9), Repeat: true}
}

// A session that has used up its AI credits asks the client that waits for that question, and
// goes on if the limit is raised. The session knows after a restart what it has used.
func TestASessionAsksToRaiseItsLimit(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", SessionLimits: &wire.SessionLimits{MaxAICredits: 2}})
		if err := s.client.Interest(context.Background(), "session_limits_exhausted.requested"); err != nil {
			t.Fatal(err)
		}
		s.send("one")
		s.until("session.idle")
		if e := s.told[len(s.told)-2]; count(s.told, "session.usage_checkpoint") != 1 {
			t.Errorf("no checkpoint before %s; received:\n%s", e.Type, types(s.told))
		}
		s.send("two") // 1.5 of 2 are used, and then 3
		s.until("session.idle")
		s.send("three")
		e := s.until("session_limits_exhausted.requested")
		if field(e, "usedAiCredits") != "3" || field(e, "maxAiCredits") != "2" {
			t.Errorf("the question is %s", e.Data)
		}
		answer := func(a wire.LimitAnswer) (bool, error) {
			return s.s.Questions().AnswerLimit(context.Background(), field(e, "requestId"), a)
		}
		more := 4.0
		if ok, err := answer(wire.LimitAnswer{Action: "set", MaxAiCredits: &more}); !ok || err != nil {
			t.Fatalf("the answer was not taken: %v", err)
		}
		if e := s.until("session.session_limits_changed"); field(e, "sessionLimits", "maxAiCredits") != "4" {
			t.Errorf("the limit is %s", e.Data)
		}
		s.until("session.idle")
		d.crash()
		s = d.resume(wire.Config{SessionID: "s1", SessionLimits: &wire.SessionLimits{MaxAICredits: 4}})
		s.send("four") // 4.5 of 4 are used, and nobody is asked
		s.until("session.idle")
		if n := len(d.model.Requests()); n != 3 || count(s.told, "session.warning") != 1 || count(s.told, "session_limits_exhausted.requested") != 0 {
			t.Errorf("%d calls; received:\n%s", n, types(s.told))
		}
	}, costing(1.5))
}

// The credits that a run has used are known after the process was killed during the run.
func TestALimitHoldsWhenAProcessDies(t *testing.T) {
	calling := costing(1.5)
	calling.Body = strings.NewReplacer(
		`"content":"ok"`, `"tool_calls":[{"id":"c1","type":"function","function":{"name":"nothing","arguments":"{}"}}]`, `"stop"`, `"tool_calls"`,
	).Replace(calling.Body)
	calling.Repeat = false
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := wire.Config{SessionID: "s1", SessionLimits: &wire.SessionLimits{MaxAICredits: 2}}
		s := d.create(cfg)
		s.send("go")
		s.rest() // the second call is under way
		d.crash()
		s = d.resume(cfg)
		used, err := s.s.Metrics().Usage(context.Background())
		if n := used.TotalNanoAiu; err != nil || n == nil || *n != 1.5e9 {
			t.Errorf("used are %v, %v, in:\n%s", n, err, types(d.stored("s1")))
		}
	}, calling, modeltest.Silent())
}

// A client reads the limit and what was used, and sets another limit.
func TestAClientSetsTheLimit(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("session.idle")
		limit := 1.0
		var patch wire.OptionsPatch
		patch.SessionLimits = &wire.SessionLimits{MaxAICredits: limit}
		if err := s.client.Update(context.Background(), patch); err != nil {
			t.Fatal(err)
		}
		s.until("session.session_limits_changed")
		snapshot, err := s.s.Snapshot(context.Background())
		if l := snapshot.SessionLimits; err != nil || l == nil || *l.MaxAiCredits != limit {
			t.Errorf("the limit is %+v, %v", l, err)
		}
		used, err := s.s.Metrics().Usage(context.Background())
		if n := used.TotalNanoAiu; err != nil || n == nil || *n != 1.5e9 {
			t.Errorf("used are %v, %v", n, err)
		}
		s.send("two")
		s.until("session.idle")
		if len(d.model.Requests()) != 1 || count(s.told, "session.warning") != 1 {
			t.Errorf("received:\n%s", types(s.told))
		}
	}, costing(1.5))
}

// The other answers end the run, lift the limit, or add to it.
func TestAnswersToAUsedUpLimit(t *testing.T) {
	one := 1.0
	for _, tc := range []struct {
		answer wire.LimitAnswer
		limit  string // afterwards; "" if it was not changed
		calls  int
	}{
		{wire.LimitAnswer{Action: "cancel"}, "", 1},
		{wire.LimitAnswer{Action: "unset"}, "null", 2},
		{wire.LimitAnswer{Action: "add", AdditionalAiCredits: &one}, "2", 2},
	} {
		t.Run(string(tc.answer.Action), func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", SessionLimits: &wire.SessionLimits{MaxAICredits: 1}})
				if err := s.client.Interest(context.Background(), "session_limits_exhausted.requested"); err != nil {
					t.Fatal(err)
				}
				s.send("one")
				s.until("session.idle")
				s.send("two")
				e := s.until("session_limits_exhausted.requested")
				if ok, err := s.s.Questions().AnswerLimit(context.Background(), field(e, "requestId"), tc.answer); !ok || err != nil {
					t.Fatalf("the answer was not taken: %v", err)
				}
				s.until("session.idle")
				if n := len(d.model.Requests()); n != tc.calls {
					t.Errorf("%d calls, want %d", n, tc.calls)
				}
				for _, e := range s.told {
					if got := field(e, "sessionLimits", "maxAiCredits"); e.Type == "session.session_limits_changed" && got != tc.limit {
						t.Errorf("the limit is %s, want %s", got, tc.limit)
					}
				}
				if (tc.limit != "") != (count(s.told, "session.session_limits_changed") == 1) || tc.limit == "" && count(s.told, "session.warning") != 1 {
					t.Errorf("received:\n%s", types(s.told))
				}
			}, costing(1.5))
		})
	}
}

// The model learns what is left.
func TestTheModelLearnsWhatIsLeft(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", SessionLimits: &wire.SessionLimits{MaxAICredits: 30}})
		for range 2 {
			s.send("go")
			s.until("session.idle")
		}
		for i, want := range []string{"30 AI credits", "28.5 AI credits"} {
			if raw := string(d.model.Requests()[i].Raw); !strings.Contains(raw, "Remaining session limits: "+want) {
				t.Errorf("request %d: %s", i, raw)
			}
		}
	}, costing(1.5))
}
