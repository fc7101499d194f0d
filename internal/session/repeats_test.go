package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// watching is a desk whose sessions watch for calls that repeat themselves.
func watching(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	t.Helper()
	bubble(t, &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{WatchCalls: true}}, f, replies...)
}

// searches makes the same call again and again, if its conversation begins with "go".
func searches(calls ...modeltest.ToolCall) modeltest.Reply {
	return first("go", modeltest.Reply{ToolCalls: calls, Repeat: true})
}

// warned are the messages of the warnings about repeated calls, with the reason if the run has ended.
func warned(events []wire.Event) (out []string) {
	for _, e := range events {
		if e.Type == "session.warning" && field(e, "warningType") == wire.WarningRepeatedCalls {
			out = append(out, strings.TrimPrefix(field(e, wire.FieldFinish), "null")+" "+field(e, "message"))
		}
	}
	return out
}

// The same call with the same arguments and the same result: after the third time the model is told, after the
// fifth the run ends where nobody can be asked. The warning names both the reason and the setting.
func TestTheSameCallAgainAndAgainEndsTheRun(t *testing.T) {
	watching(t, func(d *desk) {
		s := d.create(tools("look"))
		s.send("go")
		for i := range 5 {
			s.answer(`"result":"found"`)
			if i == 3 {
				const want = "<reminder>You have made this call, and its result was the same 3 times in a row (look). Another time will not change that."
				if talk := d.conversation(); strings.Count(talk, want) != 1 {
					t.Errorf("after the third time the model reads:\n%s", talk)
				}
			}
		}
		s.until("session.idle")
		got := warned(s.told)
		if len(got) != 2 || got[0] != " The model has made the same call of look 3 times in a row, and the result was the same each time. It is told so." ||
			!strings.HasPrefix(got[1], "repeated_calls The model has made the same call of look 5 times in a row") || !strings.Contains(got[1], "set repeatedCalls to off") {
			t.Errorf("the warnings are %q", got)
		}
		if n := len(d.model.Requests()); n != 5 || count(s.told, "session.error") != 0 || count(s.told, "user_input.requested") != 0 {
			t.Errorf("%d calls of the model:\n%s", n, types(s.told))
		}

		s.send("and now?") // the session goes on, and the model still reads that it repeated itself
		s.until("session.idle")
		if talk := d.conversation(); strings.Count(talk, "<reminder>") != 1 || !strings.HasSuffix(talk, "user: and now?\n") {
			t.Errorf("the next request is:\n%s", talk)
		}
	}, modeltest.Reply{When: func(q *modeltest.Request) bool {
		return strings.HasSuffix(q.Messages[len(q.Messages)-1].Content, "and now?")
	}, Text: "Done."},
		searches(call("c1", "look", `{"q":"a","n":[1,2]}`)))
}

// The user is asked where there is one. Who goes on is asked again after as many calls.
func TestTheUserIsAskedWhetherARunGoesOnThatRepeatsItsCalls(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer func(n int) (any, error)
		calls  int
		reason string
	}{
		{"stop", func(int) (any, error) { return map[string]any{"answer": "Stop"}, nil }, 5, "because you have chosen that"},
		{"go on once", func(n int) (any, error) { return map[string]any{"answer": []string{"Go on", "Stop"}[n]}, nil }, 10, "because you have chosen that"},
		{"no window", func(int) (any, error) { return nil, errors.New("no window") }, 5, "because asking you whether it goes on has failed: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			opts := registry.Options{WatchCalls: true, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			bubble(t, &desk{fs: vfs.NewMem(), opts: opts}, func(d *desk) {
				asked := 0
				cfg := tools("look")
				cfg.RequestUserInput = yes()
				s := d.createWith(cfg, peer{"userInput.request": func(params map[string]any) (any, error) {
					if params["allowFreeform"] != false || !strings.HasSuffix(fmt.Sprint(params["question"]), "Should it go on?") {
						return nil, fmt.Errorf("odd question %v", params)
					}
					asked++
					return tc.answer(asked - 1)
				}})
				s.send("go")
				for range tc.calls {
					s.answer(`"result":"found"`)
				}
				s.until("session.idle")
				got := warned(s.told)
				if n := len(d.model.Requests()); n != tc.calls || asked != tc.calls/5 || !strings.Contains(got[len(got)-1], tc.reason) {
					t.Errorf("%d calls, %d questions, warnings %q", n, asked, got)
				}
				// A user who has chosen Stop is not told how to switch the question off. If the user could not be asked, the warning and the log say why.
				end, failed := got[len(got)-1], tc.name == "no window"
				if strings.Contains(end, "set repeatedCalls to off") != failed || strings.Contains(end, "no window") != failed ||
					strings.Contains(log.String(), "could not be asked") != failed {
					t.Errorf("the warning is %q, and the log:\n%s", end, log.String())
				}
			}, searches(call("c1", "look", `{"q":"a"}`)))
		})
	}
}

