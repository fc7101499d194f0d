package tool

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
)

// guard sends requests to where they may go. An address is checked when it is
// dialed, after names are looked up, so that a name cannot be one address when it
// is checked and another when it is used.
type guard struct {
	private         bool
	proxy           func(*http.Request) (*url.URL, error)
	direct, proxied *http.Transport
}

func newGuard(o FetchOptions) *guard {
	g := &guard{private: o.Private, proxy: o.Proxy}
	if g.proxy == nil {
		g.proxy = http.ProxyFromEnvironment
	}
	g.direct = transport(&net.Dialer{Timeout: fetchTime, Control: g.control})
	g.proxied = transport(&net.Dialer{Timeout: fetchTime})
	g.proxied.Proxy = g.proxy
	return g
}

// transport keeps no connection: pages are fetched seldom, and what nobody owns
// nobody closes.
func transport(d *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext: d.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}
}

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if !g.private {
		if err := written(req.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	switch via, err := g.proxy(req); {
	case err != nil:
		return nil, err
	case via != nil:
		return g.proxied.RoundTrip(req)
	}
	return g.direct.RoundTrip(req)
}

// control refuses an address that is about to be dialed.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is not an address: %w", address, err)
	}
	if !g.private && !public(at.Addr()) {
		return errPrivate(at.Addr().String())
	}
	return nil
}

// errPrivate is an address that web_fetch does not go to.
type errPrivate string

func (e errPrivate) Error() string {
	return string(e) + " is an address of this machine or of a private network, where web_fetch does not go"
}

// written checks a host as it is written, before anybody looks it up. An address
// that is not written in the usual way, such as one number, is refused.
func written(host string) error {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if at, err := netip.ParseAddr(host); err == nil {
		if public(at) {
			return nil
		}
		return errPrivate(host)
	}
	last := host[strings.LastIndex(host, ".")+1:]
	switch {
	case last == "localhost" || last == "internal" || last == "local":
		return errPrivate(host)
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
