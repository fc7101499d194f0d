package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestARunTellsItsEventsInOrder(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("What is it?\nTell me.")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		want := `session.start
user.message
  pending_messages.modified
  session.title_changed
system.message
assistant.turn_start
  assistant.reasoning_delta
  assistant.message_start
  assistant.message_delta
  assistant.tool_call_delta
  assistant.streaming_delta
assistant.reasoning
assistant.message
  assistant.usage
  session.usage_info
tool.execution_start
external_tool.requested
  external_tool.completed
tool.execution_complete
assistant.turn_end
assistant.turn_start
  assistant.message_start
  assistant.message_delta
  assistant.streaming_delta
assistant.message
  assistant.usage
  session.usage_info
assistant.turn_end
  assistant.idle
  session.idle
`
		if diff := cmp.Diff(want, squeezed(s.rest())); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got, want := d.conversation(), "user: What is it?\nTell me.\nassistant: Let me see.[lookup {\"q\":\"it\"}]\ntool: 42\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		checkChain(t, s.told)
		if diff := cmp.Diff(persisted(s.told), d.stored("s1")); diff != "" {
			t.Errorf("what was told and what is stored differ (-told +stored):\n%s", diff)
		}
	},
		modeltest.Reply{Reasoning: "Hm.", Text: "Let me see.", ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "It is 42.", Usage: &modeltest.Usage{Input: 100, Output: 7}},
	)
}

// squeezed lists types like types, with the pieces of a stream as one, and the
// progress reports, whose number depends on time, only where they end.
func squeezed(events []wire.Event) string {
	var out []wire.Event
	for i, e := range events {
		progress := e.Type == "assistant.streaming_delta"
		if progress && i+1 < len(events) && events[i+1].Ephemeral {
			continue
		}
		if n := len(out); !progress && n > 0 && e.Ephemeral && out[n-1].Type == e.Type {
			continue
		}
		out = append(out, e)
	}
	return types(out)
}

// checkChain checks D1's chain: persisted events only, each after the one before.
func checkChain(t *testing.T, events []wire.Event) {
	t.Helper()
	parent := ""
	for _, e := range events {
		if e.ParentID != parent {
			t.Errorf("%s has parent %q, want the last persisted event %q", e.Type, e.ParentID, parent)
		}
		if kind, ok := wire.Kinds[e.Type]; !ok || kind.Durable == e.Ephemeral {
			t.Errorf("%s has ephemeral %v, want durable %v", e.Type, e.Ephemeral, kind.Durable)
		}
		if !e.Ephemeral {
			parent = e.ID
		}
	}
}

func persisted(events []wire.Event) (out []wire.Event) {
	for _, e := range events {
		if !e.Ephemeral {
			out = append(out, e)
		}
	}
	return out
}

func TestWithoutStreamingThereAreNoDeltas(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		for _, e := range s.rest() {
			if strings.HasSuffix(string(e.Type), "_delta") {
				t.Errorf("told a %s", e.Type)
			}
		}
	}, modeltest.Reply{Text: "hello"})
}

