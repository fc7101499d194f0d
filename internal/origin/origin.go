// Package origin tells the requests of programs on this machine from those that web pages and
// other machines cause, for HTTP servers that cannot ask their clients for a proof.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
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
	return err != nil || len(origins) > 1 || !strings.EqualFold(u.Host, r.Host) || foreignSite(r)
}

// foreignSite reports whether a browser says that a page of another origin causes the request.
// Browsers send no Origin with a GET for a picture or a script, but this header. Only a link to the
// page at / may be followed from anywhere. Source: Fetch Metadata Request Headers (W3C).
func foreignSite(r *http.Request) bool {
	h := r.Header
	if hasOnly(h.Values("Sec-Fetch-Site"), "", "same-origin", "none") { // not a browser, this page, or the user
		return false
	}
	if len(h.Values("Sec-Fetch-Site")) > 1 { // no browser sends several, and a proxy that adds one says nothing about the other
		return true
	}
	link := h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document"
	return !link || r.Method != http.MethodGet || r.URL.Path != "/"
}

// FormBody reports whether the body has a type that a form of any page can send without asking, and that JSON can
// hide in. A form cannot send JSON in the third one, application/x-www-form-urlencoded, which curl uses if it is
// given none. Several types are a form's if one of them is.
func FormBody(r *http.Request) bool {
	return hasOneOf(r.Header.Values("Content-Type"), "text/plain", "multipart/form-data")
}

// hasOnly reports whether each value of a header, in several lines or in a list, is one of those wanted.
func hasOnly(lines []string, wanted ...string) bool {
	return !slices.ContainsFunc(valuesOf(lines), func(v string) bool { return !slices.Contains(wanted, v) })
}

// hasOneOf reports whether a value of a header is one of those wanted.
func hasOneOf(lines []string, wanted ...string) bool {
	return slices.ContainsFunc(valuesOf(lines), func(v string) bool { return slices.Contains(wanted, v) })
}

// valuesOf returns the values of the lines of a header, in lower case and without parameters.
func valuesOf(lines []string) (values []string) {
	for _, line := range lines {
		for value := range strings.SplitSeq(line, ",") {
			value, _, _ = strings.Cut(value, ";")
			values = append(values, strings.ToLower(strings.TrimSpace(value)))
		}
	}
	return values
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
