package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guard refuses requests that a web page of another origin sends. If proved is set,
// each request carries a signature or token that is checked later. Otherwise the
// request must come from this machine and name it as its Host: a page in a browser can
// make a name of its own point here (DNS rebinding), and a tunnel forwards requests of
// others.
func (d *Door) guard(next http.Handler, proved bool, refuse func(w http.ResponseWriter, status int, why string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case foreignOrigin(r):
			refuse(w, http.StatusForbidden, "pages of other origins may not call this agent")
		case !proved && !d.opts.Loopback:
			refuse(w, http.StatusForbidden, "no keys and no token are configured, so nothing can prove who sends a request")
		case !proved && !LoopbackHost(r.Host):
			refuse(w, http.StatusForbidden, "requests without a signature or token must be sent to localhost; "+
				"to use another name, set COPILOT_CONNECTION_TOKEN for OpenAI clients, or --extension-keys for a platform")
		case formType(r):
			refuse(w, http.StatusUnsupportedMediaType, "the body must be JSON, and its Content-Type application/json")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreignOrigin reports whether a page of another origin sends the request. Programs
// other than browsers send no Origin.
func foreignOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return foreignSite(r)
	}
	u, err := url.Parse(origins[0])
	return err != nil || len(origins) > 1 || !strings.EqualFold(u.Host, r.Host)
}

// foreignSite reports whether a browser says that a page of another origin causes the request.
// Browsers send no Origin with a GET for a picture or a script, but this header. Only a link to the
// agent's page may be followed from anywhere. Source: Fetch Metadata Request Headers (W3C).
func foreignSite(r *http.Request) bool {
	h := r.Header
	switch h.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // not a browser, this page, or the user
		return false
	}
	link := h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document"
	return !link || r.Method != http.MethodGet || r.URL.Path != "/"
}

// formType reports whether the body has a type that a form of any page can send. Forms cannot send
// JSON in the third one, application/x-www-form-urlencoded, which curl uses if it is given none.
func formType(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "text/plain" || kind == "multipart/form-data"
}

// LoopbackHost reports whether host, with or without a port, always means this machine:
// localhost or a loopback address.
func LoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// requireToken refuses requests without the token, if there is one.
func (d *Door) requireToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.opts.Token != "" && !d.isToken(r.Header.Get("Authorization")) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			chatRefusal(w, http.StatusUnauthorized, "the connection token is wrong or missing: send it as the API key")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isToken compares hashes, so that its duration reveals nothing about the token.
func (d *Door) isToken(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(d.opts.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// plainRefusal writes an error as text, for a platform or a browser.
func plainRefusal(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, why+"\n") // the client may have left
}
