// Package dial connects only to addresses that may be called. It checks an address when the
// connection is dialed, after the name has been looked up, so a name cannot stand for one
// address at the check and for another one afterwards.
//
// A proxy looks names up itself. Behind a proxy the check is therefore limited: addresses
// written as numbers, names of this machine, and names that are not ASCII are checked
// here; the proxy decides about the rest.
//
// [Guard] sends HTTP requests, [Options] says what is allowed, and [SameHost] tells whether
// credentials may follow a redirect. [Connector] opens TCP connections.
package dial

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// connectTime bounds the time to connect, over all addresses of a name together.
const connectTime = 30 * time.Second

// Options configures [New]. The zero value is right for addresses that a model or another
// server chose.
type Options struct {
	// Private allows addresses that are not on the public internet: this machine,
	// private networks, the metadata services of clouds.
	Private bool
	// Proxy returns the proxy for a request, nil for none. Default
	// [http.ProxyFromEnvironment].
	Proxy func(*http.Request) (*url.URL, error)
	// TLS has the certificates for encrypted connections. Default: those of the system.
	TLS *tls.Config
}

// Guard is an [http.RoundTripper] that refuses addresses that may not be called. It keeps
// no connections open, because nothing would close them. It is safe for concurrent use.
type Guard struct {
	private         bool
	proxy           func(*http.Request) (*url.URL, error)
	direct, proxied *http.Transport
}

// New returns a guard.
func New(o Options) *Guard {
	g := &Guard{private: o.Private, proxy: o.Proxy}
	if g.proxy == nil {
		g.proxy = http.ProxyFromEnvironment
	}
	g.direct = transport(&net.Dialer{Timeout: connectTime, Control: g.control}, o.TLS)
	g.proxied = transport(&net.Dialer{Timeout: connectTime}, o.TLS)
	g.proxied.Proxy = g.proxy
	return g
}

func transport(d *net.Dialer, certificates *tls.Config) *http.Transport {
	return &http.Transport{
		DialContext: d.DialContext, TLSClientConfig: certificates, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}
}

// RoundTrip sends req. A refused address is a [PrivateError] or an error that says what
// is wrong with the address; other errors are those of the connection.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) {
	via, err := g.proxy(req)
	if err == nil && !g.private {
		err = checkName(req.URL.Hostname(), via != nil)
	}
	switch {
	case err != nil:
		if req.Body != nil {
			_ = req.Body.Close() // as RoundTripper requires
		}
		return nil, err
	case via != nil:
		return g.proxied.RoundTrip(req)
	}
	return g.direct.RoundTrip(req)
}

// control refuses a connection to an address that may not be called.
func (g *Guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is not an address: %w", address, err)
	}
	if !g.private && !public(at.Addr()) {
		return PrivateError(at.Addr().String())
	}
	return nil
}

// PrivateError is the error for an address that is not public. Its value is the address
// as written.
type PrivateError string

func (e PrivateError) Error() string {
	return string(e) + " is an address of this machine or of a private network, which may not be called"
}

// checkName checks a host as it is written, before its name is looked up. It refuses
// addresses in an unusual form, such as a single number. For a proxy it also refuses
// names that are not ASCII: the name is mapped to another one on the way, and the result
// may be an address.
func checkName(host string, proxied bool) error {
	if proxied && strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return errors.New(host + " is not ASCII; behind a proxy, write the ASCII form of the name, which begins with xn--")
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if at, err := netip.ParseAddr(host); err == nil {
		if public(at) {
			return nil
		}
		return PrivateError(host)
	}
	last := host[strings.LastIndex(host, ".")+1:]
	switch {
	case last == "localhost" || last == "internal" || last == "local":
		return PrivateError(host)
	case last == "" || last[0] >= '0' && last[0] <= '9':
		return errors.New(host + " is not the name of a host")
	}
	return nil
}

// public reports whether an address is on the public internet. For an IPv6 address that
// contains an IPv4 address, that one is checked. Sources: the IANA registries of
// special-purpose addresses (RFC 6890), and the addresses of cloud metadata services.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	if slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(a) }) {
		return false
	}
	b := a.As16()
	switch {
	case a.Is4():
		return true
	case !netip.MustParsePrefix("2000::/3").Contains(a) && !netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return false // no other addresses are given out, and translators have some of the others
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return public(netip.AddrFrom4([4]byte(b[12:16])))
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return public(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return true
}

// special returns the networks that look global, but are not public.
func special() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8",                                         // this network
		"100.64.0.0/10",                                     // shared by a provider; Alibaba's metadata
		"192.0.0.0/24",                                      // protocols; Oracle's metadata
		"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", // documentation
		"192.88.99.0/24",             // 6to4 relays
		"198.18.0.0/15",              // benchmarks
		"240.0.0.0/4",                // reserved, broadcast
		"168.63.129.16/32",           // Azure's metadata
		"2001::/23",                  // protocols, Teredo
		"2001:db8::/32", "3fff::/20", // documentation
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// SameHost reports whether a and b are the same host, so that credentials for one may be
// sent to the other. The scheme may change from http to https on their default ports.
func SameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) &&
		(a.Port() == b.Port() && (a.Scheme == b.Scheme || a.Port() == "") || defaultPort(a) && defaultPort(b))
}

// defaultPort reports whether a URL uses the default port of its scheme.
func defaultPort(u *url.URL) bool {
	return u.Port() == "" || u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443"
}
