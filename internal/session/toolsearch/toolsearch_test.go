package toolsearch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// source has tools that are only described.
type source []tool.Definition

func (s source) Changed() <-chan struct{} { return nil }

func (s source) Tools() (all []tool.Tool) {
	for _, d := range s {
		all = append(all, described{tool.ToolSearch(), d})
	}
	return all
}

type described struct {
	tool.Tool
	is tool.Definition
}

func (d described) Definition() tool.Definition { return d.is }

// scene has the built-in tool view, the search, and some tools of servers.
type scene struct {
	sheets  offer.Sheets
	request toolsearch.Request
	offers  toolsearch.Offers
}

func newScene(tools ...tool.Definition) *scene {
	s := &scene{}
	view := tool.Definition{Name: "view", Description: "Shows a file.", Origin: tool.Builtin}
	s.request.All = new(offer.List).Now(append(source{view, tool.ToolSearch().Definition()}, tools...), &s.sheets)
	return s
}

func (s *scene) of() *toolsearch.Offered { return s.offers.Of(s.request, &s.sheets) }

func (s *scene) names() (names []string) {
	for _, t := range s.of().Sent {
		names = append(names, t.Name)
	}
	return names
}

// search runs the search tool.
func (s *scene) search(t *testing.T, arguments string) tool.Result {
	t.Helper()
	found, ok := s.of().ByName["tool_search_tool"]
	if !ok {
		t.Fatal("the search is not offered")
	}
	return found.Tool.Run(t.Context(), tool.Call{Name: "tool_search_tool", Arguments: []byte(arguments)})
}

// numbered are n tools of a server.
func numbered(n int) (all []tool.Definition) {
	for i := range n {
		all = append(all, tool.Definition{Name: fmt.Sprintf("db-t%03d", i), Description: "Does something.", Origin: tool.MCP, Server: "db"})
	}
	return all
}

func TestToolsAreDeferredAboveTheThreshold(t *testing.T) {
	large := numbered(2)
	large[0].Description = strings.Repeat("word ", 12_800) // half of the window
	never := numbered(41)
	for i := range never {
		never[i].Preloaded = i < 10
	}
	named := agent.Definition{Tools: []string{"db-t000", "db-t001", "mcp:db/*"}}
	hints := named
	hints.DeferTools = true
	for name, tc := range map[string]struct {
		tools    []tool.Definition
		change   func(*toolsearch.Request)
		sent     int // without the search
		deferred int
		err      string
	}{
		"few":                          {numbered(30), nil, 31, 0, ""},
		"many":                         {numbered(31), nil, 1, 31, ""},
		"never":                        {never, nil, 11, 31, ""},
		"switched off":                 {numbered(200), func(r *toolsearch.Request) { r.Off = true }, 201, 0, ""},
		"another threshold":            {numbered(3), func(r *toolsearch.Request) { r.Threshold = new(int64(2)) }, 1, 3, ""},
		"none but those that must be":  {numbered(200), func(r *toolsearch.Request) { r.Threshold = new(int64(500)) }, 201, 0, ""},
		"a large definition":           {large, nil, 1, 2, ""},
		"a large one, and a threshold": {large, func(r *toolsearch.Request) { r.Threshold = new(int64(2)) }, 3, 0, ""},
		"a small window":               {numbered(30), func(r *toolsearch.Request) { r.Window = 8192 }, 31, 0, ""},
		"more than the provider takes": {numbered(200), func(r *toolsearch.Request) { r.Most, r.Threshold = 128, new(int64(500)) }, 1, 200, ""},
		"and switched off":             {numbered(200), func(r *toolsearch.Request) { r.Most, r.Off = 128, true }, 201, 0, "would have 201 tools, and its provider takes 128 at most. Tool search is switched off"},
		"and none can be deferred":     {never, func(r *toolsearch.Request) { r.Most = 10 }, 11, 31, "would have 12 tools, and its provider takes 10 at most. These are the built-in ones"},
		"and none would be found":      {never, func(r *toolsearch.Request) { r.Most = 12 }, 11, 31, "would have 12 tools, as many as its provider takes, which leaves no room for one that is found. These are the built-in ones"},
		"an agent that names tools":    {numbered(40), func(r *toolsearch.Request) { r.Agent = named }, 3, 38, ""},
		"one that has them deferred":   {numbered(40), func(r *toolsearch.Request) { r.Agent = hints }, 1, 40, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(tc.tools...)
			if tc.change != nil {
				tc.change(&s.request)
			}
			o := s.of()
			sent := len(o.Sent)
			if len(o.Deferred) > 0 {
				sent--
			}
			if _, searches := o.ByName["tool_search_tool"]; sent != tc.sent || len(o.Deferred) != tc.deferred || searches != (tc.deferred > 0) {
				t.Errorf("%d sent and %d deferred, with a search: %v; want %d and %d", sent, len(o.Deferred), searches, tc.sent, tc.deferred)
			}
			if tc.err == "" && o.Err != nil || tc.err != "" && (o.Err == nil || !strings.Contains(o.Err.Error(), tc.err)) {
				t.Errorf("the error is %v, want %q", o.Err, tc.err)
			}
			if s.of() != o {
				t.Error("the same request is computed again")
			}
		})
	}
}

