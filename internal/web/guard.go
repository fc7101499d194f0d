package web

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/origin"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// guard refuses requests that a web page of another origin sends. If proved is set,
// each request carries a signature or token that is checked later. Otherwise the
// request must come from this machine and name it as its Host: a page in a browser can
// make a name of its own point here (DNS rebinding), and a tunnel forwards requests of
// others.
func (d *Door) guard(next http.Handler, proved bool, refuse func(w http.ResponseWriter, status int, why string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case origin.Foreign(r):
			refuse(w, http.StatusForbidden, "pages of other origins may not call this agent")
		case !proved && !d.opts.Loopback:
			refuse(w, http.StatusForbidden, "no keys and no token are configured, so nothing can prove who sends a request")
		case !proved && !origin.Loopback(r.Host):
			refuse(w, http.StatusForbidden, "requests without a signature or token must be sent to localhost; "+
				"to use another name, set COPILOT_CONNECTION_TOKEN for OpenAI clients, or --extension-keys for a platform")
		case origin.FormBody(r):
			refuse(w, http.StatusUnsupportedMediaType, "the body must be JSON, and its Content-Type application/json")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// requireToken refuses requests without the token, if there is one, and gives the others the sessions that they may use.
// The header that of reads has the token; how says how to send it.
func (d *Door) requireToken(next http.Handler, of func(*http.Request) string, how string, refuse func(w http.ResponseWriter, status int, why string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entrance, err := d.gate.Admit(r.Context(), of(r))
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the connection token is wrong or missing: "+how)
			return
		}
		if d.gate.Closed() {
			hold(r.Context())
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), entranceKey{}, entrance)))
	})
}

// agentByToken is requireToken for the agent. Its page says what it is, and a browser may open it without a token.
func (d *Door) agentByToken(agent http.Handler) http.Handler {
	asked := d.requireToken(agent, agentToken, "send it as the user's token (X-GitHub-Token), as sidestick agent chat does with "+
		"--token-env COPILOT_CONNECTION_TOKEN, or as a bearer token", plainRefusal)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			asked.ServeHTTP(w, r)
			return
		}
		agent.ServeHTTP(w, r)
	})
}

// bearer is the token of an OpenAI client.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// agentToken is the token of a client of the agent. Such clients send no credential but the token of their user, which
// the agent here does not use.
func agentToken(r *http.Request) string { return cmp.Or(bearer(r), r.Header.Get("X-GitHub-Token")) }

// entranceKey is the key of a request's entrance in its context.
type entranceKey struct{}

// entranceOf returns what a request may use that has passed requireToken.
func entranceOf(r *http.Request) gate.Entrance[*registry.Registry] {
	return r.Context().Value(entranceKey{}).(gate.Entrance[*registry.Registry])
}

// plainRefusal writes an error as text, for a platform or a browser.
func plainRefusal(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, why+"\n") // the client may have left
}
