package oauth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
)

func TestSigningIn(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{Scope: "write", More: "read write"})
	flow := must(t, began, err)
	page, _ := url.Parse(flow.URL)
	q := page.Query()
	if page.Host != flow.At || page.Path != "/authorize" || q.Get("tenant") != "1" || q.Get("client_id") != "made" || q.Get("scope") != "write read offline_access" ||
		q.Get("resource") != f.URL+"/mcp" || q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" {
		t.Errorf("the page is %v", q)
	}
	if status := f.agree(t, flow, nil); status != http.StatusOK {
		t.Errorf("the browser got %d", status)
	}
	token, err := flow.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(token.Expires); left < 59*time.Minute || left > time.Hour {
		t.Errorf("the token is valid for %v", left)
	}
	token.Expires = time.Time{}
	want := Token{Access: "access", Refresh: "refresh", Scope: "read", Asked: "write read offline_access", Resource: f.URL + "/mcp", Issuer: f.URL, Named: f.URL, Endpoint: f.URL + "/token", ClientID: "made", Method: methodNone}
	if diff := cmp.Diff(want, token); diff != "" {
		t.Error(diff)
	}
	if form := f.forms[0]; form.Get("resource") != f.URL+"/mcp" || form.Get("code") != "the code" || form.Get("redirect_uri") != q.Get("redirect_uri") {
		t.Errorf("the token endpoint got %v", form)
	}
}

// The listener ends with the sign-in, whatever its end.
func TestTheListenerIsClosed(t *testing.T) {
	for name, end := range map[string]func(*Flow, *fake){
		"signed in": func(flow *Flow, f *fake) { f.agree(t, flow, nil); _, _ = flow.Wait(t.Context()) },
		"given up":  func(flow *Flow, _ *fake) { flow.Close() },
		"too late": func(flow *Flow, _ *fake) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, _ = flow.Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			began, err := f.begin(t, Options{})
			flow := must(t, began, err)
			back, _ := url.Parse(flow.redirect.url)
			if host, _, _ := net.SplitHostPort(back.Host); host != "127.0.0.1" {
				t.Errorf("it listens on %s", back.Host)
			}
			end(flow, f)
			if c, err := net.Dial("tcp", back.Host); err == nil {
				c.Close()
				t.Error("it still listens")
			}
		})
	}
}

// A request without the state of this sign-in, or to another host name, does not end the sign-in.
func TestAnotherStateIsIgnored(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	for _, change := range []func(url.Values){
		func(v url.Values) { v.Set("state", "another") }, func(v url.Values) { v.Del("state") }, func(v url.Values) { v["state"] = []string{"", v.Get("state")} },
	} {
		if status := f.agree(t, flow, change); status != http.StatusBadRequest {
			t.Errorf("status %d", status)
		}
	}
	if res, err := http.Get(strings.Replace(flow.redirect.url, "127.0.0.1", "localhost", 1) + "?code=x&state=" + flow.redirect.state); err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("under another name: %d", res.StatusCode)
		}
	}
	f.agree(t, flow, nil)
	if token, err := flow.Wait(t.Context()); err != nil || token.Access != "access" {
		t.Errorf("the right answer: %v, %v", token, err)
	}
}

// A browser that comes back from another authorization server brings a code that this one must not get.
func TestTheIssuerIsChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		names bool
		iss   string
		ok    bool
	}{
		"none": {false, "", true}, "another": {false, "https://other.example", false}, "missing": {true, "", false}, "the right one": {true, "self", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.namesIss = tc.names
			began, err := f.begin(t, Options{})
			flow := must(t, began, err)
			f.agree(t, flow, func(v url.Values) {
				if tc.iss == "self" {
					v.Set("iss", f.URL)
				} else if tc.iss != "" {
					v.Set("iss", tc.iss)
				}
			})
			_, err = flow.Wait(t.Context())
			if (err == nil) != tc.ok || (len(f.forms) > 0) != tc.ok {
				t.Errorf("%v; the token endpoint got %v", err, f.forms)
			}
		})
	}
}

func TestTheUserDeclines(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	f.agree(t, flow, func(v url.Values) { v.Del("code"); v.Set("error", "access_denied") })
	if _, err := flow.Wait(t.Context()); fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "access_denied") {
		t.Errorf("%v", err)
	}
}

