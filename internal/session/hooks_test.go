package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// hooking is a client whose hooks give the outputs, and a list of the calls.
func hooking(outputs map[string]any) (peer, *[]string) {
	var calls []string
	return peer{"hooks.invoke": func(params map[string]any) (any, error) {
		kind := params["hookType"].(string)
		input := params["input"].(map[string]any)
		detail := ""
		for _, key := range []string{"source", "prompt", "toolName", "stopReason", "reason", "errorContext"} {
			if v, ok := input[key]; ok {
				detail += fmt.Sprintf(" %v", v)
			}
		}
		calls = append(calls, kind+detail)
		switch out := outputs[kind].(type) {
		case error:
			return nil, out
		case func(input map[string]any) any:
			return map[string]any{"output": out(input)}, nil
		default:
			return map[string]any{"output": out}, nil
		}
	}}, &calls
}

func hookedTools() wire.Config {
	cfg := tools("lookup")
	cfg.Hooks = yes()
	return cfg
}

func TestHooksAreCalledInOrder(t *testing.T) {
	client, calls := hooking(nil)
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("find it")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		if err := s.s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"sessionStart new", "userPromptSubmitted find it", "userPromptTransformed find it",
			"preToolUse lookup", "postToolUse lookup", "agentStop end_turn", "sessionEnd complete",
		}
		if diff := cmp.Diff(want, *calls); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
		if a, b := count(s.rest(), "hook.start"), count(s.told, "hook.end"); a != len(want) || b != a {
			t.Errorf("%d hook.start and %d hook.end, want %d each", a, b, len(want))
		}
		checkChain(t, s.told)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

// The last client that detaches is still called for the sessionEnd hooks, before it has its
// answer. One that leaves others behind, or whose connection is lost, is not.
func TestTheLastClientThatDetachesHasItsEndHooks(t *testing.T) {
	for _, tc := range []struct {
		name  string
		other bool // another client stays
		leave func(s *seat) error
		want  []string
	}{
		{"detached", false, func(s *seat) error { return s.client.Detach(context.Background()) }, []string{"sessionEnd complete"}},
		{"detached, another stays", true, func(s *seat) error { return s.client.Detach(context.Background()) }, nil},
		{"lost", false, func(s *seat) error { return s.client.Lost(context.Background()) }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, calls := hooking(nil)
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.createWith(hookedTools(), client)
				if tc.other {
					d.resume(brief)
				}
				if err := tc.leave(s); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, *calls, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("hooks (-want +got):\n%s", diff)
				}
				if got := count(d.stored("s1"), "session.shutdown"); got != 1 && !tc.other {
					t.Errorf("%d session.shutdown are stored, want one", got)
				}
			})
		})
	}
}

// The last client that detaches while a run goes on has its sessionEnd hook before its answer,
// and once: when the run ends, it cannot be called any more.
func TestTheLastClientThatDetachesFromARunHasItsEndHook(t *testing.T) {
	client, calls := hooking(nil)
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("go")
		s.until("assistant.turn_start")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := len(*calls); n == 0 || (*calls)[n-1] != "sessionEnd complete" {
			t.Errorf("the hooks are %q", *calls)
		}
		before := len(*calls)
		<-s.s.Closed()
		if len(*calls) != before || count(d.stored("s1"), "session.shutdown") != 1 || count(d.stored("s1"), "assistant.message") != 1 {
			t.Errorf("afterwards %q, in:\n%s", *calls, types(d.stored("s1")))
		}
	}, modeltest.Reply{Text: "done", Delay: time.Second})
}

// hookedConversations has the outputs of hooks, and the conversation that the model then reads.
var hookedConversations = []struct {
	name    string
	outputs map[string]any
	want    string // the conversation of the last request
}{
	{
		"a prompt",
		map[string]any{"userPromptSubmitted": map[string]any{"modifiedPrompt": "other", "additionalContext": "by the way"}},
		"user: by the way\nuser: other\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n",
	},
	{
		"a prompt as the model reads it",
		map[string]any{"userPromptTransformed": map[string]any{"modifiedTransformedPrompt": "all else"}},
		"user: all else\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n",
	},
	{
		"the beginning",
		map[string]any{"sessionStart": map[string]any{"additionalContext": "it is Monday"}},
		"user: it is Monday\nuser: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n",
	},
	{
		"arguments, whose first form is forgotten",
		map[string]any{"preToolUse": map[string]any{"modifiedArgs": map[string]any{"q": "that"}}},
		"user: find it\nassistant: [lookup {\"q\":\"that\"}]\ntool: 42\n",
	},
	{
		"a result, as text",
		map[string]any{"postToolUse": map[string]any{"modifiedResult": "43"}},
		"user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 43\n",
	},
	{
		"a result, as an object",
		map[string]any{"postToolUse": map[string]any{"modifiedResult": map[string]any{"textResultForLlm": "44", "resultType": "success"}}},
		"user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 44\n",
	},
	{
		"guidance after a result",
		map[string]any{"postToolUse": map[string]any{"additionalContext": "check it"}},
		"user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\nuser: Additional context from a hook, about the call of lookup:\ncheck it\n",
	},
	{
		"one that fails, nothing",
		map[string]any{"preToolUse": errors.New("broken"), "userPromptSubmitted": errors.New("broken")},
		"user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n",
	},
}

