package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// TestToolResults has the ways in which a call can end: what the event holds, what the
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
		{"denied continues", `"result":{"textResultForLlm":"not here","resultType":"denied"}`, "false", "denied", "not here", true},
		{"timeout continues", `"result":{"textResultForLlm":"too slow","resultType":"timeout"}`, "false", "timeout", "too slow", true},
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

// offered are the descriptions under which the model was last offered tools of a name.
func (d *desk) offered(name string) (texts []string) {
	d.t.Helper()
	requests := d.model.Requests()
	var sent struct {
		Tools []struct {
			Function struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal(requests[len(requests)-1].Raw, &sent); err != nil {
		d.t.Fatal(err)
	}
	for _, o := range sent.Tools {
		if o.Function.Name == name {
			texts = append(texts, o.Function.Description)
		}
	}
	return texts
}

// A client's tool takes the place of a built-in one only if the client says so, and only as
// long as the client is attached.
func TestAClientsToolTakesThePlaceOfABuiltInOne(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.talk("one")
		builtin := d.offered("task_complete")
		cfg := tools("task_complete")
		if _, err := d.reg.Resume(context.Background(), cfg, nil, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Resume with a tool of that name = %v, want that it is refused", err)
		}
		cfg.Tools[0].Overrides = true
		other := d.resume(cfg)
		s.send("two")
		other.answer(`"result":"the client's"`)
		s.until("session.idle")
		if diff := cmp.Diff([]string{"does task_complete"}, d.offered("task_complete")); diff != "" {
			t.Errorf("with the client, the model is offered (-want +got):\n%s", diff)
		}
		if err := other.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.talk("three")
		if diff := cmp.Diff(builtin, d.offered("task_complete")); diff != "" || len(builtin) != 1 {
			t.Errorf("without it, the model is offered (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{When: modeltest.LastIs("two"), ToolCalls: []modeltest.ToolCall{call("c1", "task_complete", `{"q":"x"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

// definitions are those of the desk's built-in tools.
func (d *desk) definitions() (all []tool.Definition) {
	if d.tools == nil {
		return nil
	}
	for _, t := range d.tools(noSession{}).Tools {
		all = append(all, t.Definition())
	}
	return all
}

// noSession is the host of tools that are described and never run.
type noSession struct{ tool.Host }

func (noSession) SkillListing() string { return "" }

func (noSession) AgentChoices() []tool.AgentChoice { return nil }
