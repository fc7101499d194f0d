package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// away is a web service in this process that is away for some requests.
type away struct {
	serve http.Handler

	mu    sync.Mutex
	next  []func() (*http.Response, error) // what happens to the next requests, instead of what the server does
	posts int
}

func (a *away) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodGet {
		return answered(http.StatusMethodNotAllowed, "", ""), nil
	}
	if q.Method == http.MethodPost {
		a.mu.Lock()
		a.posts++
		var instead func() (*http.Response, error)
		if len(a.next) > 0 {
			instead, a.next = a.next[0], a.next[1:]
		}
		a.mu.Unlock()
		if instead != nil {
			return instead()
		}
	}
	w := httptest.NewRecorder()
	a.serve.ServeHTTP(w, q)
	return w.Result(), nil
}

// fails has the next requests fail.
func (a *away) fails(times int, how func() (*http.Response, error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range times {
		a.next = append(a.next, how)
	}
}

func answered(status int, body, retryAfter string) *http.Response {
	h := http.Header{}
	if retryAfter != "" {
		h.Set("Retry-After", retryAfter)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func status(code int, body, retryAfter string) func() (*http.Response, error) {
	return func() (*http.Response, error) { return answered(code, body, retryAfter), nil }
}

// Answers of what stands before a server, and none.
var (
	unavailable503 = status(http.StatusServiceUnavailable, "<b>upstream\x1b[31m</b>\n gone", "")
	refusedDial    = func() (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	reset = func() (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
	}
)

// absent runs a test with a web service that has a tool which reads and one which writes.
func absent(t *testing.T, before func(*away), test func(t *testing.T, h *fakeHost, a *away, s *Set)) {
	synctest.Test(t, func(t *testing.T) {
		server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, older)
		for name, reads := range map[string]bool{"read": true, "write": false} {
			sdk.AddTool(server, &sdk.Tool{Name: name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: reads}}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
			})
		}
		a := &away{serve: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: true})}
		before(a)
		h := &fakeHost{cwd: "/"}
		s := New(Options{Host: h, Web: a})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"url":"http://s.example/mcp"}`)}})
		_ = s.Settled(t.Context(), "s") // the test looks at the state
		test(t, h, a, s)
		s.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
}

func present(*away) {}

func ran(t *testing.T, s *Set, name string) (res tool.Result, took time.Duration) {
	t.Helper()
	begin := time.Now()
	res = called(t, s, "s-"+name).Run(t.Context(), tool.Call{ID: "c", Arguments: json.RawMessage(`{}`)})
	return res, time.Since(begin)
}

// A call that only reads is sent once more when the server is back. Until then, the state says what is wrong.
func TestAWebServiceThatIsAwayIsConnectedToAgain(t *testing.T) {
	for name, how := range map[string]func() (*http.Response, error){"503": unavailable503, "reset": reset} {
		t.Run(name, func(t *testing.T) {
			absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
				a.fails(3, how)
				if res, took := ran(t, s, "read"); res.Text != "done" || took != 7*time.Second {
					t.Errorf("after %v: %+v", took, res)
				}
				seen := strings.Join(h.seen("session.mcp_server_status_changed")[2:], "\n")
				if !strings.Contains(seen, `"status":"pending"`) || !strings.Contains(seen, `"status":"connected"`) || strings.Contains(seen, "\x1b") {
					t.Errorf("the events are %s", seen)
				}
				if name == "503" && !strings.Contains(seen, "status 503 Service Unavailable: ") {
					t.Errorf("the events are %s", seen)
				}
			})
		})
	}
}

// What writes may have been done: it is not called again, unless no connection was made.
func TestACallThatMayHaveBeenDoneIsNotRepeated(t *testing.T) {
	absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
		a.fails(1, unavailable503)
		if res, _ := ran(t, s, "write"); res.Outcome != tool.Failure || !strings.Contains(res.Text, "status 503 Service Unavailable: <b>upstream") {
			t.Errorf("%+v", res)
		}
		if res, _ := ran(t, s, "write"); res.Text != "done" {
			t.Errorf("the next call: %+v", res)
		}
		a.fails(1, refusedDial)
		if res, took := ran(t, s, "write"); res.Text != "done" || took != time.Second {
			t.Errorf("without a connection, after %v: %+v", took, res)
		}
	})
}

func TestAServerWithTooManyRequestsIsWaitedFor(t *testing.T) {
	absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
		a.fails(1, status(http.StatusTooManyRequests, "", "5"))
		if res, took := ran(t, s, "write"); res.Text != "done" || took != 5*time.Second {
			t.Errorf("after %v: %+v", took, res)
		}
		a.fails(1, status(http.StatusTooManyRequests, "", "86400"))
		if res, took := ran(t, s, "write"); res.Text != "done" || took != maxWait {
			t.Errorf("after %v: %+v", took, res)
		}
		if n := len(h.seen("session.mcp_server_status_changed")); n != 2 {
			t.Errorf("%d changes of the state, want pending and connected", n)
		}
	})
}

// After five attempts the server has failed, and a call tries again later.
func TestAServerThatStaysAwayFails(t *testing.T) {
	absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
		a.fails(6, unavailable503)
		if res, took := ran(t, s, "read"); res.Outcome != tool.Failure || took != 31*time.Second {
			t.Errorf("after %v: %+v", took, res)
		}
		if status, why := entry(t, s, "s"); status != "failed" || !strings.Contains(why, "status 503") {
			t.Errorf("it is %s: %s", status, why)
		}
		if res, _ := ran(t, s, "write"); res.Text != "done" {
			t.Errorf("the next call: %+v", res)
		}
	})
}

// At the start, what passes is tried three times, and what does not is not.
func TestTheStartIsTriedAgain(t *testing.T) {
	for _, tc := range []struct {
		what   string
		how    func() (*http.Response, error)
		times  int
		status string
		posts  int // requests
	}{
		{"503 twice", unavailable503, 2, "connected", 2 + 4},
		{"503 each time", unavailable503, 9, "failed", 3},
		{"404", status(http.StatusNotFound, "no", ""), 9, "failed", 2}, // for each version of the protocol
		{"403", status(http.StatusForbidden, "no", ""), 9, "failed", 2},
	} {
		t.Run(tc.what, func(t *testing.T) {
			absent(t, func(a *away) { a.fails(tc.times, tc.how) }, func(t *testing.T, h *fakeHost, a *away, s *Set) {
				status, why := entry(t, s, "s")
				if string(status) != tc.status || a.posts != tc.posts {
					t.Errorf("it is %s: %s after %d requests, want %s after %d", status, why, a.posts, tc.status, tc.posts)
				}
			})
		})
	}
}

// The attempts to start a server are one start for a run that waits for it.
func TestARunWaitsOnceForAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func() (*http.Response, error) { time.Sleep(9 * time.Second); return unavailable503() }
		a := &away{serve: http.NotFoundHandler()}
		a.fails(3, slow)
		s := New(Options{Host: &fakeHost{cwd: "/"}, Web: a})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"url":"http://s.example/mcp"}`)}})
		begin := time.Now()
		s.Await(t.Context())
		if took := time.Since(begin); took != AwaitTime {
			t.Errorf("a run waited %v, want %v", took, AwaitTime)
		}
		_ = s.Settled(t.Context(), "s") // the last attempt has failed
		a.fails(3, slow)
		if err := s.Start("s", nil, true); err != nil {
			t.Fatal(err)
		}
		begin = time.Now()
		s.Await(t.Context())
		if took := time.Since(begin); took != AwaitTime {
			t.Errorf("after a restart, a run waited %v, want %v", took, AwaitTime)
		}
		s.Close()
	})
}

