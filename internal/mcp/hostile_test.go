package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// hostile is a server that sends what the SDK of servers would not. Its methods answer with the
// text of a result; a call can also send messages before.
type hostile struct {
	tools string // the list of tools
	call  func(send func(message string), token json.RawMessage) (result string)
	asks  string // is sent once it is connected
}

// hostileTest runs a test with the server h, which is called s.
func hostileTest(t *testing.T, h hostile, test func(t *testing.T, host *fakeHost, s *Set)) {
	synctest.Test(t, func(t *testing.T) {
		host := &fakeHost{cwd: "/"}
		host.asker = &client{elicit: func(context.Context, Elicitation) (Answer, error) {
			host.note("asked")
			return Answer{Action: "decline"}, nil
		}}
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		var running sync.WaitGroup
		running.Go(func() { h.serve(toServer, fromServer) })
		s := New(Options{Host: host, Transport: func(string) sdk.Transport { return &sdk.IOTransport{Reader: toClient, Writer: fromClient} }})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
		s.Await(t.Context())
		test(t, host, s)
		s.Close()
		running.Wait()
	})
}

func (h hostile) serve(in io.ReadCloser, out io.WriteCloser) {
	defer in.Close()
	defer out.Close()
	send := func(message string) { _, _ = io.WriteString(out, message+"\n") } // an error ends the reading, too
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var q struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			} `json:"params"`
		}
		_ = json.Unmarshal(lines.Bytes(), &q)
		result := "{}"
		switch q.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`
		case "notifications/initialized":
			if h.asks != "" {
				send(h.asks)
			}
		case "tools/list":
			result = `{"tools":[` + h.tools + `]}`
		case "tools/call":
			result = h.call(send, q.Params.Meta.Token)
		}
		if q.ID != nil && q.Method != "" {
			send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + result + `}`)
		}
	}
}

func described(name, description, schema string) string {
	encoded, _ := json.Marshal([]string{name, description}) // texts can be encoded
	var texts []json.RawMessage
	_ = json.Unmarshal(encoded, &texts)
	return `{"name":` + string(texts[0]) + `,"description":` + string(texts[1]) + `,"inputSchema":` + schema + `}`
}

// Of the tools that a server lists, those are left out that no provider or reader could take, and
// a warning names them.
func TestToolsThatCannotBeOfferedAreLeftOut(t *testing.T) {
	long := strings.Repeat("d", 60<<10)
	all := []string{
		"null", described("plain", "", `{"type":"object"}`), described("two\u202elines", "", `{"type":"object"}`), described("esc\x1b[2J", "", `{"type":"object"}`),
		described("f(x)", "", `{"type":"object"}`), described("", "", `{"type":"object"}`), described("deep", "", strings.Repeat(`{"not":`, 500)+`{}`+strings.Repeat(`}`, 500)),
		described("list", "", `{"type":["array","null"],"properties":[1],"required":5}`), described("odd", "", `{"required":["a",1]}`), described("good", "", `{"required":["a"]}`),
		described("plain", "again", `{}`),
	}
	for i := range 30 {
		all = append(all, described(fmt.Sprint("long", i), long, `{}`))
	}
	hostileTest(t, hostile{tools: strings.Join(all, ",")}, func(t *testing.T, host *fakeHost, s *Set) {
		schemas := map[string]string{}
		long := 0
		for _, one := range s.Tools() {
			d := one.Definition()
			if strings.HasPrefix(d.Name, "s-long") {
				long++
			} else {
				schemas[d.Name] = string(d.Parameters)
			}
		}
		empty := `{"properties":{},"type":"object"}`
		want := map[string]string{"s-plain": empty, "s-list": empty, "s-odd": empty, "s-good": `{"properties":{},"required":["a"],"type":"object"}`}
		if diff := cmp.Diff(want, schemas); diff != "" {
			t.Errorf("schemas (-want +got):\n%s", diff)
		}
		if long != 17 {
			t.Errorf("%d tools with long descriptions are offered, want 17: less than 1 MiB", long)
		}
		if len(host.warned) != 1 || !strings.Contains(host.warned[0], `"two<U+202E>lines" (its name is empty, has more than 256 bytes, or has parentheses or characters that nobody sees)`) ||
			!strings.Contains(host.warned[0], `"deep" (its schema has more than 256 KiB or 100 levels)`) || !strings.Contains(host.warned[0], `"plain" (the server lists it twice)`) ||
			!strings.Contains(host.warned[0], "and 9 more") {
			t.Errorf("warnings: %q", host.warned)
		}
	})
}

// The title of a tool is in the events of each call, and a user sees it before the call is allowed.
func TestTitlesAreShortAndVisible(t *testing.T) {
	long := `{"name":"t","title":"` + strings.Repeat("long ", 200_000) + `\u001b[2J","inputSchema":{}}`
	hostileTest(t, hostile{tools: long + `,{"name":"u","title":"Clears\u001b[2J","inputSchema":{}}`}, func(t *testing.T, _ *fakeHost, s *Set) {
		for _, one := range s.Tools() {
			d := one.Definition()
			if len(d.Title) > 4096 || strings.Contains(d.Title, "\x1b") || d.Name == "s-u" && !strings.HasPrefix(d.Title, "Clears") {
				t.Errorf("%s has a title of %d bytes: %.60q", d.Name, len(d.Title), d.Title)
			}
		}
	})
}

// A server reports the end of a call once, however often it says so.
func TestProgressCannotBeFlooded(t *testing.T) {
	flood := hostile{tools: described("t", "", `{}`), call: func(send func(string), token json.RawMessage) string {
		for range 500 {
			send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(token) + `,"progress":2,"total":1}}`)
		}
		return `{"content":[]}`
	}}
	hostileTest(t, flood, func(t *testing.T, host *fakeHost, s *Set) {
		called(t, s, "s-t").Run(t.Context(), tool.Call{ID: "c1", Arguments: json.RawMessage(`{}`)})
		synctest.Wait()
		if got := host.seen("progress"); len(got) != 1 {
			t.Errorf("%d reports, want 1", len(got))
		}
	})
}

// Of a result with very many parts the first are used.
func TestPartsOfResultsAreBounded(t *testing.T) {
	many := hostile{tools: described("t", "", `{}`), call: func(func(string), json.RawMessage) string {
		return `{"content":[` + strings.Repeat(`{"type":"text","text":"x"},`, 4999) + `{"type":"text","text":"last"}]}`
	}}
	hostileTest(t, many, func(t *testing.T, _ *fakeHost, s *Set) {
		res := called(t, s, "s-t").Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)})
		if len(res.Contents) != maxBlocks || !strings.HasSuffix(res.Text, "x\n[4000 more parts, which are left out: a result has at most 1000]") {
			t.Errorf("%d parts, the text ends with %q", len(res.Contents), res.Text[max(0, len(res.Text)-80):])
		}
	})
}

// The schema of a form is not read by the SDK if it is nested so deeply that this would take
// minutes. The session goes on meanwhile.
func TestDeepFormsAreRefused(t *testing.T) {
	deep := hostile{tools: described("t", "", `{}`), asks: `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{},"not":` +
		strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300) + `}}}`}
	hostileTest(t, deep, func(t *testing.T, host *fakeHost, s *Set) {
		synctest.Wait()
		if len(s.Tools()) != 1 || len(host.seen("asked")) != 0 {
			t.Errorf("%d tools, questions: %q", len(s.Tools()), host.seen("asked"))
		}
	})
}

// The name of a server can be read and cannot pose as something else.
func TestNamesOfServers(t *testing.T) {
	bubble(t, []string{"good one", "github(create_issue)", "a\u202eb", "esc\x1b[0m", "line\nbreak", strings.Repeat("n", 129)}, func(t *testing.T, _ *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		for name, status := range states(s) {
			if want := map[bool]string{true: "connected", false: "failed"}[name == "good one"]; status != want {
				t.Errorf("%q is %s, want %s", name, status, want)
			}
		}
	})
}
