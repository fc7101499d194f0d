package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// authorize serves the authorization server of a guarded service; the token is "signed".
func (g *guarded) authorize(w http.ResponseWriter, q *http.Request) {
	switch q.URL.Path {
	case "/.well-known/oauth-authorization-server":
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"code_challenge_methods_supported":["S256"]}`, g.URL, g.URL+"/authorize", g.URL+"/token")
	case "/token":
		_, _ = fmt.Fprintf(w, `{"access_token":"signed","token_type":"Bearer","refresh_token":%q}`, q.FormValue("client_id"))
	default:
		http.NotFound(w, q)
	}
}

// agree is the user who opens the page and agrees.
func agree(page string) error {
	u, err := url.Parse(page)
	if err != nil {
		return err
	}
	res, err := http.Get(u.Query().Get("redirect_uri") + "?code=c&state=" + url.QueryEscape(u.Query().Get("state")))
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func TestSigningInFromTheCommandLine(t *testing.T) {
	g := guard(t, "signed")
	tokens := oauth.OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	login := Login{Name: "web", Config: jsonText(fmt.Sprintf(`{"url":%q,"oauthClientId":"known","oauthScopes":["more"]}`, g.URL+"/mcp")), Tokens: tokens}
	if _, err := SignIn(t.Context(), login, func(string) error { return errors.New("no browser") }); err == nil || err.Error() != "no browser" {
		t.Errorf("without a browser: %v", err)
	}
	opened := ""
	already, err := SignIn(t.Context(), login, func(page string) error { opened = page; return agree(page) })
	if err != nil || already || !strings.Contains(opened, "scope=read+more") {
		t.Fatalf("%v, %v, %s", already, err, opened)
	}
	if token, err := tokens.Get(g.URL + "/mcp"); err != nil || token.Access != "signed" || token.Refresh != "known" {
		t.Errorf("stored: %#v, %v", token, err)
	}
	if already, err := SignIn(t.Context(), login, func(string) error { return errors.New("opened again") }); err != nil || !already {
		t.Errorf("the second time: %v, %v", already, err)
	}
	login.Again = true
	if already, err := SignIn(t.Context(), login, agree); err != nil || already {
		t.Errorf("again: %v, %v", already, err)
	}
	if was, err := SignOut(login); err != nil || !was {
		t.Errorf("signing out: %v, %v", was, err)
	}
	if was, err := SignOut(login); err != nil || was {
		t.Errorf("signing out twice: %v, %v", was, err)
	}
	local := Login{Name: "local", Config: jsonText(`{"command":"x"}`), Tokens: tokens}
	if _, err := SignIn(t.Context(), local, agree); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a program: %v", err)
	}
}

// A client signs in while the session goes on: the server is connected afterwards, and the token is
// in no event.
func TestSigningInFromASession(t *testing.T) {
	g := guard(t, "signed")
	h := &fakeHost{cwd: "/"}
	tokens := oauth.OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	s := connect(t, g, Options{Host: h}, `,"oauthClientId":"known"`, tokens)
	if err := s.Settled(t.Context(), "web"); err == nil {
		t.Fatal("it is connected")
	}
	first, err := s.Login(t.Context(), Login{Name: "web"})
	if err != nil || first == "" {
		t.Fatalf("%q, %v", first, err)
	}
	page, err := s.Login(t.Context(), Login{Name: "web"}) // in place of the first
	if err != nil || page == "" {
		t.Fatalf("%q, %v", page, err)
	}
	if err := agree(first); err == nil {
		t.Error("the first sign-in still listens")
	}
	h.mu.Lock()
	warned := len(h.warned)
	h.mu.Unlock()
	if warned > 0 {
		t.Errorf("warned of the first sign-in: %q", h.warned)
	}
	if err := agree(page); err != nil {
		t.Fatal(err)
	}
	until(t, s, "web", wire.MCPConnected)
	if token, err := tokens.Get(g.URL + "/mcp"); err != nil || token.Access != "signed" {
		t.Errorf("stored: %#v, %v", token, err)
	}
	if again, err := s.Login(t.Context(), Login{Name: "web"}); err != nil || again != "" {
		t.Errorf("when it is connected: %q, %v", again, err)
	}
	if i := slices.IndexFunc(h.seen(""), func(e string) bool { return strings.Contains(e, "signed") }); i >= 0 {
		t.Error(h.events[i])
	}
	if _, err := s.Login(t.Context(), Login{Name: "other"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another server: %v", err)
	}
}

// until waits for a state of a server.
func until(t *testing.T, s *Set, name string, want wire.MCPServerStatus) {
	t.Helper()
	for {
		s.mu.Lock()
		status, changed := s.servers[name].status, s.next()
		s.mu.Unlock()
		if status == want {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("it is %s", status)
		}
	}
}

// A service that lets anybody connect, and wants a token for its tools, is signed in to.
func TestAServiceThatLetsAnybodyConnect(t *testing.T) {
	g := guard(t, "signed")
	g.open = `"initialize"`
	tokens := oauth.OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	login := Login{Name: "web", Config: jsonText(fmt.Sprintf(`{"url":%q,"oauthClientId":"known"}`, g.URL+"/mcp")), Tokens: tokens}
	if already, err := SignIn(t.Context(), login, agree); err != nil || already {
		t.Fatalf("%v, %v", already, err)
	}
	if already, err := SignIn(t.Context(), login, agree); err != nil || !already {
		t.Errorf("the second time: %v, %v", already, err)
	}
	// A scope that a session has noted is asked for.
	token, _ := tokens.Get(g.URL + "/mcp")
	token.Wanted = "write"
	if err := tokens.Put(g.URL+"/mcp", token); err != nil {
		t.Fatal(err)
	}
	opened := ""
	if already, err := SignIn(t.Context(), login, func(page string) error { opened = page; return agree(page) }); err != nil || already || !strings.Contains(opened, "scope=write+read") {
		t.Errorf("for a scope: %v, %v, %s", already, err, opened)
	}
	g.Close()
	if _, err := SignIn(t.Context(), login, agree); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without the service: %v", err)
	}
}

// The scope that a stored token lacks is asked for at the next sign-in.
func TestTheNextSignInAsksForMore(t *testing.T) {
	g := guard(t, "signed")
	tokens := oauth.OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	if err := tokens.Put(g.URL+"/mcp", oauth.Token{Access: "signed", Scope: "read"}); err != nil {
		t.Fatal(err)
	}
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/"}}, "", tokens)
	if err := s.Settled(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	one := called(t, s, "web-structured")
	g.set(func() { g.narrow["signed"] = true })
	if res := one.Run(t.Context(), toolCall()); !strings.Contains(res.Text, "scope write") {
		t.Errorf("the call: %+v", res)
	}
	page, err := s.Login(t.Context(), Login{Name: "web", ClientID: "known"})
	if u, _ := url.Parse(page); err != nil || u.Query().Get("scope") != "write read" {
		t.Errorf("the session's page is %q: %v", page, err)
	}
	login := Login{Name: "web", Config: jsonText(fmt.Sprintf(`{"url":%q,"oauthClientId":"known"}`, g.URL+"/mcp")), Tokens: tokens, Again: true}
	opened := ""
	if _, err := SignIn(t.Context(), login, func(page string) error { opened = page; return agree(page) }); err != nil {
		t.Fatal(err)
	}
	if u, _ := url.Parse(opened); !strings.Contains(u.Query().Get("scope"), "write") || !strings.Contains(u.Query().Get("scope"), "read") {
		t.Errorf("the page is %s", opened)
	}
	g.set(func() { clear(g.narrow) }) // the service lets the session end
}

// A session that ends does not leave a listener behind.
func TestTheSessionEndsDuringASignIn(t *testing.T) {
	g := guard(t)
	s := connect(t, g, Options{Host: &fakeHost{cwd: "/"}}, `,"oauthClientId":"known"`)
	_ = s.Settled(t.Context(), "web")
	page, err := s.Login(t.Context(), Login{Name: "web"})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := agree(page); err == nil {
		t.Error("it still listens")
	}
}
