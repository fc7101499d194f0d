package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// things are what each of 16 servers has; of each there are four tools.
var things = map[string]string{
	"github": "issue pullrequest repository workflow", "gitlab": "mergerequest pipeline runner milestone", "slack": "message channel reaction huddle",
	"notion": "page block workspace comment", "linear": "ticket cycle roadmap label", "jira": "epic sprint board worklog",
	"postgres": "table row index schema", "redis": "key stream hash set", "files": "directory symlink archive permission",
	"browser": "tab screenshot cookie form", "sentry": "exception release alert replay", "stripe": "invoice customer refund subscription",
	"drive": "document spreadsheet slide share", "calendar": "event reminder attendee availability", "mail": "draft thread attachment filter",
	"maps": "route place geocode elevation",
}

var verbs = map[string]string{"list": "Lists every", "get": "Reads one", "create": "Adds another", "delete": "Removes an existing"}

// described is a tool of one of the servers.
type described struct{ server, name, about string }

// wireName is what models call it.
func (d described) wireName() string { return d.server + "-" + d.name }

// world are 262 tools of 16 servers.
func world() (all []described) {
	for server, nouns := range things {
		for noun := range strings.FieldsSeq(nouns) {
			for verb, says := range verbs {
				all = append(all, described{server, verb + "_" + noun, fmt.Sprintf("%s %s of the account. The answer is JSON, and has at most a hundred of them.", says, noun)})
			}
		}
	}
	for i, about := range []string{"Says who is signed in.", "Measures the latency.", "Rotates credentials.", "Exports a report.", "Undoes the latest change.", "Watches for modifications."} {
		all = append(all, described{"github", fmt.Sprintf("extra_%d", i), about})
	}
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.wireName(), b.wireName()) })
	return all
}

// serving is a registry whose sessions reach the servers of these tools, and the configuration of all of them.
func serving(all []described) (registry.Options, map[string]json.RawMessage) {
	servers, configs := map[string]*sdk.Server{}, map[string]json.RawMessage{}
	for _, d := range all {
		if servers[d.server] == nil {
			servers[d.server] = sdk.NewServer(&sdk.Implementation{Name: d.server, Version: "1"}, nil)
			configs[d.server] = json.RawMessage(`{"command":"x"}`)
		}
		schema := json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"which one"},"limit":{"type":"integer","description":"how many at most"}}}`)
		servers[d.server].AddTool(&sdk.Tool{Name: d.name, Description: d.about, InputSchema: schema}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "this is " + d.name + " of " + d.server}}}, nil
		})
	}
	return registry.Options{MCP: func() mcp.Options {
		return mcp.Options{Transport: func(name string) sdk.Transport {
			near, far := sdk.NewInMemoryTransports()
			go func() { _ = servers[name].Run(context.Background(), far) }() // ends with the connection
			return near
		}}
	}}, configs
}

// searching runs a session at a provider, with these tools of servers.
func (u upstream) searching(t *testing.T, all []described, cfg wire.Config, f func(s *seat, fake *strict.Server), script ...strict.Reply) {
	u.endpoint.APIKey = strict.Key
	fake := strict.New(u.vendor, script...)
	opts, configs := serving(all)
	opts.Provider = provider.Provider{Endpoint: u.endpoint, Model: u.model}
	d := &desk{fs: vfs.NewMem(), opts: opts, tools: func(h tool.Host) session.Toolbox {
		return session.Toolbox{Tools: []tool.Tool{tool.ExitPlanMode(h), tool.TaskComplete(), tool.ToolSearch()}}
	}}
	d.calls = roundTrip(func(r *http.Request) (*http.Response, error) { return fake.Transport().RoundTrip(r) })
	bubble(t, d, func(d *desk) {
		defer fake.Close()
		cfg.MCPServers = configs
		s := d.create(cfg)
		if _, err := s.s.Permissions().SetMode(context.Background(), wire.ModeAllowAll); err != nil {
			t.Fatal(err)
		}
		f(s, fake)
	})
}

var elsewhere = upstream{"", strict.Chat, model.Endpoint{BaseURL: "http://model.test/v1"}, "gpt-5.1", true}

// results are the results of calls since the last look, or why they failed.
func (s *seat) results() (all []string) {
	s.d.t.Helper()
	for _, e := range s.told {
		if e.Type == "tool.execution_complete" {
			if text := field(e, "error", "message"); field(e, "success") == "false" {
				all = append(all, text)
				continue
			}
			all = append(all, field(e, "result", "content"))
		}
	}
	s.told = nil
	return all
}

// toolsIn are the names of the tools of a request in chat completions.
func toolsIn(t *testing.T, body string) (names []string) {
	t.Helper()
	var r struct {
		Tools []struct {
			Function struct{ Name string } `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