// Tools that were found follow all others, in the order in which they were found, so that what was sent before stays as
// it was. The oldest leave when there is no room, several at a time.
func TestFoundToolsFollow(t *testing.T) {
	s := newScene(numbered(40)...)
	before := s.names()
	s.request.Found = []string{"db-t007", "gone", "db-t003"}
	if diff := cmp.Diff(append(before, "db-t007", "db-t003"), s.names()); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
	if o := s.of(); !slices.Equal(o.Steady, before) || o.ByName["db-t003"].Deferred || !o.ByName["db-t004"].Deferred {
		t.Errorf("steady are %v, of which db-t003 is deferred: %v", o.Steady, o.ByName["db-t003"].Deferred)
	}
	s.request.Most, s.request.Found = 12, nil // room for 10
	for i := range 11 {
		s.request.Found = append(s.request.Found, fmt.Sprintf("db-t%03d", i))
	}
	if got := s.names(); len(got) != 2+6 || got[2] != "db-t005" || got[7] != "db-t010" {
		t.Errorf("there is room for 10, and the request has %v", got)
	}
}

func ofWorld() []tool.Definition {
	described := func(name, about, parameters string) tool.Definition {
		server, _, _ := strings.Cut(name, "-")
		return tool.Definition{Name: name, Description: about, Parameters: []byte(`{"type":"object","properties":{` + parameters + `}}`), Origin: tool.MCP, Server: server}
	}
	return append(numbered(31),
		described("github-createIssue", "Opens a new ticket in a repository.", `"title":{"description":"in a few words"}`),
		described("github-list_issues", "Lists the tickets of a repository.", ``),
		described("mail-send", "Sends a message to somebody.", `"recipient":{"description":"an address"}`),
		described("calendar-add", "Adds an event.", `"when":{"description":"a date and a time"}`),
		described("name with spaces", "A tool whose name models are not given.", ``),
	)
}

func TestSearching(t *testing.T) {
	for query, want := range map[string][]string{
		`{"query":"create an issue"}`:                          {"github-createIssue", "github-list_issues"},
		`{"query":"Create Issues","limit":1}`:                  {"github-createIssue"},
		`{"query":"recipient"}`:                                {"mail-send"},
		`{"query":"date"}`:                                     {"calendar-add"},
		`{"query":"mail"}`:                                     {"mail-send"},
		`{"query":"use mail-send, or an event","limit":2}`:     {"mail-send", "calendar-add"},
		`{"query":"select: mail-send,calendar-add,mail-sned"}`: {"mail-send", "calendar-add"},
		`{"query":"something"}`:                                {"db-t000", "db-t001", "db-t002", "db-t003", "db-t004"},
		`{"query":"xylophone"}`:                                nil,
		`{"query":""}`:                                         nil,
		`{"query":"select:"}`:                                  nil,
	} {
		s := newScene(ofWorld()...)
		res := s.search(t, query)
		if diff := cmp.Diff(want, res.Found.Names); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", query, diff, res.Text)
		}
		for _, name := range want {
			if !strings.Contains(res.Text, "- "+name+": ") {
				t.Errorf("%s: the result does not name %s:\n%s", query, name, res.Text)
			}
		}
	}
	s := newScene(ofWorld()...)
	if text := s.search(t, `{"query":"select:mail-sned, mail-send"}`).Text; !strings.Contains(text, "mail-sned (similar: mail-send)") {
		t.Errorf("a wrong name is answered with %q", text)
	}
	if similar := s.of().Similar("mail_send"); !slices.Equal(similar, []string{"mail-send"}) {
		t.Errorf("similar are %v", similar)
	}
	about := s.search(t, `{"query":"whose name models are not given"}`).Text
	wire := strings.TrimPrefix(strings.SplitAfter(strings.Split(about, "\n")[1], ":")[0], "- ")
	if wire = strings.TrimSuffix(wire, ":"); !s.of().ByName[wire].Deferred {
		t.Errorf("the model cannot call %q, of which it reads in %q", wire, about)
	}
}

// Equal searches find the same tools, also if a tool has more parameters than are searched.
func TestEqualSearchesFindTheSame(t *testing.T) {
	long := numbered(31)
	for i := range long {
		var parameters []string
		for k := range 40 {
			parameters = append(parameters, fmt.Sprintf(`"p%02d":{"description":"%s word%d"}`, k, strings.Repeat("x", 400), k))
		}
		long[i].Parameters = []byte(`{"type":"object","properties":{` + strings.Join(parameters, ",") + `}}`)
	}
	s := newScene(long...)
	first := s.search(t, `{"query":"word3 word20 word39"}`).Found.Names
	for range 20 {
		if diff := cmp.Diff(first, s.search(t, `{"query":"word3 word20 word39"}`).Found.Names); diff != "" {
			t.Fatalf("an equal search finds others (-first +now):\n%s", diff)
		}
	}
}

// The description of the search is bounded, whatever the servers have.
func TestTheListingIsBounded(t *testing.T) {
	var all []tool.Definition
	for i := range 100 {
		for k := range 20 {
			all = append(all, tool.Definition{Name: fmt.Sprintf("server%d-%s%d", i, strings.Repeat("x", 60), k), Origin: tool.MCP, Server: fmt.Sprintf("server%d", i)})
		}
	}
	s := newScene(all...)
	text := s.of().ByName["tool_search_tool"].Tool.Definition().Description
	if len(text) > 9000 || !strings.Contains(text, "2000 tools can be found") || !strings.Contains(text, "- MCP server server0, 20: server0-") || !strings.Contains(text, "60 more sources") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}
