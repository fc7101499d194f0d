package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// service is a web service with a key.
func service(t *testing.T, serve http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("X-Key") != "the key" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, q)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func TestWebServices(t *testing.T) {
	mine := testServer()
	streaming := service(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mine }, nil))
	events := service(t, sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return mine }, nil))
	s := New(Options{Host: &fakeHost{cwd: "/"}})
	t.Cleanup(s.Close)
	s.Configure(Configuration{Servers: map[string]jsonText{
		"http": jsonText(fmt.Sprintf(`{"url":%q,"headers":{"X-Key":"the key"}}`, streaming.URL)),
		"sse":  jsonText(fmt.Sprintf(`{"type":"sse","url":%q,"headers":{"X-Key":"the key"}}`, events.URL)),
		"anon": jsonText(fmt.Sprintf(`{"type":"http","url":%q}`, streaming.URL)),
		"gone": jsonText(`{"type":"http","url":"http://127.0.0.1:1/mcp"}`),
	}})
	for _, name := range []string{"http", "sse"} {
		if err := s.Settled(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		res := called(t, s, name+"-structured").Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)})
		if res.Text != `{"n":1}` {
			t.Errorf("%s: %+v", name, res)
		}
	}
	for name, want := range map[string]wire.MCPServerStatus{"anon": wire.MCPNeedsAuth, "gone": wire.MCPFailed} {
		if err := s.Settled(t.Context(), name); err == nil {
			t.Errorf("%s is connected", name)
		}
		if status, why := entry(t, s, name); status != want || why == "" {
			t.Errorf("%s is %s: %q", name, status, why)
		}
	}
}

// Calls have the user's data and headers may hold keys: they go to no other host.
func TestRequestsStayAtTheirHost(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { t.Errorf("another host got %v", q.Header) }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect)
	}))
	defer first.Close()
	web := newRoundTripper()
	defer web.CloseIdleConnections()
	r, err := newRemote(&config{transport: transportHTTP, url: first.URL, headers: map[string]string{"X-Key": "the key"}}, web, &credentials{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: r}).Get(first.URL)
	if err == nil {
		answer.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "another host, which is refused") {
		t.Errorf("the redirect was followed: %v", err)
	}
}

// A stream may bring messages that answer no request. Nothing counts those, so the bytes of the
// stream are limited.
func TestAStreamOfEventsThatFloods(t *testing.T) {
	flood := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		line := []byte("data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{\"x\":\"" + strings.Repeat("x", 64<<10) + "\"}}\n\n")
		for range 2 * floodBytes / len(line) {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}))
	defer flood.Close()
	web := newRoundTripper()
	defer web.CloseIdleConnections()
	r, err := newRemote(&config{transport: transportHTTP, url: flood.URL}, web, &credentials{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: r}).Get(flood.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); err == nil || n > floodBytes {
		t.Errorf("%d bytes were read, %v", n, err)
	}
}
