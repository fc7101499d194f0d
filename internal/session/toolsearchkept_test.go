package session_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// withSearch is a toolbox that can start sub-agents and search for tools.
func withSearch(h tool.Host) session.Toolbox {
	box := delegating(h)
	box.Tools = append(slices.Clone(box.Tools), tool.ToolSearch())
	return box
}

// deferring is a client with tools of which each is deferred that may be, and one that may not.
func deferring(names ...string) wire.Config {
	cfg := tools(append(names, "always")...)
	cfg.Tools[len(names)].Defer = wire.DeferNever
	cfg.ToolSearch = &wire.ToolSearch{DeferThreshold: new(int64(0))}
	return cfg
}

// custom are the tools of the client in a request, in their order.
func custom(r modeltest.Request) (names []string) {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(name string) bool { return !slices.Contains([]string{"always", "paint", "sing", "dance"}, name) })
}

func lastRequest(d *desk) modeltest.Request {
	all := d.model.Requests()
	return all[len(all)-1]
}

func find(query string) modeltest.Reply {
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c-"+query, "tool_search_tool", `{"query":"`+query+`"}`)}}
}

// What was found stays, in the order in which it was: over a resume, in a fork and after a clear. A rewind takes it back.
func TestFoundToolsStay(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), tools: withSearch}, func(d *desk) {
		cfg := deferring("paint", "sing", "dance")
		check := func(when string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(append([]string{"always"}, want...), custom(lastRequest(d))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		s := d.create(cfg)
		s.talk("first")
		check("found", "sing")
		s.talk("second")
		check("found once more", "sing", "paint")
		defs, err := s.s.Metrics().Offered(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range defs {
			name := c.Definition.Name
			if deferred := slices.Contains([]string{"paint", "sing", "dance"}, name); c.Deferred != deferred || c.Sent != (name != "dance") {
				t.Errorf("%s is deferred: %v, and sent: %v", name, c.Deferred, c.Sent)
			}
		}
		d.crash()
		s = d.resume(cfg)
		s.talk("third")
		check("after a crash", "sing", "paint")
		fork, err := d.reg.Fork(context.Background(), "s1", "", "")
		if err != nil {
			t.Fatal(err)
		}
		forked := cfg
		forked.SessionID = fork
		d.resume(forked).talk("third in the fork")
		check("in a fork", "sing", "paint")
		s.truncate(d.message("second"))
		s.talk("another second")
		check("after a rewind", "sing")
	}, find("sing"), modeltest.Reply{Text: "ok"}, find("paint"), modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A client's own search replaces the built-in one: its result names tools, and it learns of those that there are not.
func TestAClientBringsItsOwnSearch(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), tools: withSearch}, func(d *desk) {
		cfg := deferring("paint", "sing")
		cfg.Tools = append(cfg.Tools, wire.Tool{
			Name: "tool_search_tool", Description: "My search.", SkipPermission: true, Overrides: true,
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`),
		})
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":{"textResultForLlm":"Try these.","resultType":"success","toolReferences":["sing","fly","always"]}`)
		if e := s.until("tool_search.activated"); string(e.Data) != `{"strategy":"client","toolNames":["sing"]}` {
			t.Errorf("the event says %s", e.Data)
		}
		s.until("session.idle")
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "Try these.\nThere are no tools of these names: fly." {
			t.Errorf("the model reads %q", got)
		}
		if got := custom(lastRequest(d)); !slices.Equal(got, []string{"always", "sing"}) {
			t.Errorf("the next request has %v", got)
		}
	}, find("songs"), modeltest.Reply{Text: "ok"})
}

// The filters of the session and of an agent count: a search finds what may be called, and nothing else. Each
// conversation has found its own tools.
func TestASubAgentSearchesItsOwnTools(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), tools: withSearch}, func(d *desk) {
		cfg := deferring("paint", "sing", "dance")
		cfg.CustomAgents = []wire.CustomAgent{{Name: "artist", Description: "paints", Prompt: "Paint.", Tools: []string{"custom:*"}}, {Name: "singer", Description: "sings", Prompt: "Sing.", Tools: []string{"sing"}}}
		cfg.ExcludedTools = []string{"dance"}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		e := last(t, s.told, "tool_search.activated")
		if e.AgentID == "" || string(e.Data) != `{"strategy":"bm25","toolNames":["paint"]}` {
			t.Errorf("of the agent %q: %s", e.AgentID, e.Data)
		}
		var of []string
		for _, r := range d.model.Requests() {
			of = append(of, strings.Join(custom(r), " "))
		}
		if want := []string{"always", "always", "always paint", "always", "sing", "always"}; !slices.Equal(of, want) {
			t.Errorf("the requests have the tools %q, want %q", of, want)
		}
	},
		first("go", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "artist", "one", "sync")}}),
		first("do one", find("paint dance")), first("do one", modeltest.Reply{Text: "Painted."}),
		first("go", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c2", "singer", "two", "sync")}}),
		first("do two", modeltest.Reply{Text: "Sung."}),
		first("go", modeltest.Reply{Text: "Done."}))
}
