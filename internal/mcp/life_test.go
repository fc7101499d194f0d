package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// A program that ends is started again by the next call, but not without end.
func TestACallStartsAProgramAgain(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		echo := called(t, s, "s-echo_meta")
		call := func() tool.Result { return echo.Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)}) }
		for range maxRevivals {
			m.end()
			synctest.Wait()
			if diff := cmp.Diff(map[string]string{"s": "failed"}, states(s)); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
			if res := call(); res.Outcome != tool.Success {
				t.Errorf("a call: %+v", res)
			}
		}
		m.end()
		synctest.Wait()
		if res := call(); res.Outcome != tool.Failure || !strings.Contains(res.Text, "the connection has ended") {
			t.Errorf("a call of a program that has ended too often: %+v", res)
		}
		time.Sleep(reviveTime)
		if res := call(); res.Outcome != tool.Success {
			t.Errorf("a call some time later: %+v", res)
		}
	})
}

// Nothing is called in the place of the tool that was approved.
func TestACallDoesNotReachAnotherTool(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		echo := called(t, s, "s-echo_meta")
		m.end()
		m.servers["s"].RemoveTools("echo_meta")
		sdk.AddTool(m.servers["s"], &sdk.Tool{Name: "echo_meta", Description: "Another one."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			t.Error("it was called")
			return nil, nil, nil
		})
		synctest.Wait()
		if res := echo.Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)}); res.Outcome != tool.Failure || !strings.Contains(res.Text, "another one now") {
			t.Errorf("a call: %+v", res)
		}
	})
}

// forgetful is a web service whose sessions end after some calls.
type forgetful struct {
	serve http.Handler
	each  int    // how many calls a session has
	body  string // of the status 404

	mu       sync.Mutex
	calls    map[string]int // by session
	begun    int
	unserved int // requests of sessions that have ended
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	text, _ := io.ReadAll(q.Body)
	q.Body = io.NopCloser(strings.NewReader(string(text)))
	id := q.Header.Get("Mcp-Session-Id")
	f.mu.Lock()
	if strings.Contains(string(text), `"method":"initialize"`) {
		f.begun++
	}
	gone := id != "" && f.calls[id] >= f.each && q.Method != http.MethodDelete // the server under it has to end its session
	if gone {
		f.unserved++
	} else if strings.Contains(string(text), `"method":"tools/call"`) {
		f.calls[id]++
	}
	f.mu.Unlock()
	if gone {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, f.body)
		return
	}
	f.serve.ServeHTTP(w, q)
}

// A server that begins another session at every tenth call loses no call, whatever its status 404 says, and gets
// one initialize for all calls that wait.
func TestAServerThatForgetsItsSessionLosesNoCall(t *testing.T) {
	for name, body := range map[string]string{"text": "no such session", "an error of the protocol": `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}`} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int64
			server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, older)
			sdk.AddTool(server, &sdk.Tool{Name: "count"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(ran.Add(1))}}}, nil, nil
			})
			f := &forgetful{serve: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil), each: 10, body: body, calls: map[string]int{}}
			web := httptest.NewServer(f)
			t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
			h := &fakeHost{cwd: "/"}
			s := New(Options{Host: h})
			t.Cleanup(s.Close)
			s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(fmt.Sprintf(`{"url":%q}`, web.URL))}})
			if err := s.Settled(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			count := called(t, s, "s-count")
			var calls sync.WaitGroup
			for range 5 {
				calls.Go(func() {
					for range 20 {
						if res := count.Run(t.Context(), tool.Call{ID: "c", Arguments: json.RawMessage(`{}`)}); res.Outcome != tool.Success {
							t.Errorf("a call: %+v", res)
						}
					}
				})
			}
			calls.Wait()
			if ran.Load() != 100 || f.begun > 12 {
				t.Errorf("%d calls ran, want 100; %d sessions were begun", ran.Load(), f.begun)
			}
			if n := len(h.seen("session.mcp_server_status_changed")); n != 2 {
				t.Errorf("%d changes of the state, want pending and connected", n)
			}
		})
	}
}

// A call does not begin on a connection that is being closed: it waits for the next one.
func TestACallWaitsForTheNextConnection(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		echo := called(t, s, "s-echo_meta")
		s.mu.Lock()
		old := s.servers["s"].connection
		s.mu.Unlock()
		var running sync.WaitGroup
		running.Go(func() { _ = called(t, s, "s-hangs").Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)}) }) // keeps the old connection
		synctest.Wait()
		close(old.unheard) // no change would be heard of any more
		begin := time.Now()
		synctest.Wait()
		if res := echo.Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)}); res.Outcome != tool.Success || time.Since(begin) != reconnects[0] {
			t.Errorf("a call after %v: %+v", time.Since(begin), res)
		}
		running.Wait()
	})
}

// A request that found the connection before that is sent once more, on the next one.
func TestNothingBeginsOnARetiredConnection(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, m *inMemory, s *Set) {
		s.Await(t.Context())
		s.mu.Lock()
		n := s.servers["s"].connection
		s.mu.Unlock()
		n.retire(t.Context())
		one := called(t, s, "s-echo_meta").(*Tool)
		_, err := one.send(t.Context(), n, tool.Call{}, nil)
		if err == nil || !one.repeats(n, err) || !passing(err) {
			t.Errorf("a call: %v", err)
		}
	})
}
