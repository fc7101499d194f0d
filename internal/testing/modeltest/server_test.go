package modeltest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// post sends a chat completion and returns the status and body.
func post(t *testing.T, rt http.RoundTripper, url, body string) (int, string, error) {
	t.Helper()
	resp, err := (&http.Client{Transport: rt}).Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

const (
	hello  = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
	stream = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}`
)

func TestRepliesAreTakenInOrderByTheFirstThatAccepts(t *testing.T) {
	srv := modeltest.NewServer(
		modeltest.Reply{When: modeltest.LastIs("bye"), Body: "farewell"},
		modeltest.Reply{Body: "first"},
		modeltest.Reply{Body: "ever", Repeat: true},
	)
	defer srv.Close()
	bye := strings.Replace(hello, "hello", "good bye", 1)
	for i, tc := range []struct{ body, want string }{
		{hello, "first"}, {hello, "ever"}, {bye, "farewell"}, {bye, "ever"},
	} {
		if _, got, err := post(t, srv.Transport(), "http://x", tc.body); got != tc.want || err != nil {
			t.Errorf("request %d = %q, %v, want %q", i, got, err, tc.want)
		}
	}
	if n := srv.Left(); n != 1 {
		t.Errorf("Left() = %d, want the repeated reply alone", n)
	}
}

func TestAnExhaustedScriptAnswers501(t *testing.T) {
	srv := modeltest.NewServer()
	defer srv.Close()
	if status, body, _ := post(t, srv.Transport(), "http://x", hello); status != 501 || !strings.Contains(body, "request 1") {
		t.Errorf("got %d %q, want 501 and which request", status, body)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	srv := modeltest.NewServer(modeltest.Reply{})
	defer srv.Close()
	body := `{"model":"m","max_tokens":7,"tools":[{"function":{"name":"grep"}}],"messages":[
		{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"},{"type":"file"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"grep","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c","content":"found"}]}`
	if _, _, err := post(t, nil, srv.URL(), body); err != nil {
		t.Fatal(err)
	}
	got := srv.Requests()[0]
	want := []modeltest.Message{
		{Role: "user", Content: "a\n[image]"},
		{Role: "assistant", ToolCalls: []modeltest.ToolCall{{ID: "c", Name: "grep", Arguments: "{}"}}},
		{Role: "tool", Content: "found", ToolCallID: "c"},
	}
	if d := cmp.Diff(want, got.Messages); d != "" {
		t.Error(d)
	}
	if got.Path != "/v1/chat/completions" || got.MaxTokens != 7 || !cmp.Equal(got.Tools, []string{"grep"}) || string(got.Raw) != body {
		t.Errorf("got %+v", got)
	}
}

// transports are the two ways to a handler, which must behave alike.
func transports(t *testing.T, run func(t *testing.T, serve func(...modeltest.Reply) (*modeltest.Server, http.RoundTripper, string))) {
	t.Run("socket", func(t *testing.T) {
		run(t, func(r ...modeltest.Reply) (*modeltest.Server, http.RoundTripper, string) {
			srv := modeltest.NewServer(r...)
			rt := &http.Transport{}
			t.Cleanup(func() { srv.Close(); rt.CloseIdleConnections() })
			return srv, rt, srv.URL()
		})
	})
	t.Run("in process", func(t *testing.T) {
		run(t, func(r ...modeltest.Reply) (*modeltest.Server, http.RoundTripper, string) {
			srv := modeltest.NewServer(r...)
			t.Cleanup(srv.Close)
			return srv, srv.Transport(), "http://x"
		})
	})
}

func TestATornConnectionIsSeenAsOne(t *testing.T) {
	transports(t, func(t *testing.T, serve func(...modeltest.Reply) (*modeltest.Server, http.RoundTripper, string)) {
		_, rt, url := serve(
			modeltest.Reply{Text: "0123456789", Piece: 5, CutAfter: 1},
			modeltest.Reply{Text: "0123456789", CutBytes: 20},
		)
		status, body, err := post(t, rt, url, stream)
		if status != 200 || strings.Count(body, "data:") != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("CutAfter 1: %d %q %v, want one event and a broken body", status, body, err)
		}
		status, body, err = post(t, rt, url, hello)
		if status != 200 || len(body) != 20 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("CutBytes 20: %d %q %v, want 20 bytes and a broken body", status, body, err)
		}
	})
}

func TestCloseEndsSilentRequests(t *testing.T) {
	transports(t, func(t *testing.T, serve func(...modeltest.Reply) (*modeltest.Server, http.RoundTripper, string)) {
		arrived := make(chan struct{}, 2)
		when := func(*modeltest.Request) bool { arrived <- struct{}{}; return true }
		srv, rt, url := serve(modeltest.Reply{Silent: true, When: when}, modeltest.Reply{StallAfter: -1, When: when})
		failed := make(chan error)
		for range 2 {
			go func() {
				_, _, err := post(t, rt, url, stream)
				failed <- err
			}()
		}
		<-arrived
		<-arrived
		srv.Close()
		for range 2 {
			if err := <-failed; err == nil {
				t.Error("a request succeeded that was never answered")
			}
		}
	})
}

func TestDelayAndGapPassInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer(modeltest.Reply{Text: "abcdef", Piece: 2, Delay: time.Hour, Gap: time.Minute})
		defer srv.Close()
		start := time.Now()
		if _, _, err := post(t, srv.Transport(), "http://x", stream); err != nil {
			t.Fatal(err)
		}
		// Three pieces, the finish reason and [DONE]: four gaps.
		if got, want := time.Since(start), time.Hour+4*time.Minute; got != want {
			t.Errorf("took %v, want %v", got, want)
		}
	})
}

func TestLoadJSONL(t *testing.T) {
	replies, err := modeltest.LoadJSONL(strings.NewReader(`
# a comment
{"toolCalls":[{"name":"bash","arguments":{"command":"ls"}},{"id":"x","name":"view","arguments":"{}"}],"delay":"1.5s"}
{"events":[{"a":1},"[DONE]"],"usage":{"input":1},"status":429,"header":{"Retry-After":"1"}}
`))
	want := []modeltest.Reply{
		{
			ToolCalls: []modeltest.ToolCall{{Name: "bash", Arguments: `{"command":"ls"}`}, {ID: "x", Name: "view", Arguments: "{}"}},
			Delay:     1500 * time.Millisecond,
		},
		{
			Events: []string{`{"a":1}`, "[DONE]"}, Usage: &modeltest.Usage{Input: 1},
			Status: 429, Header: map[string]string{"Retry-After": "1"},
		},
	}
	if d := cmp.Diff(want, replies); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestLoadJSONLNamesTheLineItCannotRead(t *testing.T) {
	for _, bad := range []string{`{"txt":"x"}`, `{"text":"x"} {}`, `{"delay":"soon"}`, `[`} {
		_, err := modeltest.LoadJSONL(strings.NewReader("{}\n\n" + bad))
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
			t.Errorf("%s: error %v, want one that names line 3", bad, err)
		}
	}
}