// Metadata that would send a token, or the user, to the wrong place.
func TestMetadataAreChecked(t *testing.T) {
	other := newFake(t)
	for name, tc := range map[string]struct {
		change func(*fake)
		want   string
	}{
		"about another server":            {func(f *fake) { f.resource = other.URL + "/mcp" }, "is about"},
		"about a part of the host":        {func(f *fake) { f.resource = f.URL }, "is about"},
		"of another issuer":               {func(f *fake) { f.issuer = other.URL }, "must be the same text"},
		"an issuer with a slash":          {func(f *fake) { f.issuer = f.URL + "/" }, "/\"; both must be the same text"},
		"a named issuer with a slash":     {func(f *fake) { f.issuers = f.URL + "/" }, "must be the same text"},
		"an issuer without TLS":           {func(f *fake) { f.issuers = "http://auth.example" }, "does not begin with https"},
		"an issuer that is no page":       {func(f *fake) { f.issuers = "file:///etc/passwd" }, "is not an address"},
		"a token endpoint without TLS":    {func(f *fake) { f.token = "http://auth.example/token" }, "does not begin with https"},
		"a token endpoint with a name":    {func(f *fake) { f.token = "https://user@auth.example/token" }, "is not an address"},
		"an authorization server of ours": {func(f *fake) { f.issuers = other.URL; other.issuer = f.URL }, "must be the same text"},
		"no PKCE":                         {func(f *fake) { f.noPKCE = true }, "PKCE"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			tc.change(f)
			if _, err := f.begin(t, Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// The one other issuer that the user accepts is the one that the browser has to come back from.
func TestOneOtherIssuerIsAccepted(t *testing.T) {
	f := newFake(t)
	f.issuer, f.namesIss = f.URL+"/", true
	if _, err := f.begin(t, Options{Issuer: f.URL + "/x"}); err == nil || !strings.Contains(err.Error(), "oauthIssuer") {
		t.Errorf("another one: %v", err)
	}
	for iss, ok := range map[string]bool{f.URL: false, f.URL + "/": true} {
		began, err := f.begin(t, Options{Issuer: f.URL + "/"})
		flow := must(t, began, err)
		f.agree(t, flow, func(v url.Values) { v.Set("iss", iss) })
		token, err := flow.Wait(t.Context())
		if (err == nil) != ok || ok && (token.Issuer != f.URL+"/" || token.Named != f.URL) {
			t.Errorf("back from %s: %#v, %v", iss, token.Issuer, err)
		}
	}
}

// A sign-in asks for what the one before asked for, and does not take a registered client to another authorization server.
func TestASecondSignIn(t *testing.T) {
	f := newFake(t)
	flow, err := f.begin(t, Options{Scope: "write", Before: Token{Asked: "list", Scope: "read", Wanted: "more"}})
	page, _ := url.Parse(must(t, flow, err).URL)
	if scope := page.Query().Get("scope"); scope != "write list read more offline_access" {
		t.Errorf("the scope is %q", scope)
	}
	if _, err := f.begin(t, Options{ClientID: "known", Before: Token{ClientID: "known", Issuer: "https://before.example"}}); fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), f.URL) {
		t.Errorf("%v", err)
	}
	flow, err = f.begin(t, Options{Before: Token{ClientID: "made", Issuer: "https://before.example"}})
	must(t, flow, err)
}

// A server on the public internet cannot send this program to a private address.
func TestPrivateAddresses(t *testing.T) {
	s := &Server{to: &url.URL{Scheme: "https", Host: "mcp.example", Path: "/mcp"}}
	for _, address := range []string{"http://127.0.0.1:1/token", "http://localhost/token", "http://10.0.0.1/token"} {
		if _, err := s.endpoint("token endpoint", address); err == nil {
			t.Errorf("%s is an endpoint", address)
		}
	}
	made, err := NewServer("https://8.8.8.8/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"https://127.0.0.1:1/", "https://169.254.169.254/", "https://10.0.0.1/"} {
		to, _ := url.Parse(address)
		if _, _, err := made.post(t.Context(), to, "text/plain", nil, nil); err == nil || !strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Who owns the name of a server decides to which address it leads, also to one of this machine. So only an
// address that the user has written as one of this machine, or of a private network, opens other hosts there.
func TestANameThatLeadsToAPrivateAddress(t *testing.T) {
	reached := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(inside.Close)
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	for _, tc := range []struct {
		server, other string
		refused       bool
	}{
		{"https://mcp.attacker.test/mcp", "127.0.0.1", true},
		{"https://mcp.attacker.test/mcp", "router.attacker.test", true}, // another name of the same owner
		{"https://mcp.attacker.test/mcp", "localhost", true},
		{"https://2130706433/mcp", "127.0.0.1", true},
		{"https://8.8.8.8/mcp", "router.attacker.test", true},
		{"http://127.0.0.1:1/mcp", "127.0.0.1", false},
		{"http://localhost:1/mcp", "127.0.0.1", false},
		{"https://10.0.0.1/mcp", "127.0.0.1", false},
		{"https://mcp.corp.internal/mcp", "127.0.0.1", false},
	} {
		t.Run(tc.server+" "+tc.other, func(t *testing.T) {
			dialtest.Names(t, "127.0.0.1")
			s, err := NewServer(tc.server, nil)
			if err != nil {
				t.Fatal(err)
			}
			to, err := url.Parse("http://" + tc.other + port + "/token")
			if err != nil {
				t.Fatal(err)
			}
			before := reached
			_, _, err = s.post(t.Context(), to, "text/plain", nil, nil)
			if refused := err != nil && strings.Contains(err.Error(), "private network"); refused != tc.refused || (reached == before) != tc.refused {
				t.Errorf("reached %d times, %v, want refused: %v", reached-before, err, tc.refused)
			}
		})
	}
}

// Another address for the metadata counts only on the host of the server.
func TestTheServerNamesItsMetadata(t *testing.T) {
	f, other := newFake(t), newFake(t)
	began, err := f.begin(t, Options{Metadata: other.URL + "/.well-known/oauth-protected-resource/mcp"})
	must(t, began, err)
	if other.metadata != 0 || f.metadata == 0 {
		t.Errorf("read: %d of the other, %d of the server", other.metadata, f.metadata)
	}
	s, err := NewServer(f.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := s.ResourceMetadata(t.Context(), ""); !strings.Contains(text, f.URL+"/mcp") {
		t.Errorf("the metadata are %q", text)
	}
}

// A server without metadata is its own authorization server, as in the protocol of 2025-03-26.
func TestAServerWithoutMetadata(t *testing.T) {
	s := answers(t, "a page for people")
	flow, err := Begin(t.Context(), Options{Address: s.URL + "/mcp", ClientID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	defer flow.Close()
	if !strings.HasPrefix(flow.URL, s.URL+"/authorize?") || flow.token.Endpoint != s.URL+"/token" {
		t.Errorf("the page is %s", flow.URL)
	}
}

func TestLongAnswersAreRefused(t *testing.T) {
	s := answers(t, strings.Repeat("x", maxAnswer+1))
	if _, err := Begin(t.Context(), Options{Address: s.URL + "/mcp"}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%v", err)
	}
}

// A sign-in that is given up does not keep what waits for it for minutes.
func TestWaitEndsWithTheSignIn(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	flow.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := flow.Wait(ctx); err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("%v", err)
	}
}

// A program of this machine cannot take all file descriptors with connections to the listener.
func TestConnectionsToTheListenerAreBounded(t *testing.T) {
	f := newFake(t)
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	page, err := url.Parse(flow.URL)
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(page.Query().Get("redirect_uri"))
	if err != nil {
		t.Fatal(err)
	}
	var open []net.Conn
	for range maxConnections + 1 {
		c, err := net.Dial("tcp", back.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		open = append(open, c)
	}
	last := open[maxConnections]
	_ = last.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := last.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one connection too many: %v, want it closed", err)
	}
	for _, c := range open {
		_ = c.Close()
	}
	for late := time.Now().Add(20 * time.Second); time.Now().Before(late); { // the listener learns of that a little later
		if res, err := http.Get(back.String() + "?state=x"); err == nil {
			_ = res.Body.Close()
			return
		}
	}
	t.Error("it listens no more")
}
