package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// client is a client of the session as servers ask it. It implements [Asker].
type client struct {
	signsIn bool
	tokens  map[string]string // by reason; none: it declines
	headers map[string]string
	elicit  func(context.Context, Elicitation) (Answer, error)
	sample  func(context.Context, Sampling) (json.RawMessage, error)

	mu    sync.Mutex
	asked []wire.MCPAuthRequired
	why   []string // of requests for headers
}

func (c *client) Elicit(ctx context.Context, _ string, q Elicitation) (Answer, error) {
	return c.elicit(ctx, q)
}

func (c *client) Sample(ctx context.Context, _ string, q Sampling) (json.RawMessage, error) {
	return c.sample(ctx, q)
}

func (c *client) SignsIn(context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signsIn
}

func (c *client) SignIn(_ context.Context, q wire.MCPAuthRequired) (HostToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, q)
	return HostToken{Access: c.tokens[string(q.Reason)]}, nil
}

func (c *client) Headers(_ context.Context, q wire.MCPHeadersRequired) (map[string]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.why = append(c.why, string(q.Reason))
	return c.headers, nil
}

// reasons are the reasons for which the client was asked.
func (c *client) reasons() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.asked {
		all = append(all, string(q.Reason))
	}
	return all
}

// guarded is a web service that accepts some tokens, and its authorization server.
type guarded struct {
	*httptest.Server
	mu       sync.Mutex
	accepted map[string]bool
	narrow   map[string]bool // tokens that lack a scope for a call
	got      []string        // the Authorization headers
	open     string          // a method that it answers without a token; "": none
}

func guard(t *testing.T, accepted ...string) *guarded {
	t.Helper()
	g := &guarded{accepted: map[string]bool{}, narrow: map[string]bool{}}
	for _, a := range accepted {
		g.accepted[a] = true
	}
	mine := testServer()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mine }, nil)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/.well-known/oauth-protected-resource":
			_, _ = fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, g.URL+"/mcp", g.URL)
			return
		case q.URL.Path != "/mcp":
			g.authorize(w, q)
			return
		}
		token := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
		g.mu.Lock()
		g.got = append(g.got, q.Header.Get("Authorization"))
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		open := g.open != "" && (bytes.Contains(body, []byte(g.open)) || bytes.Contains(body, []byte("notifications/")) || q.Method == http.MethodDelete)
		accepted, narrow := open || g.accepted[token] || g.accepted[q.Header.Get("X-Key")], !open && g.narrow[token]
		g.mu.Unlock()
		switch {
		case !accepted:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource", scope="read", error="invalid_token"`)
			w.WriteHeader(http.StatusUnauthorized)
		case narrow:
			w.Header().Set("WWW-Authenticate", `Bearer scope="write", error="insufficient_scope"`)
			w.WriteHeader(http.StatusForbidden)
		default:
			handler.ServeHTTP(w, q)
		}
	}))
	t.Cleanup(func() { g.CloseClientConnections(); g.Close() })
	return g
}

// set changes what the service accepts.
func (g *guarded) set(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}

// connect starts the server in a set.
func connect(t *testing.T, g *guarded, o Options, fields string, tokens ...*oauth.Tokens) *Set {
	t.Helper()
	s := New(o)
	t.Cleanup(s.Close)
	s.Configure(Configuration{Servers: map[string]jsonText{"web": jsonText(fmt.Sprintf(`{"url":%q%s}`, g.URL+"/mcp", fields))}, Warn: o.Host.Warn, Tokens: append(tokens, nil)[0]})
	return s
}

func callIt(t *testing.T, s *Set) tool.Result {
	t.Helper()
	return called(t, s, "web-structured").Run(t.Context(), toolCall())
}

