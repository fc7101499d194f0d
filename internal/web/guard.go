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

// guard lets in what is not a browser's doing. proved says that each request brings a
// proof of who sends it, a signature or a token, which is looked at later; one that
// needs none must come from this machine, and be meant for it: by its Host, since a
// page in a browser can have a name of its own point here (DNS rebinding), and a
// tunnel brings the world in.
func (d *Door) guard(next http.Handler, proved bool, refuse func(w http.ResponseWriter, status int, why string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case foreignOrigin(r):
			refuse(w, http.StatusForbidden, "pages of other origins may not call this agent")
		case !proved && !d.opts.Loopback:
			refuse(w, http.StatusForbidden, "this door is closed: nothing was configured that could prove who comes in by it")
		case !proved && !LoopbackHost(r.Host):
			refuse(w, http.StatusForbidden, "without a proof of who asks, only requests to localhost are answered")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreignOrigin reports whether a page of another origin sends the request. Programs
// that are no browser send no Origin.
func foreignOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return false
	}
	u, err := url.Parse(origins[0])
	return err != nil || len(origins) > 1 || !strings.EqualFold(u.Host, r.Host)
}

// LoopbackHost reports whether a host, with or without a port, is a name of this machine
// that nobody else can give to another.
func LoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// tokened lets in who brings the token, if there is one.
func (d *Door) tokened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.opts.Token != "" && !d.isToken(r.Header.Get("Authorization")) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			chatRefusal(w, http.StatusUnauthorized, "the connection token is wrong or missing: send it as the API key")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isToken compares hashes, so that the time it takes tells neither how long the token
// is nor how much of it was right.
func (d *Door) isToken(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(d.opts.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// plainRefusal answers a platform, or a person with a browser.
func plainRefusal(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, why+"\n") // if nobody reads it, nobody reads it
}