// A session that closes reports no failure of a server that it was connecting to again.
func TestClosingIsNoFailure(t *testing.T) {
	absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
		a.fails(9, unavailable503)
		_, _ = ran(t, s, "write") // which notices that the server is away
		s.Close()
		if seen := h.seen("session.mcp_server_status_changed"); strings.Contains(strings.Join(seen, "\n"), "failed") {
			t.Errorf("the events are %q", seen)
		}
	})
}

// A list that a busy server does not give is read again later, and the session is warned if it stays busy.
func TestAListOfABusyServerIsReadAgain(t *testing.T) {
	busy := status(http.StatusTooManyRequests, "", "")
	for _, tc := range []struct {
		refusals int
		warned   bool
	}{{1 + maxWaits, false}, {(1 + maxRelists) * (1 + maxWaits), true}} {
		absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
			a.fails(tc.refusals, busy)
			s.mu.Lock()
			n := s.servers["s"].connection
			s.mu.Unlock()
			n.note(changedTools)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if read := len(h.seen("session.mcp_tools_list_changed")) + len(h.seen("mcp.tools.list_changed")); (read == 1) == tc.warned || len(h.warned) > 0 != tc.warned {
				t.Errorf("after %d refusals: events %q, warnings %q", tc.refusals, h.events, h.warned)
			}
			if tc.warned && !strings.Contains(h.warned[0], "its tools cannot be listed again: status 429") {
				t.Errorf("warned of %q", h.warned)
			}
		})
	}
}

