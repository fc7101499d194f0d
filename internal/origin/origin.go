// Package origin tells the requests of programs on this machine from those that web pages and
// other machines cause, for HTTP servers that cannot ask their clients for a proof.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Foreign reports whether a web page of another origin sends the request. Programs other than
// browsers send no Origin.
func Foreign(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return foreignSite(r)
	}
	u, err := url.Parse(origins[0])
	return err != nil || len(origins) > 1 || !strings.EqualFold(u.Host, r.Host)
}

// foreignSite reports whether a browser says that a page of another origin causes the request.
// Browsers send no Origin with a GET for a picture or a script, but this header. Only a link to the
// page at / may be followed from anywhere. Source: Fetch Metadata Request Headers (W3C).
func foreignSite(r *http.Request) bool {
	h := r.Header
	switch h.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // not a browser, this page, or the user
		return false
	}
	link := h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document"
	return !link || r.Method != http.MethodGet || r.URL.Path != "/"
}

// Loopback reports whether host, with or without a port, always means this machine: localhost
// or a loopback address. Any other name can be made to lead here by whoever owns it (DNS
// rebinding).
func Loopback(host string) bool {
	name := Hostname(host)
	addr, err := netip.ParseAddr(name)
	if strings.ContainsAny(host, "[]") { // only IPv6 addresses are written in brackets
		return err == nil && addr.Is6() && addr.IsLoopback()
	}
	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

// Named returns a handler that passes on only requests which name this machine as their host, see [Loopback]; others
// get status 403. It is for what every program of this machine may read: without it, a page in a browser could
// read that, too, by a name of its own that it makes lead here.
func Named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Loopback(r.Host) {
			http.Error(w, "requests must be sent to localhost or to a loopback address, and not by another name", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Elsewhere reports whether another machine sends the request, by the address of its connection. The host that the
// request names says nothing about that. A request without an address, as over a Unix socket, is of this machine.
func Elsewhere(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && !from.Addr().Unmap().IsLoopback()
}

// Hostname returns host without a port and without the brackets of an IPv6 address.
func Hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