// 16 servers with 262 tools, at a provider that refuses more than 128: the first request is at most half as large again as
// with one server, every tool is found by its name and by its description, and is called then. What was sent before stays the
// beginning of each request, up to where there is no more room.
func TestEachOfManyToolsIsFoundAndCalled(t *testing.T) {
	all := world()
	var one int
	elsewhere.searching(t, slices.DeleteFunc(slices.Clone(all), func(d described) bool { return d.server != "github" }), quiet(), func(s *seat, fake *strict.Server) {
		s.send("Hello")
		s.until("session.idle")
		one = len(fake.Requests()[0].Body)
		if names := toolsIn(t, fake.Requests()[0].Body); !slices.Contains(names, "github-get_issue") || slices.Contains(names, "tool_search_tool") {
			t.Errorf("with one server the request has the tools %v", names)
		}
	}, strict.Say("Hello."))
	elsewhere.searching(t, all, whole(quiet()), func(s *seat, fake *strict.Server) {
		for i, batch := 0, 12; i < len(all); i += batch {
			s.findAndCall(fake, all[i:min(i+batch, len(all))])
		}
		first := fake.Requests()[0].Body
		if len(all) != 262 || len(first)*2 > one*3 {
			t.Errorf("with %d tools the first request has %d bytes, and with those of one server %d", len(all), len(first), one)
		}
		if refused := fake.Refused(); len(refused) > 0 {
			t.Errorf("the provider has refused: %v", refused)
		}
	})
}

// findAndCall has the model search for tools, by their names and by their descriptions, and then call them.
func (s *seat) findAndCall(fake *strict.Server, some []described) {
	s.d.t.Helper()
	var byName, byWords, calls []strict.Call
	for _, d := range some {
		byName = append(byName, strict.Call{Name: "tool_search_tool", Arguments: fmt.Sprintf(`{"query":"%s","limit":1}`, strings.ReplaceAll(d.server+" "+d.name, "_", " "))})
		byWords = append(byWords, strict.Call{Name: "tool_search_tool", Arguments: fmt.Sprintf(`{"query":%q}`, d.about)})
		calls = append(calls, strict.Call{Name: d.wireName(), Arguments: `{"id":"1"}`})
	}
	fake.Add(strict.Use(byName...), strict.Use(byWords...), strict.Use(calls...), strict.Say("Done."))
	s.told = nil
	s.send("go")
	s.until("session.idle")
	found := strings.Join(s.results(), "\n")
	requests := fake.Requests()
	sent := toolsIn(s.d.t, requests[len(requests)-2].Body)
	for _, d := range some {
		if n := strings.Count(found, "- "+d.wireName()+": "+d.about); n < 2 {
			s.d.t.Errorf("%s was found %d times, want by its name and by its description", d.wireName(), n)
		}
		if !strings.Contains(found, "this is "+d.name+" of "+d.server) || !slices.Contains(sent, d.wireName()) {
			s.d.t.Errorf("%s was not called as a tool of the request, which has %v:\n%s", d.wireName(), sent, found)
		}
	}
}