// TestToolResults walks the ways a call can end: what the event says, what the
// model reads, and whether it is asked again.
func TestToolResults(t *testing.T) {
	for _, tc := range []struct {
		name, answer        string
		success, code, read string
		again               bool
	}{
		{"a plain text", `"result":"fine"`, "true", "null", "fine", true},
		{"a result without a type", `"result":{"textResultForLlm":"fine"}`, "true", "null", "fine", true},
		{"an unknown type is a success", `"result":{"textResultForLlm":"fine","resultType":"great"}`, "true", "null", "fine", true},
		{"an unknown type with an error is a failure", `"result":{"textResultForLlm":"bad","resultType":"great","error":"secret"}`, "false", "failure", "bad", true},
		{"a failure shows its text and not its error", `"result":{"textResultForLlm":"bad","resultType":"failure","error":"secret"}`, "false", "failure", "bad", true},
		{"denied goes on", `"result":{"textResultForLlm":"not here","resultType":"denied"}`, "false", "denied", "not here", true},
		{"timeout goes on", `"result":{"textResultForLlm":"too slow","resultType":"timeout"}`, "false", "timeout", "too slow", true},
		{"rejected ends the run", `"result":{"textResultForLlm":"no way","resultType":"rejected"}`, "false", "rejected", "", false},
		{"an exception is not shown", `"error":"secret"`, "false", "failure", "Failed to execute `lookup` tool with arguments: {\"q\":\"x\"} due to error: Error: Tool execution failed", true},
		{"no result at all is an empty one", `"result":null`, "true", "null", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("lookup"))
				s.send("go")
				s.answer(tc.answer)
				s.until("session.idle")
				done := last(t, s.rest(), "tool.execution_complete")
				if got := field(done, "success"); got != tc.success {
					t.Errorf("success is %s, want %s", got, tc.success)
				}
				if got := field(done, "error", "code"); got != tc.code {
					t.Errorf("error.code is %s, want %s", got, tc.code)
				}
				if got := len(d.model.Requests()); got != map[bool]int{true: 2, false: 1}[tc.again] {
					t.Fatalf("the model was asked %d times", got)
				}
				if tc.again && !strings.HasSuffix(d.conversation(), "\ntool: "+tc.read+"\n") {
					t.Errorf("the model read:\n%s\nwant at the end %q", d.conversation(), tc.read)
				}
				if strings.Contains(string(done.Data), "secret") {
					t.Errorf("the event shows what the handler kept: %s", done.Data)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestCallsThatCannotRunGoBackToTheModel(t *testing.T) {
	for _, tc := range []struct{ name, tool, args, want string }{
		{"an unknown tool", "nope", `{}`, "Tool 'nope' does not exist. Available tools that can be called are lookup."},
		{"arguments that are no object", "lookup", `[1]`, "not a JSON object"},
		{"arguments that are cut off", "lookup", `{"q":"`, "not a JSON object"},
		{"a required argument is missing", "lookup", `{"other":1}`, `"q"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("lookup"))
				s.send("go")
				s.until("session.idle")
				if got := d.conversation(); !strings.Contains(got, tc.want) {
					t.Errorf("the model read:\n%s\nwant %q in it", got, tc.want)
				}
				if n := count(s.rest(), "external_tool.requested"); n != 0 {
					t.Errorf("a client was asked to run it")
				}
				if count(s.told, "tool.execution_start") != 1 || count(s.told, "tool.execution_complete") != 1 {
					t.Errorf("the call was not bracketed:\n%s", types(s.told))
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", tc.tool, tc.args)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestParallelCallsAreAnsweredInAnyOrder(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("a", "b"))
		s.send("go")
		first := s.until("external_tool.requested")
		second := s.until("external_tool.requested")
		for _, e := range []wire.Event{second, first} {
			s.reply(field(e, "requestId"), `"result":"of `+field(e, "toolName")+`"`)
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: go\nassistant: [a {\"q\":\"1\"}][b {\"q\":\"2\"}]\ntool: of a\ntool: of b\n"; got != want {
			t.Errorf("the model read:\n%s\nwant results in the order of the calls:\n%s", got, want)
		}
		if s.reply(field(first, "requestId"), `"result":"late"`) {
			t.Error("a second answer to the same call was taken")
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "a", `{"q":"1"}`), call("c2", "b", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok"},
	)
}

func TestPermissions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer permit.Answer
		kind   string
		read   string // "" if the model is not asked again
	}{
		{"approved once", permit.Answer{Outcome: permit.Approved}, "approved", "done"},
		{"approved for the session", permit.Answer{Outcome: permit.Approved, ForSession: true}, "approved-for-session", "done"},
		{"rejected", permit.Answer{Outcome: permit.Rejected, Feedback: "not today"}, "denied-interactively-by-user", ""},
		{"nobody there", permit.Answer{}, "denied-no-approval-rule-and-could-not-request-from-user", "Permission denied and could not request permission from user"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("ask"))
				s.send("go")
				id := field(s.until("permission.requested"), "requestId")
				if ok, err := s.s.AnswerPermission(context.Background(), id, tc.answer); !ok || err != nil {
					t.Fatalf("AnswerPermission = %v, %v", ok, err)
				}
				if ok, _ := s.s.AnswerPermission(context.Background(), id, tc.answer); ok {
					t.Error("the same question was answered twice")
				}
				if tc.answer.Outcome == permit.Approved {
					s.answer(`"result":"done"`)
				}
				s.until("session.idle")
				if got := field(last(t, s.rest(), "permission.completed"), "result", "kind"); got != tc.kind {
					t.Errorf("permission.completed says %s, want %s", got, tc.kind)
				}
				if tc.read == "" {
					if msg := field(last(t, s.told, "tool.execution_complete"), "error", "message"); !strings.Contains(msg, "user rejected") || !strings.Contains(msg, "not today") {
						t.Errorf("the event says %q, want that the user rejected it, and why", msg)
					}
					if n := len(d.model.Requests()); n != 1 {
						t.Errorf("the model was asked %d times after a rejection", n)
					}
				} else if got := d.conversation(); !strings.HasSuffix(got, "tool: "+tc.read+"\n") {
					t.Errorf("the model read:\n%s", got)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestAnApprovalForTheSessionIsAskedForOnceAlsoAfterAResume(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		_, _ = s.s.AnswerPermission(context.Background(), id, permit.Answer{Outcome: permit.Approved, ForSession: true})
		s.answer(`"result":"1"`)
		s.answer(`"result":"2"`)
		s.until("session.idle")
		if n := count(s.rest(), "permission.requested"); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = d.resume(tools("ask"))
		s.send("again")
		s.answer(`"result":"3"`)
		s.until("session.idle")
		if n := count(s.rest(), "permission.requested"); n != 0 {
			t.Errorf("asked again after the resume")
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok"},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"3"}`)}},
		modeltest.Reply{Text: "ok"},
	)
}

func TestWithNobodyWhoCouldDecideTheAnswerIsNoAtOnce(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("ask")
		cfg.RequestPermission = nil
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "tool: Permission denied and could not request permission from user\n") {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
}

func TestARejectionInterruptsTheOtherCalls(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask", "slow"))
		s.send("go")
		s.until("external_tool.requested") // slow is under way and never answers
		id := field(last(t, s.rest(), "permission.requested"), "requestId")
		if ok, err := s.s.AnswerPermission(context.Background(), id, permit.Answer{Outcome: permit.Rejected}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.until("session.idle")
		if got := count(s.rest(), "tool.execution_complete"); got != 2 {
			t.Errorf("%d calls were completed, want both:\n%s", got, types(s.told))
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`), call("c2", "slow", `{"q":"x"}`)}})
}

func TestATerminalToolEndsTheRunWhenItSucceeds(t *testing.T) {
	for _, tc := range []struct {
		answer string
		asked  int
	}{{`"result":"done"`, 1}, {`"result":{"textResultForLlm":"no","resultType":"failure"}`, 2}} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			cfg := tools("finish")
			cfg.Tools[0].Terminal = true
			s := d.create(cfg)
			s.send("go")
			s.answer(tc.answer)
			s.until("session.idle")
			if got := len(d.model.Requests()); got != tc.asked {
				t.Errorf("after %s the model was asked %d times, want %d", tc.answer, got, tc.asked)
			}
		}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "finish", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
	}
}

func TestAProviderFailureEndsInOneErrorAndOneIdle(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		kind  string
		asked int
	}{
		{"a wrong key is not tried again", modeltest.Failure(401, "invalid_api_key", "bad key"), "authentication", 1},
		{"an unknown model is not tried again", modeltest.Failure(404, "model_not_found", "no such model"), "query", 1},
		{"a broken server is tried again, within a bound", modeltest.Reply{Status: 500, Body: "{}", Repeat: true}, "server", 4},
		{"an HTML page is no answer", modeltest.Reply{Body: "<html>hello</html>", Header: map[string]string{"Content-Type": "text/html"}}, "protocol", 1},
		{"a stream cut in the middle is not tried again", modeltest.Reply{Text: "a long answer that never ends", CutAfter: 3}, "network", 1},
		{"a silent server ends with the idle limit", modeltest.Reply{Silent: true, Repeat: true}, "timeout", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools())
				s.send("go")
				s.until("session.idle")
				events := s.rest()
				if got := field(last(t, events, "session.error"), "errorType"); got != tc.kind {
					t.Errorf("errorType is %s, want %s: %s", got, tc.kind, last(t, events, "session.error").Data)
				}
				if count(events, "session.error") != 1 || count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want one error and one idle, last:\n%s", types(events))
				}
				if count(events, "assistant.turn_start") != count(events, "assistant.turn_end") {
					t.Errorf("the turn was not closed:\n%s", types(events))
				}
				if got := len(d.model.Requests()); tc.asked > 0 && got != tc.asked {
					t.Errorf("the model was asked %d times, want %d", got, tc.asked)
				}
				if count(events, "assistant.message") != 0 {
					t.Error("a partial answer was recorded")
				}
				d.model.Add(modeltest.Reply{When: modeltest.LastIs("again"), Text: "fine now"})
			}, tc.reply)
		})
	}
}

func TestPartialTextIsNotKept(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		s.send("one")
		s.until("session.idle")
		s.send("two")
		s.until("session.idle")
		if got, want := d.conversation(), "user: one\nuser: two\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, modeltest.Reply{Text: "a long answer that never ends", CutAfter: 3}, modeltest.Reply{Text: "ok"})
}

func TestAbort(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		wait  wire.EventType
	}{
		{"before the model answers", modeltest.Reply{Silent: true}, "assistant.turn_start"},
		{"while it streams", modeltest.Reply{Text: "word by word by word", Piece: 3, StallAfter: 4}, "assistant.message_delta"},
		{"while a tool runs", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}}, "external_tool.requested"},
		{"while a person is asked", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, "permission.requested"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("lookup", "ask"))
				s.send("go")
				e := s.until(tc.wait)
				synctest.Wait()
				for range 2 { // twice is fine
					if err := s.s.Abort(context.Background(), ""); err != nil {
						t.Fatalf("Abort: %v", err)
					}
				}
				idle := s.until("session.idle")
				events := s.rest()
				if field(idle, "aborted") != "true" || count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want one idle that says aborted, last:\n%s", types(events))
				}
				if count(events, "abort") != 1 || count(events, "session.error") != 0 {
					t.Errorf("want one abort and no error:\n%s", types(events))
				}
				if a, b := count(events, "tool.execution_start"), count(events, "tool.execution_complete"); a != b {
					t.Errorf("%d calls started, %d completed", a, b)
				}
				if count(events, "permission.requested") != count(events, "permission.completed") {
					t.Errorf("the question was left open:\n%s", types(events))
				}
				if tc.wait == "external_tool.requested" && s.reply(field(e, "requestId"), `"result":"late"`) {
					t.Error("a late answer was taken")
				}
				d.model.Add(modeltest.Reply{Text: "fine"})
				s.send("next")
				s.until("session.idle")
				if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "fine" {
					t.Errorf("after the abort the model's answer was %q", got)
				}
				if strings.Contains(tc.name, "tool") && !strings.Contains(d.conversation(), "tool: The execution of this tool, or a previous tool was interrupted.\nuser: next\n") {
					t.Errorf("the model read:\n%s", d.conversation())
				}
			}, tc.reply)
		})
	}
}

func TestMessagesWaitForTheRunOrSteerIt(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("one")
		e := s.until("external_tool.requested")
		s.send("three") // in the queue
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.reply(field(e, "requestId"), `"result":"r"`)
		s.until("session.idle")
		if n := count(s.rest(), "session.idle"); n != 1 {
			t.Errorf("%d idles, want one when the queue is empty", n)
		}
		want := "user: one\nassistant: [lookup {\"q\":\"x\"}]\ntool: r\nuser: two\nassistant: to both\nuser: three\n"
		if got := d.conversation(); got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}},
		modeltest.Reply{Text: "to both"}, modeltest.Reply{Text: "to three"},
	)
}

func TestSendRefusesWhatItCannotUse(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		for _, p := range []wire.Send{
			{Prompt: "x", Mode: "later"}, {Prompt: "x", Attachments: []byte(`{"type":"file"}`)}, {Prompt: "x", Attachments: []byte(`[1]`)},
		} {
			if _, err := s.s.Send(context.Background(), p); fault.KindOf(err) != fault.Invalid {
				t.Errorf("Send(%+v) = %v, want an invalid request", p, err)
			}
		}
		if n := count(s.rest(), "user.message"); n != 0 {
			t.Errorf("%d messages were recorded", n)
		}
	})
}

func TestAnAbortDropsWhatWaits(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.send("two")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "three", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		if err := s.s.Abort(context.Background(), "user_abort"); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if n := count(s.rest(), "user.message"); n != 1 {
			t.Errorf("%d messages were taken up, want the one that was under way", n)
		}
		if got := field(last(t, s.told, "abort"), "reason"); got != "user_abort" {
			t.Errorf("the reason is %q", got)
		}
	}, modeltest.Reply{Silent: true})
}

func TestAMessageThatCameTooLateToSteerGoesFirst(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start") // the only turn: nothing comes to be steered after it
		s.send("three")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: one\nassistant: x\nuser: two\nassistant: x\nuser: three\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, modeltest.Reply{Text: "x", Delay: 1e9, Repeat: true})
}

func TestANamedModelIsNotLookedUp(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "named"})
		s.send("hi")
		s.until("session.idle")
		if n := d.model.Listings(); n != 0 {
			t.Errorf("the provider was asked for its models %d times", n)
		}
	}, modeltest.Reply{Text: "x"})
}

func TestWithoutANameTheFirstListedModelIsUsed(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"first"},{"id":"second"}]}`})
		s := d.create(wire.Config{SessionID: "s1", Provider: &wire.Provider{BaseURL: "http://own.test/v1"}})
		s.send("hi")
		s.until("session.idle")
		if got := d.model.Requests()[0].Model; got != "first" {
			t.Errorf("the model asked is %q", got)
		}
	}, modeltest.Reply{Text: "x"})
}
