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

// What only reads is called once more when the server is back. The state says meanwhile what is wrong.
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