// A search works in every dialect, also with models whose reasoning is bound to what comes before it. The request stays the
// same up to where the tool is appended.
func TestToolsAreFoundInEveryDialect(t *testing.T) {
	for _, u := range upstreams {
		t.Run(u.name, func(t *testing.T) {
			search := strict.Use(strict.Call{Name: "tool_search_tool", Arguments: `{"query":"refund"}`})
			if u.vendor != strict.Chat {
				search.Parts = append([]strict.Part{{Reasoning: "There may be a tool."}}, search.Parts...)
			}
			u.searching(t, world(), quiet(), func(s *seat, fake *strict.Server) {
				s.send("go")
				s.until("session.idle")
				if e := last(t, s.told, "tool_search.activated"); field(e, "strategy") != "bm25" || !strings.Contains(string(e.Data), "stripe-create_refund") {
					t.Errorf("the event says %s", e.Data)
				}
				if got := s.results(); len(got) != 2 || got[1] != "this is create_refund of stripe" || fake.Left() != 0 {
					t.Errorf("the results are %q", got)
				}
				if refused := fake.Refused(); len(refused) > 0 {
					t.Errorf("the fake refused: %s", strings.Join(refused, "\n"))
				}
			}, search, strict.Use(strict.Call{Name: "stripe-create_refund", Arguments: `{}`}), strict.Say("Done."))
		})
	}
}

// A deferred tool that the model calls by its right name is called, and offered from then on; of a wrong name it learns
// what it may mean.
func TestADeferredToolIsCalledWithoutASearch(t *testing.T) {
	elsewhere.searching(t, world(), quiet(), func(s *seat, fake *strict.Server) {
		s.send("go")
		s.until("session.idle")
		if e := last(t, s.told, "tool_search.activated"); string(e.Data) != `{"strategy":"call","toolNames":["maps-get_route"]}` {
			t.Errorf("the event says %s", e.Data)
		}
		got := s.results()
		slices.Sort(got)
		if len(got) != 2 || !strings.HasPrefix(got[0], "Tool 'get_maps_route' does not exist. Do you mean maps-get_route, ") || strings.Contains(got[0], "slack-") || got[1] != "this is get_route of maps" {
			t.Errorf("the results are %q", got)
		}
		if sent := toolsIn(t, fake.Requests()[1].Body); sent[len(sent)-1] != "maps-get_route" {
			t.Errorf("the next request has %v", sent)
		}
	}, strict.Use(strict.Call{Name: "get_maps_route", Arguments: `{}`}, strict.Call{Name: "maps-get_route", Arguments: `{}`}), strict.Say("Done."))
}

// A client that switches the search off gets an error with numbers and advice where the provider does not take all tools:
// of this program where the limit is known, and otherwise after the provider has named it.
func TestTooManyToolsForTheProvider(t *testing.T) {
	off := quiet()
	off.ToolSearch = &wire.ToolSearch{Enabled: new(false)}
	ofVendor := upstream{"", strict.Chat, model.Endpoint{BaseURL: "https://api.openai.com/v1", Dialect: chat.Name}, "gpt-5.1", false}
	for name, u := range map[string]upstream{"known": ofVendor, "named by the provider": elsewhere} {
		t.Run(name, func(t *testing.T) {
			u.searching(t, world(), off, func(s *seat, fake *strict.Server) {
				for range 2 { // the second time nothing is asked
					s.send("go")
					s.until("session.idle")
				}
				e := last(t, s.told, "session.error")
				for _, text := range []string{"would have 263 tools, and its provider takes 128 at most", "switch it on with toolSearch", "excludedTools"} {
					if !strings.Contains(field(e, "message"), text) {
						t.Errorf("the error is %s, want %q", e.Data, text)
					}
				}
				if n := len(fake.Requests()); n > 1 || n == 0 && name != "known" {
					t.Errorf("the provider was called %d times", n)
				}
			})
		})
	}
	t.Run("a limit that is not known makes the session defer", func(t *testing.T) {
		many := quiet()
		many.ToolSearch = &wire.ToolSearch{DeferThreshold: new(int64(1000))}
		elsewhere.searching(t, world(), many, func(s *seat, fake *strict.Server) {
			s.send("go")
			s.until("session.idle")
			if got := field(last(t, s.told, "assistant.message"), "content"); got != "Done." || len(fake.Requests()) != 2 {
				t.Errorf("the answer is %q after %d requests", got, len(fake.Requests()))
			}
		}, strict.Say("Done."))
	})
}
