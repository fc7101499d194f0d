package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// issued is the token that the server of fakeLogin accepts.
const issued = "issued-token-0123456789"

// fakeLogin starts an MCP server that is a web service and wants a token, with the place where
// users sign in; sets MCPURL. At that place, everybody is let in.
func fakeLogin(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "fakelogin")
	mux := http.NewServeMux()
	service := httptest.NewServer(mux)
	ts.Defer(service.Close)
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
	answer("/token", map[string]any{"access_token": issued, "token_type": "bearer", "expires_in": 3600})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, q *http.Request) {
		back := url.Values{"code": {"the code"}, "state": {q.FormValue("state")}}
		http.Redirect(w, q, q.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return echoServer() }, nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+issued {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+service.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, q)
	})
	ts.Setenv("MCPURL", service.URL+"/mcp")
}

// page is the address of a page that a program prints.
var page = regexp.MustCompile(`\n  (http://\S+)\n`)

// visit opens the page that the program in the background has printed, as a browser does.
func visit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "visit")
	found := worldOf(ts).process.until(ts, page)
	answer, err := http.Get(found[1])
	ts.Check(err)
	defer answer.Body.Close()
	_, _ = io.Copy(ts.Stdout(), answer.Body) // it is closed in any case
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("the page answered %s", answer.Status)
	}
}
