package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// newest is a web service of protocol 2026-07-28 in this process, byte by byte.
type newest struct {
	mu       sync.Mutex
	methods  []string             // of the requests
	call     func() (int, string) // answers a call: the status, and the result or the error
	listened []*io.PipeWriter     // the streams of changes
}

func (s *newest) RoundTrip(q *http.Request) (*http.Response, error) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	text, _ := io.ReadAll(q.Body)
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Method == "notifications/cancelled" { // of a stream, at any time
		return answered(http.StatusAccepted, "", ""), nil
	}
	s.methods = append(s.methods, m.Method)
	status, rest := http.StatusOK, ""
	switch m.Method {
	case "server/discover":
		rest = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}`
	case "tools/list":
		tools := []string{
			`{"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`,
			`{"name":"bad","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"a b"}}}}`,
			`{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`,
		}
		rest = `"result":{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `],"ttlMs":0,"cacheScope":"private"}`
	case "subscriptions/listen":
		r, w := io.Pipe()
		s.listened = append(s.listened, w)
		context.AfterFunc(q.Context(), func() { _ = w.CloseWithError(q.Context().Err()) }) // as the network does
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r}, nil
	case "tools/call":
		status, rest = s.call()
	default:
		status, rest = http.StatusBadRequest, `"error":{"code":-32601,"message":"unknown"}`
	}
	if q.Header.Get("Mcp-Method") != m.Method || q.Header.Get("Mcp-Protocol-Version") != modernVersion {
		status, rest = http.StatusBadRequest, `"error":{"code":-32020,"message":"the headers differ"}`
	}
	res := answered(status, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, rest), "")
	res.Header.Set("Content-Type", "application/json")
	return res, nil
}

// took returns the methods of the requests since the last time.
func (s *newest) took() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := strings.Join(s.methods, " ")
	s.methods = nil
	return all
}

// A service that does not know the older first request is asked whether it wants a token with the newest one.
func TestAProbeOfTheNewestProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Host: &fakeHost{cwd: "/"}, Web: &newest{}})
		defer s.Close()
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"url":"http://s.example/mcp"}`)}})
		if err := s.Settled(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Probe(t.Context(), "s"); err != nil || p.Status != wire.MCPProbeOpen {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

func TestAWebServiceOfTheNewestProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const start, done = "server/discover subscriptions/listen tools/list", `"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}`
		h, web := &fakeHost{cwd: "/"}, &newest{}
		s := New(Options{Host: h, Web: web})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"url":"http://s.example/mcp"}`)}})
		if err := s.Settled(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := web.took(); got != start {
			t.Errorf("it got %q", got)
		}
		want := []string{`MCP server s: these tools are left out: "slow" (it runs only as a task, and this program runs none), "bad" (its schema has an x-mcp-header that breaks the rules of the protocol)`}
		if diff := cmp.Diff(want, h.warned); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
		run := func(answers ...string) tool.Result {
			web.call = func() (int, string) {
				one := answers[0]
				if answers = answers[1:]; strings.HasPrefix(one, `"error"`) {
					return http.StatusBadRequest, one
				}
				return http.StatusOK, one
			}
			defer func() {
				if len(answers) > 0 {
					t.Errorf("%d answers are left", len(answers))
				}
			}()
			return called(t, s, "s-good").Run(t.Context(), tool.Call{ID: "c", Arguments: json.RawMessage(`{"region":"here"}`)})
		}

		// It wants other headers: the tools are listed again, and the call is sent once more, and not twice.
		mismatch := `"error":{"code":-32020,"message":"Mcp-Param-Region is missing"}`
		if res := run(mismatch, done); res.Text != "done" {
			t.Errorf("%+v", res)
		}
		synctest.Wait()
		if got := web.took(); !strings.HasPrefix(got, "tools/call "+start) {
			t.Errorf("it got %q", got)
		}
		if res := run(mismatch, mismatch); res.Outcome != tool.Failure || !strings.Contains(res.Text, "Mcp-Param-Region is missing") {
			t.Errorf("%+v", res)
		}
		if res := run(`"error":{"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{}}}}`); !strings.Contains(res.Text, "capabilities that this session does not offer it (sampling)") {
			t.Errorf("%+v", res)
		}

		// The stream of changes breaks: another connection lists the tools again.
		time.Sleep(steady)
		web.took()
		_ = web.listened[len(web.listened)-1].Close()
		time.Sleep(2 * time.Second)
		if got := web.took(); got != start || len(h.seen("session.mcp_server_status_changed")) != 2 {
			t.Errorf("it got %q; the state changed: %q", got, h.seen("session.mcp_server_status_changed"))
		}
		s.Close()
	})
}