func TestHooksChangeWhatTheModelReads(t *testing.T) {
	for _, tc := range hookedConversations {
		t.Run(tc.name, func(t *testing.T) {
			client, _ := hooking(tc.outputs)
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.createWith(hookedTools(), client)
				s.send("find it")
				s.answer(`"result":"42"`)
				s.until("session.idle")
				if diff := cmp.Diff(tc.want, d.conversation()); diff != "" {
					t.Errorf("conversation (-want +got):\n%s", diff)
				}
				checkChain(t, s.told)
			},
				modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
				modeltest.Reply{Text: "done"},
			)
		})
	}
}

func TestAHookDeniesACall(t *testing.T) {
	client, _ := hooking(map[string]any{"preToolUse": func(input map[string]any) any {
		if input["toolName"] == "nosuch" {
			return map[string]any{"permissionDecision": "deny"}
		}
		return map[string]any{"permissionDecision": "deny", "permissionDecisionReason": "not on Mondays"}
	}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("find it")
		s.until("session.idle")
		want := "user: find it\nassistant: [lookup {\"q\":\"it\"}][nosuch {}]\n" +
			"tool: Denied by preToolUse hook: not on Mondays\ntool: Denied by preToolUse hook: No reason provided\n"
		if diff := cmp.Diff(want, d.conversation()); diff != "" {
			t.Errorf("conversation (-want +got):\n%s", diff)
		}
		if n := count(s.told, "external_tool.requested"); n != 0 {
			t.Errorf("the denied tool was run %d times", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`), call("c2", "nosuch", `{}`)}},
		modeltest.Reply{Text: "done"},
	)
}

func TestHooksSeeCallsThatCouldNotBeMade(t *testing.T) {
	client, calls := hooking(map[string]any{"postToolUseFailure": func(input map[string]any) any {
		return map[string]any{"additionalContext": fmt.Sprintf("%v, %v", input["toolArgs"], input["error"])}
	}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("find it")
		s.until("session.idle")
		missing := "Tool 'nosuch' does not exist. Available tools that can be called are lookup."
		want := "tool: " + missing + "\nuser: Tool \"nosuch\" failed. Additional guidance from postToolUseFailure hooks:\nmap[a:1], " + missing + "\n"
		if got := d.conversation(); !strings.HasSuffix(got, want) {
			t.Errorf("the conversation is\n%s\nwant at its end\n%s", got, want)
		}
		order := []string{
			"sessionStart new", "userPromptSubmitted find it", "userPromptTransformed find it",
			"preToolUse nosuch", "postToolUseFailure nosuch", "agentStop end_turn",
		}
		if diff := cmp.Diff(order, *calls); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "nosuch", `{"a":1}`)}},
		modeltest.Reply{Text: "done"},
	)
}

func TestAHookThatNeverAnswersHoldsUpNothingForLong(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		begin := time.Now()
		s := d.createWith(hookedTools(), silentPeer{})
		s.send("hello")
		s.until("session.idle")
		if took := time.Since(begin); took < time.Minute || took > 10*time.Minute {
			t.Errorf("the run took %v, want one hook's time limit for each hook", took)
		}
		if e := last(t, s.told, "hook.end"); field(e, "success") != "false" || !strings.Contains(field(e, "error", "message"), "deadline") {
			t.Errorf("hook.end is %s, want its failure", e.Data)
		}
		if err := s.s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	}, modeltest.Reply{Text: "hi"})
}

// A hook that panics has no effect: neither the run nor the process ends with it.
func TestASessionSurvivesAHookThatPanics(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), panickingPeer{})
		s.send("find it")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		if err := s.s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		s.rest()
		if want := "user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n"; d.conversation() != want {
			t.Errorf("the conversation is\n%s\nwant\n%s", d.conversation(), want)
		}
		if e := last(t, s.told, "hook.end"); field(e, "hookType") != "sessionEnd" || !strings.Contains(field(e, "error", "message"), "panic: out of order") {
			t.Errorf("the last hook.end is %s", e.Data)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

// panickingPeer is a client whose code is broken.
type panickingPeer struct{}

func (panickingPeer) Call(context.Context, string, any, any) error { panic("out of order") }

// silentPeer is a client that never answers.
type silentPeer struct{}

func (silentPeer) Call(ctx context.Context, _ string, _, _ any) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAnAgentIsKeptFromStoppingButNotForEver(t *testing.T) {
	blocked := 0
	client, calls := hooking(map[string]any{"agentStop": func(input map[string]any) any {
		if active := input["stop_hook_active"].(bool); active != (blocked > 0) || input["transcriptPath"] == "" {
			t.Errorf("input is %v after %d blocks", input, blocked)
		}
		blocked++
		return map[string]any{"decision": "block", "reason": "again"}
	}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("go")
		s.until("session.idle")
		if turns := count(s.told, "assistant.turn_start"); turns != 11 || blocked != 10 {
			t.Errorf("%d turns and %d blocks, want 11 and 10: %v", turns, blocked, *calls)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

func TestAHookHasAFailedRunTriedAgain(t *testing.T) {
	client, _ := hooking(map[string]any{"errorOccurred": map[string]any{"errorHandling": "retry", "userNotification": "trying again"}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("go")
		s.until("session.idle")
		if count(s.told, "session.error") != 0 || count(s.told, "model.call_failure") != 1 || field(last(t, s.told, "session.info"), "message") != "trying again" {
			t.Errorf("want the second try to succeed:\n%s", types(s.told))
		}
	}, modeltest.Failure(400, "odd", "odd"), modeltest.Reply{Text: "ok"})
}

// An approval from before a restart covers the call as hooks had changed it, not as the
// model had sent it.
func TestHooksChangeACallAgainAfterAResume(t *testing.T) {
	for _, tc := range []struct {
		name    string
		again   string // what the hook makes of it after the restart
		answers int    // that are asked for in all
	}{
		{"the same", "safe", 1},
		{"something else", "other", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			to := "safe"
			client, _ := hooking(map[string]any{"preToolUse": func(map[string]any) any {
				return map[string]any{"modifiedArgs": map[string]any{"q": to}}
			}})
			inBubble(t, vfs.NewMem(), func(d *desk) {
				cfg := tools("ask")
				cfg.Hooks = yes()
				s := d.createWith(cfg, client)
				s.send("go")
				s.until("permission.requested")
				d.crash()
				to = tc.again
				cfg.ContinuePendingWork = true
				s = d.resumeWith(cfg, client)
				asked := map[string]bool{}
				for {
					var id string
					for _, e := range append(d.stored("s1"), s.rest()...) {
						if e.Type == "permission.requested" && !asked[field(e, "requestId")] {
							id = field(e, "requestId")
						}
					}
					if id == "" {
						break
					}
					asked[id] = true
					if _, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved}); err != nil {
						t.Fatal(err)
					}
				}
				e := last(t, s.rest(), "external_tool.requested")
				if field(e, "arguments", "q") != tc.again {
					t.Errorf("the tool is called with %s", e.Data)
				}
				if len(asked) != tc.answers {
					t.Errorf("%d permissions were asked for, want %d", len(asked), tc.answers)
				}
				s.reply(field(e, "requestId"), `"result":"r"`)
				s.until("session.idle")
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"dangerous"}`)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

// A message that a hook blocks reaches neither the log of the conversation nor the model, also in the middle of a
// run, and the client reads why. The run goes on with the others.
func TestAHookBlocksAMessage(t *testing.T) {
	client, _ := hooking(map[string]any{"userPromptSubmitted": func(input map[string]any) any {
		switch input["prompt"] {
		case "the secret":
			return map[string]any{"decision": "block", "reason": "no secrets here"}
		case "odd":
			return map[string]any{"decision": "deny"}
		}
		return nil
	}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		for _, prompt := range []string{"the secret", "odd"} {
			s.send(prompt)
			s.until("session.idle")
		}
		s.send("find it")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "the secret", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.answer(`"result":"42"`)
		s.until("session.idle")
		want := "user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n"
		if diff := cmp.Diff(want, d.conversation()); diff != "" {
			t.Errorf("conversation (-want +got):\n%s", diff)
		}
		var told []string
		for _, e := range s.told {
			if e.Type == "session.warning" {
				told = append(told, string(e.Data))
			}
		}
		first := `{"message":"A hook has blocked the message, and the model does not get it. The hook says: no secrets here","warningType":"policy_blocked","originatingMessageId":`
		if len(told) != 3 || !strings.HasPrefix(told[0], first) || !strings.HasPrefix(told[2], first) || !strings.Contains(told[1], "the only decision is block") {
			t.Errorf("warnings: %q", told)
		}
		checkChain(t, s.told)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}