// A client gives the first token, another one when it expires, one with more scopes, and one after
// its user has signed in again.
func TestTheClientGivesTokens(t *testing.T) {
	g := guard(t, "one")
	c := &client{signsIn: true, tokens: map[string]string{"initial": "one", "refresh": "two", "upscope": "three"}}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/", asker: c}}, "")
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	first := c.asked[0]
	if first.ServerName != "web" || first.ServerURL != g.URL+"/mcp" || *first.WwwAuthenticateParams.Scope != "read" || first.HTTPResponse.StatusCode != 401 ||
		first.ResourceMetadata == nil || !strings.Contains(*first.ResourceMetadata, g.URL+"/mcp") {
		t.Errorf("the client was asked %+v", first)
	}
	for _, step := range []struct{ now, narrow, want string }{{"two", "", "two"}, {"two three", "two", "three"}} {
		g.set(func() {
			clear(g.accepted)
			for _, a := range strings.Fields(step.now) {
				g.accepted[a] = true
			}
			clear(g.narrow)
			g.narrow[step.narrow] = true
		})
		if res := callIt(t, s); res.Text != `{"n":1}` {
			t.Errorf("with %+v: %+v", step, res)
		}
	}
	g.set(func() { clear(g.accepted); g.accepted["four"] = true })
	c.mu.Lock()
	c.tokens = map[string]string{"reauth": "four"}
	c.mu.Unlock()
	if res := callIt(t, s); res.Text != `{"n":1}` {
		t.Errorf("after the user has signed in again: %+v", res)
	}
	if got := c.reasons(); !slices.Equal(got, []string{"initial", "refresh", "upscope", "refresh", "reauth"}) {
		t.Errorf("the client was asked for %v", got)
	}
}

// A server that a client declines to sign in to is in state needs-auth, and so is one for which no
// client can be asked; the latter is started again when there is one.
func TestNeedsAuth(t *testing.T) {
	g := guard(t, "one")
	c := &client{}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/", asker: c}}, "")
	if err := s.Settled(t.Context(), "web"); err == nil {
		t.Fatal("it is connected without a token")
	}
	if status, why := entry(t, s, "web"); status != wire.MCPNeedsAuth || !strings.Contains(why, "authenticate") {
		t.Errorf("it is %s: %s", status, why)
	}
	c.mu.Lock()
	c.signsIn = true
	c.mu.Unlock()
	s.Retry()
	if err := s.Settled(t.Context(), "web"); err == nil {
		t.Fatal("it is connected although the client has declined")
	}
	s.Retry() // which asks nobody again
	if got := c.reasons(); !slices.Equal(got, []string{"initial"}) {
		t.Errorf("the client was asked for %v", got)
	}
	c.mu.Lock()
	c.tokens = map[string]string{"initial": "one"}
	c.mu.Unlock()
	s.Reload()
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
}

// stateOf is the state of the server web, and the reason.
func stateOf(s *Set) (wire.MCPServerStatus, string) {
	v := s.List().Servers[0]
	if v.Error == nil {
		return v.Status, ""
	}
	return v.Status, *v.Error
}

// A scope that the client does not give fails the call, and clients see that the user can sign in for it. Other calls
// go on, and the state ends with another token.
func TestADeclinedScopeFailsOnlyTheCall(t *testing.T) {
	g := guard(t, "one", "two")
	c := &client{signsIn: true, tokens: map[string]string{"initial": "one"}}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/", asker: c}}, "")
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	one := called(t, s, "web-structured")
	g.set(func() { g.narrow["one"] = true })
	if res := one.Run(t.Context(), toolCall()); !strings.Contains(res.Text, "scope write") {
		t.Errorf("the call: %+v", res)
	}
	if status, why := stateOf(s); status != wire.MCPNeedsAuth || !strings.Contains(why, "sign in again for the scope write") {
		t.Errorf("after the call it is %s: %s", status, why)
	}
	g.set(func() { clear(g.narrow) })
	s.Retry()
	if res := one.Run(t.Context(), toolCall()); res.Text != `{"n":1}` {
		t.Errorf("the next call: %+v", res)
	}
	g.set(func() { g.narrow["one"] = true })
	c.mu.Lock()
	c.tokens["upscope"] = "two"
	c.mu.Unlock()
	if res := one.Run(t.Context(), toolCall()); res.Text != `{"n":1}` {
		t.Errorf("the call with another token: %+v", res)
	}
	if status, why := stateOf(s); status != wire.MCPConnected {
		t.Errorf("with another token it is %s: %s", status, why)
	}
}

// A server whose tools the token does not allow to list wants the user to sign in again.
func TestTheListOfToolsNeedsAScope(t *testing.T) {
	g := guard(t, "one")
	g.open, g.narrow["one"] = "server/discover", true
	c := &client{signsIn: true, tokens: map[string]string{"initial": "one"}}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/", asker: c}}, "")
	_ = s.Settled(t.Context(), "web") // the state counts
	if status, why := stateOf(s); status != wire.MCPNeedsAuth || !strings.Contains(why, "for the scope write") {
		t.Errorf("it is %s: %s", status, why)
	}
}

func toolCall() tool.Call { return tool.Call{Arguments: json.RawMessage(`{}`)} }

