package front

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// wantsToken is an MCP server that is a web service and wants a token, with the place where users sign
// in, which lets everybody in. used gets a value when the token is used.
func wantsToken(t *testing.T) (address string, used <-chan bool) {
	mux, came := http.NewServeMux(), make(chan bool, 100)
	service := httptest.NewServer(mux)
	t.Cleanup(service.Close)
	answer := func(path string, doc map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(doc) // the client has left
		})
	}
	answer("/.well-known/oauth-protected-resource/mcp", map[string]any{"resource": service.URL + "/mcp", "authorization_servers": []string{service.URL}})
	answer("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": service.URL, "authorization_endpoint": service.URL + "/authorize", "token_endpoint": service.URL + "/token",
		"registration_endpoint": service.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
	})
	answer("/register", map[string]any{"client_id": "made"})
	answer("/token", map[string]any{"access_token": "issued-token-0123456789", "token_type": "bearer", "expires_in": 3600})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, q *http.Request) {
		back := url.Values{"code": {"the code"}, "state": {q.FormValue("state")}}
		http.Redirect(w, q, q.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") == "Bearer issued-token-0123456789" {
			came <- true
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+service.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	return service.URL + "/mcp", came
}

// A server that wants a token is signed in to from the list: the user gets the page, and the server is
// started again with the token.
func TestServerIsSignedInTo(t *testing.T) {
	address, used := wantsToken(t)
	f := newFront(t)
	set, err := session.MCP(f.now.client.Session()).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Start("issues", json.RawMessage(`{"type":"http","url":"`+address+`"}`), false); err != nil {
		t.Fatal(err)
	}
	if err := set.Settled(t.Context(), "issues"); err == nil {
		t.Fatal("it needs no token")
	}
	e := f.mustRun(t, "mcp", "")
	wantIn(t, shownList(e.Pick.List), "needs signing in", "Enter sign in")
	done := press(t, e.Pick, "enter")
	page := regexp.MustCompile(`(?m)^http\S+$`).FindString(done.Text)
	if page == "" || !done.Close {
		t.Fatalf("%+v", done)
	}
	answer, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	<-used
}