// Prompts and resources that were read before the server was away are not listed twice.
func TestAListThatIsAskedForAgainBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: older.SupportedProtocolVersions, PageSize: 2})
		for _, name := range []string{"p0", "p1", "p2", "p3"} {
			server.AddPrompt(&sdk.Prompt{Name: name}, nil)
		}
		server.AddResource(&sdk.Resource{URI: "test://one", Name: "one"}, nil)
		server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://{x}", Name: "x"}, nil)
		a := &away{serve: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: true})}
		s := New(Options{Host: &fakeHost{cwd: "/"}, Web: a})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"url":"http://s.example/mcp"}`)}})
		_ = s.Settled(t.Context(), "s") // the lists tell
		second := func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.next = append(a.next, nil, unavailable503)
		}
		second()
		list, err := s.PromptsOf(t.Context(), "s")
		if len(list) != 4 || err != nil {
			t.Errorf("the prompts are %v, %v", list, err)
		}
		second()
		if res := s.ListResources(t.Context(), "s", ""); res.Text != "test://one  one\ntemplate test://{x}  x" {
			t.Errorf("the resources are %q", res.Text)
		}
		s.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
}

// What a token does not allow is said of the request that it did not allow, and of no later one.
func TestALackOfAScopeIsOfOneRequest(t *testing.T) {
	absent(t, present, func(t *testing.T, h *fakeHost, a *away, s *Set) {
		a.fails(1, func() (*http.Response, error) {
			answer := answered(http.StatusForbidden, "", "")
			answer.Header.Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin"`)
			return answer, nil
		})
		_, err := s.Read(t.Context(), "s", "test://one")
		if text := fault.Message(err); fault.KindOf(err) != fault.Denied || !strings.HasPrefix(text, "the token does not allow this") || !strings.Contains(text, "scope admin") {
			t.Errorf("reading a resource: %v", err)
		}
		a.fails(1, status(http.StatusInternalServerError, "the disk is full", ""))
		if res, _ := ran(t, s, "write"); !strings.Contains(res.Text, "the disk is full") || strings.Contains(res.Text, "scope") {
			t.Errorf("the next call: %+v", res)
		}
	})
}

// A service without room is sent a call three more times, also if the tool only reads.
func TestACallIsSentAgainThreeTimesToAServiceWithoutRoom(t *testing.T) {
	absent(t, present, func(t *testing.T, _ *fakeHost, a *away, s *Set) {
		for _, name := range []string{"read", "write"} {
			a.fails(20, status(http.StatusTooManyRequests, "", "600"))
			_, took := ran(t, s, name)
			a.mu.Lock()
			if sent := 20 - len(a.next); sent != 4 || took > 2*time.Minute {
				t.Errorf("%s: sent %d times in %v", name, sent, took)
			}
			a.next = nil
			a.mu.Unlock()
		}
	})
}
