package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func autopilot(t *testing.T, s *seat) {
	t.Helper()
	if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "go", AgentMode: "autopilot"}); err != nil {
		t.Fatal(err)
	}
	s.until("session.idle")
}

func TestAutopilotGoesOnUntilTheTaskIsComplete(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		autopilot(t, s)
		if turns := count(s.told, "assistant.turn_start"); turns != 2 {
			t.Errorf("%d turns, want 2: none after task_complete", turns)
		}
		if e := last(t, s.told, "session.task_complete"); field(e, "summary") != "all done" {
			t.Errorf("task_complete is %s", e.Data)
		}
		if e := last(t, s.told, "user.message"); field(e, "isAutopilotContinuation") != "true" {
			t.Errorf("the nudge is %s", e.Data)
		}
		if count(s.told, "assistant.idle") != 2 || count(s.told, "session.idle") != 1 || s.told[len(s.told)-1].Type != "session.idle" {
			t.Errorf("want an assistant.idle for each stop and one session.idle, last:\n%s", types(s.told))
		}
		checkChain(t, s.told)
	},
		modeltest.Reply{Text: "I think so."},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "task_complete", `{"summary":"all done"}`)}},
	)
}

func TestAutopilotGivesUp(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		autopilot(t, s)
		if turns := count(s.told, "assistant.turn_start"); turns != 6 || count(s.told, "session.task_complete") != 0 {
			t.Errorf("%d turns, want the first and five nudges:\n%s", turns, types(s.told))
		}
		if w := last(t, s.told, "session.warning"); field(w, "warningType") != wire.WarningUnreported || !strings.Contains(field(w, "message"), "5 times") {
			t.Errorf("the end is told as %s", w.Data)
		}
	}, modeltest.Reply{Text: "Hm.", Repeat: true})
}

func TestAClientBoundsAutopilot(t *testing.T) {
	no := false
	for name, tc := range map[string]struct {
		autopilot wire.Autopilot
		turns     int
		warned    int
	}{
		"twice":          {wire.Autopilot{MaxContinues: new(int64(2))}, 3, 1},
		"never":          {wire.Autopilot{MaxContinues: new(int64(0))}, 1, 1},
		"by the client":  {wire.Autopilot{Continues: &no}, 1, 0},
		"as it would be": {wire.Autopilot{}, 6, 1},
	} {
		t.Run(name, func(t *testing.T) {
			equipped(t, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", Autopilot: &tc.autopilot})
				autopilot(t, s)
				if tc.warned == 1 && tc.turns == 1 {
					if w := last(t, s.told, "session.warning"); !strings.HasPrefix(field(w, "message"), "The agent has stopped without reporting that the task is done. ") {
						t.Errorf("the end is told as %s", w.Data)
					}
				}
				if turns, warned := count(s.told, "assistant.turn_start"), count(s.told, "session.warning"); turns != tc.turns || warned != tc.warned {
					t.Errorf("%d turns and %d warnings, want %d and %d:\n%s", turns, warned, tc.turns, tc.warned, types(s.told))
				}
			}, modeltest.Reply{Text: "Hm.", Repeat: true})
		})
	}
}

func TestAutopilotNeverNudgesIntoARateLimit(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		autopilot(t, s)
		if count(s.told, "session.error") != 1 || count(s.told, "user.message") != 1 {
			t.Errorf("want the error and no nudge:\n%s", types(s.told))
		}
	}, modeltest.Reply{Status: 402, Body: `{"error":{"message":"quota","code":"quota_exceeded"}}`, Repeat: true})
}

func TestInteractiveModeNeverNudges(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		s.until("session.idle")
		if count(s.told, "assistant.turn_start") != 1 {
			t.Errorf("want one turn:\n%s", types(s.told))
		}
	}, modeltest.Reply{Text: "Hm.", Repeat: true})
}

// A budget is never exceeded: a call that could exceed it is not made.
func TestABudgetIsNeverExceeded(t *testing.T) {
	busy := modeltest.Reply{
		ToolCalls: []modeltest.ToolCall{call("c1", "nosuch", `{}`)}, Usage: &modeltest.Usage{Input: 900, Output: 100}, Repeat: true,
	}
	silent := busy
	silent.Usage = nil
	for _, tc := range []struct {
		name   string
		budget wire.Budget
		reply  modeltest.Reply
		turns  int
		why    string
	}{
		{"turns", wire.Budget{MaxTurns: 3}, busy, 3, "3 of 3 turns"},
		{"tokens that are counted", wire.Budget{MaxTokens: 5000}, busy, 4, "4000 of 5000 tokens"},
		{"tokens that the provider does not count", wire.Budget{MaxTokens: 5000}, silent, 4, "of 5000 tokens"},
		{"less than a first call needs", wire.Budget{MaxTokens: 100}, busy, 0, "0 of 100 tokens"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			equipped(t, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", Budget: &tc.budget, SystemMessage: &wire.SystemMessageSet{Mode: "replace", Content: "Be brief."}})
				s.send("go")
				s.until("session.idle")
				e := last(t, s.told, "session.warning")
				if turns := count(s.told, "assistant.turn_start"); turns != tc.turns || !strings.Contains(field(e, "message"), tc.why) {
					t.Errorf("%d turns and %s, want %d and %q", turns, e.Data, tc.turns, tc.why)
				}
				if count(s.told, "session.error") != 0 {
					t.Errorf("an error was sent:\n%s", types(s.told))
				}
			}, tc.reply)
		})
	}
}

func TestABudgetOfTimeEndsARun(t *testing.T) {
	equipped(t, func(d *desk) {
		begin := time.Now()
		s := d.create(wire.Config{SessionID: "s1", Budget: &wire.Budget{TimeoutMs: 30_000}})
		s.send("go")
		s.until("session.idle")
		if took := time.Since(begin); took != 30*time.Second {
			t.Errorf("the run took %v, want 30 s", took)
		}
		if e := last(t, s.told, "session.warning"); !strings.Contains(field(e, "message"), "30s are over") {
			t.Errorf("the warning is %s", e.Data)
		}
	}, modeltest.Silent())
}
