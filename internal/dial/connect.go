package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Connector opens TCP connections to hosts that another program chose. The zero value
// connects to the public internet. It is safe for concurrent use.
type Connector struct {
	// Private allows addresses that are not on the public internet, as [Options.Private].
	Private bool
	// Lookup returns the addresses of a name. Default: the resolver of the system.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)

	own func() ([]net.Addr, error) // of this machine; nil: [net.InterfaceAddrs]
}

// mostAddresses bounds the addresses of one name that are used. Large services return 8.
const mostAddresses = 16

// Dial looks host up once and connects to the first of its addresses that answers. It calls
// no address of a host of which any address may not be called, which is [PrivateError]: the
// owner of a name could otherwise add one address of this machine to its own.
// A ctx with a deadline bounds the whole; the addresses share its time.
func (c Connector) Dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	if err := c.CheckHost(host, false); err != nil {
		return nil, err
	}
	addrs, err := c.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := c.checkAll(addrs); err != nil {
		return nil, err
	}
	var last error
	for i, a := range addrs {
		conn, err := dialOne(ctx, netip.AddrPortFrom(a, port), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
		if last = err; ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

// CheckHost checks a host as it is written, before its name is looked up: its error is
// [PrivateError] for this machine and private networks. Set proxied if a proxy will look the
// name up. Then names that are not ASCII are errors, too.
func (c Connector) CheckHost(host string, proxied bool) error {
	if c.Private {
		return nil
	}
	return checkName(host, proxied)
}

// addresses returns the addresses of a host, without doubles.
func (c Connector) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	lookup := c.Lookup
	if lookup == nil {
		lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	name := host
	if strings.Contains(host, ".") && !strings.HasSuffix(host, ".") {
		name += "." // a name with a dot is complete; the search list would make another one of it
	}
	found, err := lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	var addrs []netip.Addr
	seen := map[netip.Addr]bool{}
	for _, a := range found {
		if a = a.Unmap(); !seen[a] && len(addrs) < mostAddresses {
			addrs = append(addrs, a)
		}
		seen[a] = true
	}
	if len(addrs) == 0 {
		return nil, errors.New(host + " has no address")
	}
	return addrs, nil
}

// checkAll refuses addresses of which one may not be called.
func (c Connector) checkAll(addrs []netip.Addr) error {
	if c.Private {
		return nil
	}
	own := c.own
	if own == nil {
		own = net.InterfaceAddrs
	}
	mine, err := own()
	if err != nil {
		return fmt.Errorf("cannot find out which addresses this machine has: %w", err)
	}
	refused := map[netip.Addr]bool{}
	for _, m := range mine {
		if prefix, err := netip.ParsePrefix(m.String()); err == nil {
			refused[prefix.Addr().Unmap().WithZone("")] = true
		}
	}
	for _, a := range addrs {
		if !public(a) || refused[a.WithZone("")] {
			return PrivateError(a.String())
		}
	}
	return nil
}

// dialOne connects to one address in its share of the time that is left.
func dialOne(ctx context.Context, at netip.AddrPort, shares int) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok && shares > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(shares))
		defer cancel()
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort(at.Addr().String(), strconv.Itoa(int(at.Port()))))
}
