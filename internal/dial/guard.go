// Package dial sends requests to where they may go. An address is checked when it is
// dialed, after names are looked up, so that a name cannot be one address when it is
// checked and another when it is used.
//
// A proxy looks names up itself, so behind one only addresses that are written as
// such, the names of this machine, and what is not written in ASCII are refused; the
// rest is the proxy's to decide.
package dial

import (
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

// connectTime bounds a connection's beginning, all addresses of a name together.
const connectTime = 30 * time.Second

// Options configures [New]. The zero value is for addresses that others chose.
type Options struct {
	// Private allows addresses that are not on the public internet: this machine,
	// private networks, what clouds tell their machines about themselves.
	Private bool
	// Proxy chooses the proxy of a request, nil for none. Default
	// [http.ProxyFromEnvironment].
	Proxy func(*http.Request) (*url.URL, error)
}

// Guard is a round tripper that goes only where it may. It keeps no connections,
// since what nobody owns nobody closes. It is safe for concurrent use.
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
	g.direct = transport(&net.Dialer{Timeout: connectTime, Control: g.control})
	g.proxied = transport(&net.Dialer{Timeout: connectTime})
	g.proxied.Proxy = g.proxy
	return g
}

func transport(d *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext: d.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}
}

// RoundTrip sends req. The error is that of the connection, or, of an address that is
// refused, a [PrivateError] or what is wrong with it.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) {
	via, err := g.proxy(req)
	if err == nil && !g.private {
		err = written(req.URL.Hostname(), via != nil)
	}
	switch {
	case err != nil:
		if req.Body != nil {
			_ = req.Body.Close() // the contract of round trippers
		}
		return nil, err
	case via != nil:
		return g.proxied.RoundTrip(req)
	}
	return g.direct.RoundTrip(req)
}

// control refuses an address that is about to be dialed.
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

// PrivateError refuses an address that is not public; it is the address as written.
type PrivateError string

func (e PrivateError) Error() string {
	return string(e) + " is an address of this machine or of a private network, which may not be called"
}

// written checks a host as it is written, before anybody looks it up. An address
// that is not written in the usual way, such as one number, is refused; and for a
// proxy what is not in ASCII, since it becomes another name on its way there, which
// may be an address.
func written(host string, proxied bool) error {
	if proxied && strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return errors.New(host + " is not written in ASCII, and a proxy is asked for another name then; write that, which begins with xn--")
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

// public reports whether an address is on the public internet. An IPv6 address
// that carries an IPv4 one is as public as that.
// Source: the IANA registries of special-purpose addresses (RFC 6890), and where
// clouds keep what they tell their machines.
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
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return public(netip.AddrFrom4([4]byte(b[12:16])))
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return public(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return true
}

func special() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8",                                         // this network
		"100.64.0.0/10",                                     // shared by a provider; Alibaba's metadata
		"192.0.0.0/24",                                      // protocols; Oracle's metadata
		"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", // documentation
		"192.88.99.0/24",             // 6to4 relays
		"198.18.0.0/15",              // measurements
		"240.0.0.0/4",                // reserved, broadcast
		"168.63.129.16/32",           // Azure's metadata
		"::/96",                      // IPv4 in an old form
		"64:ff9b:1::/48",             // translation within a network
		"100::/64",                   // discarded
		"2001::/23",                  // protocols, Teredo
		"2001:db8::/32", "3fff::/20", // documentation
		"5f00::/16", // segment routing
		"fec0::/10", // what fc00::/7 was before
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// SameHost reports whether a and b are one host, so that what is meant for the one
// may be sent to the other. It may change from http to https on their usual ports.
func SameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) &&
		(a.Port() == b.Port() && (a.Scheme == b.Scheme || a.Port() == "") || usual(a) && usual(b))
}

func usual(u *url.URL) bool {
	return u.Port() == "" || u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443"
}