// An abort ends the question.
func TestAnAbortEndsTheQuestionAboutRepeatedCalls(t *testing.T) {
	watching(t, func(d *desk) {
		cfg := tools("look")
		cfg.RequestUserInput = yes()
		s := d.createWith(cfg, silentPeer{})
		s.send("go")
		for range 5 {
			s.answer(`"result":"found"`)
		}
		s.until("user_input.requested")
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		if idle := s.until("session.idle"); field(idle, "aborted") != "true" {
			t.Errorf("session.idle is %s", idle.Data)
		}
		synctest.Wait()
		if got := warned(s.rest()); len(got) != 1 || count(s.told, "user_input.completed") != 1 {
			t.Errorf("the warnings are %q:\n%s", got, types(s.told))
		}
	}, searches(call("c1", "look", `{"q":"a"}`)))
}

// Calls that differ, and calls that may have to be made again, are no loop.
func TestCallsThatAreNoLoop(t *testing.T) {
	same := func(int) string { return "found" }
	for _, tc := range []struct {
		name   string
		tool   string
		answer func(n int) string
		calls  []func(n int) string // the arguments of the calls of each answer
	}{
		{"other results", "look", func(n int) string { return fmt.Sprint("found ", n) }, []func(int) string{func(int) string { return `{"q":"a"}` }}},
		{"other arguments", "look", same, []func(int) string{func(n int) string { return fmt.Sprintf(`{"q":"%d"}`, n) }}},
		{"large numbers", "look", same, []func(int) string{func(n int) string { return fmt.Sprintf(`{"q":"a","id":1234567890123456789%d}`, n) }}},
		{"another call beside it", "look", same, []func(int) string{func(int) string { return `{"q":"a"}` }, func(n int) string { return fmt.Sprintf(`{"q":"%d"}`, n) }}},
		{"a job that runs", "look", func(int) string { return `{\"state\":\"in_progress\"}` }, []func(int) string{func(int) string { return `{"q":"a"}` }}},
		{"a tool that waits", "wait_for_build", same, []func(int) string{func(int) string { return `{"q":"a"}` }}},
		{"a tool that asks for a state", "getJobStatus", same, []func(int) string{func(int) string { return `{"q":"a"}` }}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const times = 8
			var replies []modeltest.Reply
			for n := range times {
				var made []modeltest.ToolCall
				for i, args := range tc.calls {
					made = append(made, call(fmt.Sprintf("c%d", i), tc.tool, args(n%10)))
				}
				replies = append(replies, modeltest.Reply{ToolCalls: made})
			}
			watching(t, func(d *desk) {
				s := d.create(tools(tc.tool))
				s.send("go")
				for n := range times * len(tc.calls) {
					s.answer(`"result":"` + tc.answer(n) + `"`)
				}
				s.until("session.idle")
				if got := warned(s.told); got != nil || len(d.model.Requests()) != times+1 {
					t.Errorf("%d calls of the model, warnings %q", len(d.model.Requests()), got)
				}
			}, append(replies, modeltest.Reply{Text: "Done."})...)
		})
	}
}

// Equal calls of one answer count once, in any order, and with the members of their arguments in any order.
func TestCallsOfOneAnswerAreComparedAsASet(t *testing.T) {
	a, b, c := call("c1", "look", `{"q":"a","n":1}`), call("c2", "look", `{ "n": 1, "q": "a" }`), call("c3", "look", `{"q":"b"}`)
	watching(t, func(d *desk) {
		s := d.create(tools("look"))
		s.send("go")
		for range 3 + 3 + 2 + 2 + 2 {
			s.answer(`"result":"found"`)
		}
		s.until("session.idle")
		if got := warned(s.told); len(got) != 2 || !strings.Contains(got[1], " 5 times in a row") {
			t.Errorf("the warnings are %q", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{a, b, c}}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{c, a, b}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{c, b}, Repeat: true})
}

// A sub-agent that repeats its calls ends as failed. Nobody is asked, and the agent that has started it reads why.
func TestASubAgentThatRepeatsItsCalls(t *testing.T) {
	watching(t, func(d *desk) {
		cfg := tools("look")
		cfg.RequestUserInput = yes()
		s := d.createWith(cfg, peer{"userInput.request": func(map[string]any) (any, error) { return map[string]any{"answer": "Stop"}, nil }})
		s.send("go")
		for range 5 {
			s.answer(`"result":"found"`)
		}
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		const why = "The model has made the same call of look 5 times in a row, and the result was the same each time."
		if failed := last(t, s.told, "subagent.failed"); field(failed, "error") != why {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
		if result := field(last(t, s.told, "tool.execution_complete"), "error", "message"); !strings.Contains(result, why) {
			t.Errorf("the agent that has started it reads %q", result)
		}
		for _, e := range s.told {
			if e.Type == "session.warning" && e.AgentID == "" {
				t.Errorf("a warning of the main agent: %s", e.Data)
			}
		}
		if count(s.told, "user_input.requested") != 0 {
			t.Error("the user was asked")
		}
	},
		first("do job", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("l1", "look", `{"q":"a"}`)}, Repeat: true}),
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "job", "sync")}},
		modeltest.Reply{Text: "Done."})
}
