package oauth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Codes and tokens are not sent on, whatever the token endpoint answers.
func TestTheTokenEndpointCannotSendASecretOn(t *testing.T) {
	f, other := newFake(t), newFake(t)
	f.redirects = other.URL + "/token"
	began, err := f.begin(t, Options{})
	flow := must(t, began, err)
	f.agree(t, flow, nil)
	if token, err := flow.Wait(t.Context()); err == nil || token.Access != "" {
		t.Errorf("%v, %v", token, err)
	}
	if len(other.forms) > 0 {
		t.Errorf("the other server got %v", other.forms)
	}
}

func TestAnswersOfTheTokenEndpoint(t *testing.T) {
	for name, tc := range map[string]struct{ answer, want string }{
		"an error that repeats the code": {`{"error":"bad","error_description":"the code is wrong"}`, "status 200"},
		"an error":                       {`{"error":"temporarily_unavailable","error_description":"later"}`, "temporarily_unavailable: later"},
		"no token":                       {`{}`, "cannot be used"},
		"another sort of token":          {`{"access_token":"a","token_type":"DPoP"}`, "cannot be used"},
		"a token with a line end":        {`{"access_token":"a\r\nX: y","token_type":"Bearer"}`, "cannot be used"},
		"a page":                         {`<html>`, "gave no token"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.gives = tc.answer
			began, err := f.begin(t, Options{})
			flow := must(t, began, err)
			f.agree(t, flow, nil)
			_, err = flow.Wait(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "the code") {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// Servers write the time that a token is valid in several ways. A token whose time cannot be read is a token.
func TestHowLongATokenIsValid(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`3600`: time.Hour, `3600.0`: time.Hour, `"3600"`: time.Hour, `-5`: 0, `0`: 0, `null`: 0, `1e300`: 0, `99999999999999999999`: 0,
	} {
		f := newFake(t)
		f.gives = `{"access_token":"a","token_type":"Bearer","expires_in":` + text + `}`
		began, err := f.begin(t, Options{})
		flow := must(t, began, err)
		f.agree(t, flow, nil)
		token, err := flow.Wait(t.Context())
		if left := time.Until(token.Expires); err != nil || token.Expires.IsZero() != (want == 0) || want > 0 && (left > want || left < want-time.Minute) {
			t.Errorf("%s: %v, %v, want %v", text, token.Expires, err, want)
		}
	}
}

func TestTheFileOfTokens(t *testing.T) {
	disk := vfs.NewMem()
	tokens := OpenTokens(disk, "/home/mcp-tokens.json")
	for address, access := range map[string]string{"https://a.example/mcp": "one", "https://a.example/other": "two", "https://b.example/mcp": "three"} {
		if err := tokens.Put(address, Token{Access: access}); err != nil {
			t.Fatal(err)
		}
	}
	again := OpenTokens(disk, "/home/mcp-tokens.json")
	for address, want := range map[string]string{
		"https://a.example/mcp": "one", "https://A.example/mcp/#x": "one", "https://a.example/other": "two", "https://a.example": "", "https://c.example/mcp": "", "http://a.example/mcp": "",
	} {
		if got, err := again.Get(address); err != nil || got.Access != want {
			t.Errorf("%s: %q, %v, want %q", address, got.Access, err, want)
		}
	}
	if info, err := disk.Stat("/home/mcp-tokens.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := again.Put("https://a.example/mcp", Token{}); err != nil {
		t.Fatal(err)
	}
	if got, err := tokens.Get("https://a.example/mcp"); err != nil || got != (Token{}) {
		t.Errorf("after it was removed: %#v, %v", got, err)
	}
}

// No error message quotes a token, or the file of tokens.
func TestTokensAreNotShown(t *testing.T) {
	disk := vfs.NewMem()
	if err := vfs.WriteFileAtomic(disk, "/mcp-tokens.json", []byte(`{"servers":{"https://a.example":{"accessToken":"SECRET"`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := OpenTokens(disk, "/mcp-tokens.json").Get("https://a.example")
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
	shown := fmt.Sprintf("%v %+v %#v %s %v", Token{Access: "SECRET"}, Token{Access: "SECRET"}, Token{Access: "SECRET"}, []Token{{Access: "SECRET"}}, err)
	if strings.Contains(shown, "SECRET") {
		t.Error(shown)
	}
}

// Sessions that share a token refresh it once, and the endpoints in a server's later metadata do not matter.
func TestARefreshHappensOnce(t *testing.T) {
	var asked atomic.Int32
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"access_token":"new%d","token_type":"Bearer"}`, asked.Add(1))
	}))
	defer endpoint.Close()
	f := newFake(t)
	f.issuers, f.token = endpoint.URL, endpoint.URL+"/steal"
	tokens := OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	if err := tokens.Put(f.URL+"/mcp", Token{Access: "old", Refresh: "again", Issuer: endpoint.URL, Endpoint: endpoint.URL + "/token"}); err != nil {
		t.Fatal(err)
	}
	var sessions sync.WaitGroup
	for range 20 {
		sessions.Go(func() {
			if next, err := tokens.Refresh(t.Context(), f.URL+"/mcp", "old", ""); err != nil || next.Access != "new1" || next.Refresh != "again" {
				t.Errorf("%+v, %v", next, err)
			}
		})
	}
	sessions.Wait()
	if asked.Load() != 1 || f.metadata != 1 {
		t.Errorf("%d refreshes, and the metadata were read %d times", asked.Load(), f.metadata)
	}
}

// A token is not refreshed once the server names another authorization server than the one that gave it.
func TestARefreshEndsWithTheAuthorizationServer(t *testing.T) {
	f := newFake(t)
	tokens := OpenTokens(vfs.NewMem(), "/home/mcp-tokens.json")
	for issuer, named := range map[string]string{"https://before.example": "", f.URL + "/": "", "https://accepted.example": "https://before.example"} {
		token := Token{Access: "old", Refresh: "again", Issuer: issuer, Named: named, Endpoint: f.URL + "/token"}
		if err := tokens.Put(f.URL+"/mcp", token); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Refresh(t.Context(), f.URL+"/mcp", "old", ""); fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), issuer) {
			t.Errorf("of %s: %v", issuer, err)
		}
	}
	if len(f.forms) > 0 {
		t.Errorf("the token endpoint got %v", f.forms)
	}
}

func TestARefusedRefresh(t *testing.T) {
	f := newFake(t)
	f.gives = `{"error":"invalid_grant"}`
	tokens := OpenTokens(nil, "")
	if err := tokens.Put(f.URL+"/mcp", Token{Access: "old", Refresh: "again", Issuer: f.URL, Endpoint: f.URL + "/token"}); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Refresh(t.Context(), f.URL+"/mcp", "old", ""); fault.KindOf(err) != fault.Denied || strings.Count(err.Error(), "mcp.login") != 1 {
		t.Errorf("%v", err)
	}
	if _, err := tokens.Refresh(t.Context(), "https://b.example/mcp", "", ""); fault.KindOf(err) != fault.Denied {
		t.Errorf("without a token: %v", err)
	}
}

// Processes that share a token send the token for its refresh once: a server that gets it twice takes
// it for a stolen one.
func TestProcessesRefreshOnce(t *testing.T) {
	var sent sync.Map
	var again atomic.Int32
	both := make(chan struct{})
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost { // the metadata, of which it has none
			http.NotFound(w, q)
			return
		}
		if _, used := sent.LoadOrStore(q.PostFormValue("refresh_token"), true); used {
			again.Add(1)
			close(both)
		} else {
			select {
			case <-both: // the other process is not kept out
			case <-time.After(100 * time.Millisecond): // long enough for it to come
			}
		}
		_, _ = fmt.Fprint(w, `{"access_token":"new","refresh_token":"next","token_type":"Bearer"}`)
	}))
	defer endpoint.Close()
	disk := vfs.NewMem()
	address := endpoint.URL + "/mcp"
	if err := OpenTokens(disk, "/home/mcp-tokens.json").Put(address, Token{Access: "old", Refresh: "again", Endpoint: endpoint.URL + "/token"}); err != nil {
		t.Fatal(err)
	}
	var processes sync.WaitGroup
	for range 2 {
		processes.Go(func() {
			if next, err := OpenTokens(disk, "/home/mcp-tokens.json").Refresh(t.Context(), address, "old", ""); err != nil || next.Access != "new" {
				t.Errorf("%v, %v", next, err)
			}
		})
	}
	processes.Wait()
	if again.Load() > 0 {
		t.Error("the token for the refresh was sent twice")
	}
}
