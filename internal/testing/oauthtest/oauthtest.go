// Package oauthtest is an MCP server that wants a token, for tests of programs that sign in to one.
package oauthtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
)

// Token is the token that the server issues and accepts.
const Token = "issued-token-0123456789"

// Serve starts the server, whose path /mcp is served by handler for requests with the token. It is also the
// place where users sign in, which lets everybody in. The caller closes it.
func Serve(handler http.Handler) *httptest.Server {
	mux := http.NewServeMux()
	service := httptest.NewServer(mux)
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
	answer("/token", map[string]any{"access_token": Token, "token_type": "bearer", "expires_in": 3600})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, q *http.Request) {
		back := url.Values{"code": {"the code"}, "state": {q.FormValue("state")}}
		http.Redirect(w, q, q.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+Token {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+service.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, q)
	})
	return service
}
