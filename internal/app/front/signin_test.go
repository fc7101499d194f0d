package front

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/oauthtest"
)

// wantsToken is an MCP server that wants a token. used gets a value when the token is used.
func wantsToken(t *testing.T) (address string, used <-chan bool) {
	came := make(chan bool, 100)
	service := oauthtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came <- true
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(service.Close)
	return service.URL + "/mcp", came
}

// A server that wants a token is signed in to from the list: the user gets the page, and the server is
// started again with the token.
func TestServerIsSignedInTo(t *testing.T) {
	address, used := wantsToken(t)
	f := newFront(t)
	set, err := session.MCP(f.Client.Session()).Begin(t.Context())
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