// Headers of the client replace configured ones, but not those of the protocol.
func TestTheClientGivesHeaders(t *testing.T) {
	g := guard(t, "the key")
	c := &client{headers: map[string]string{"x-key": "the key", "content-type": "text/html", "bad name": "x", "x-bad": "a\r\nb"}}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/", asker: c}}, `,"headers":{"X-Key":"old"},"headersRefreshTtlMs":3600000`)
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	g.set(func() { clear(g.accepted); g.accepted["new key"] = true })
	c.mu.Lock()
	c.headers = map[string]string{"X-Key": "new key"}
	c.mu.Unlock()
	if res := callIt(t, s); res.Text != `{"n":1}` {
		t.Errorf("after the key has changed: %+v", res)
	}
	if !slices.Equal(c.why, []string{"startup", "auth-failed"}) {
		t.Errorf("the client was asked because of %v", c.why)
	}
}

// A stored token is refreshed at the endpoint that gave it, stored again, and shown nowhere.
func TestAStoredTokenIsRefreshed(t *testing.T) {
	g := guard(t, "new")
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.FormValue("refresh_token") != "again" || q.FormValue("client_id") != "me" {
			t.Errorf("the endpoint got %v", q.Form)
		}
		_, _ = w.Write([]byte(`{"access_token":"new","token_type":"Bearer","refresh_token":"again2"}`))
	}))
	t.Cleanup(endpoint.Close)
	tokens := oauth.OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	if err := tokens.Put(g.URL+"/mcp", oauth.Token{Access: "old", Refresh: "again", Issuer: g.URL, Endpoint: endpoint.URL, ClientID: "me"}); err != nil {
		t.Fatal(err)
	}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/"}}, "", tokens)
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	if now, err := tokens.Get(g.URL + "/mcp"); err != nil || now.Access != "new" || now.Refresh != "again2" {
		t.Errorf("stored: %+v, %v", now, err)
	}
	if g.got[0] != "Bearer old" || !slices.Contains(g.got, "Bearer new") {
		t.Errorf("the server got %v", g.got)
	}
}

// A server that is configured with another address does not get the token of the first one.
func TestATokenStaysAtItsAddress(t *testing.T) {
	first, second := guard(t, "one"), guard(t, "two")
	c := &client{signsIn: true, tokens: map[string]string{"initial": "one"}}
	s := connect(t, first, Options{Host: &fakeHost{cwd: "/", asker: c}}, "")
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.tokens = nil
	c.mu.Unlock()
	s.Configure(Configuration{Servers: map[string]jsonText{"web": jsonText(fmt.Sprintf(`{"url":%q}`, second.URL+"/mcp"))}})
	if err := s.Settled(t.Context(), "web"); err == nil {
		t.Fatal("it is connected")
	}
	if slices.Contains(second.got, "Bearer one") {
		t.Errorf("the second server got %v", second.got)
	}
}

// A token is not sent over plain HTTP to another machine, and no client is asked for one.
func TestNoTokenOverPlainHTTP(t *testing.T) {
	if oauth.Key("http://mcp.example/mcp") != "" {
		t.Error("a token has a place for an address without TLS")
	}
	tokens := oauth.OpenTokens(vfs.NewMem(), "")
	if err := tokens.Put("http://mcp.example/mcp", oauth.Token{Access: "x"}); err == nil {
		t.Error("a token was stored for an address without TLS")
	}
	n := &connection{config: &config{url: "http://mcp.example/mcp"}, server: &server{set: New(Options{Host: &fakeHost{asker: &client{signsIn: true}}})}, remote: &remote{credentials: &credentials{}}}
	if n.askToken(t.Context(), sent{}, &challenge{status: 401}) {
		t.Error("a client was asked")
	}
}

// The refusal of a token says nothing of the one that has taken its place.
func TestARefusalIsOfTheTokenThatWasSent(t *testing.T) {
	c := &credentials{}
	c.take("", "old", false)
	sent := c.now()
	c.refused(&challenge{status: http.StatusUnauthorized}, sent.access)
	if c.open() == nil {
		t.Error("the token that was refused is not known as such")
	}
	c.take("", "new", false)
	c.refused(&challenge{status: http.StatusUnauthorized}, sent.access) // of a request that was sent before
	if c.open() != nil {
		t.Error("the new token counts as refused")
	}
	c.refused(&challenge{status: http.StatusForbidden}, "new")
	c.refused(&challenge{status: http.StatusUnauthorized}, sent.access)
	if last := c.open(); last == nil || last.status != http.StatusForbidden {
		t.Errorf("the refusal of the new token is forgotten: %+v", last)
	}
}
