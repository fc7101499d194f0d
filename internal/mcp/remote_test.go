package mcp

import (
	"encoding/json"
	"fmt"
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

// Headers may hold keys, and go to no other host.
func TestHeadersStayAtTheirHost(t *testing.T) {
	seen := make(chan http.Header, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { seen <- q.Header }))
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
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if h := <-seen; h.Get("X-Key") != "" {
		t.Errorf("another host got %v", h)
	}
}
