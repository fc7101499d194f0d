package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
)

// answers returns a lookup with one result, and the names that it was asked for.
func answers(addrs ...string) (func(context.Context, string) ([]netip.Addr, error), *[]string) {
	asked := &[]string{}
	return func(_ context.Context, name string) ([]netip.Addr, error) {
		*asked = append(*asked, name)
		var all []netip.Addr
		for _, a := range addrs {
			all = append(all, netip.MustParseAddr(a))
		}
		return all, nil
	}, asked
}

func TestConnectorRefusesAddresses(t *testing.T) {
	mine := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(8, 8, 8, 8), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for _, tc := range []struct{ name, host, addrs, want string }{
		{"a name of this machine", "localhost", "", "localhost is an address of this machine"},
		{"a name of a cloud", "metadata.google.internal", "", "metadata.google.internal is an address"},
		{"a loopback address", "127.0.0.1", "", "127.0.0.1 is an address of this machine"},
		{"metadata", "169.254.169.254", "", "169.254.169.254 is an address"},
		{"a number", "2130706433", "", "2130706433 is not the name of a host"},
		{"a name with a private address", "a.example", "10.0.0.1", "10.0.0.1 is an address"},
		{"one private address of several", "a.example", "1.1.1.1 127.0.0.1", "127.0.0.1 is an address"},
		{"IPv4 in IPv6", "a.example", "::ffff:127.0.0.1", "127.0.0.1 is an address"},
		{"a public address of this machine", "a.example", "8.8.8.8", "8.8.8.8 is an address of this machine"},
		{"a name without addresses", "a.example", "", "a.example has no address"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lookup, _ := answers(strings.Fields(tc.addrs)...)
			conn, err := Connector{Lookup: lookup, own: mine}.Dial(t.Context(), tc.host, 443)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Dial(%s) = %v, %v, want %q", tc.host, conn, err, tc.want)
			}
		})
	}
	lookup, _ := answers("1.1.1.1")
	broken := func() ([]net.Addr, error) { return nil, errors.New("broken") }
	if _, err := (Connector{Lookup: lookup, own: broken}).Dial(t.Context(), "a.example", 443); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("without the addresses of this machine: %v", err)
	}
}

// The name is looked up once, without the search list, and the next address is tried where
// one does not answer.
func TestConnectorDialsWhatItChecked(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := netip.MustParseAddrPort(l.Addr().String()).Port()
	lookup, asked := answers("127.0.0.9", "127.0.0.1", "127.0.0.1")
	conn, err := Connector{Private: true, Lookup: lookup}.Dial(t.Context(), "a.example", port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := strings.Join(*asked, " "); got != "a.example." {
		t.Errorf("looked up: %q", got)
	}
	if got := conn.RemoteAddr().String(); got != l.Addr().String() {
		t.Errorf("connected to %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Connector{Private: true, Lookup: lookup}).Dial(ctx, "a.example", port); !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "canceled") {
		t.Errorf("after a cancel: %v", err)
	}
}

// A name that stands for a public address when it is checked, and for this machine when it is dialed, reaches
// nothing of this machine, whatever sends the request.
func TestNamesThatChange(t *testing.T) {
	reached := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(inside.Close)
	at := netip.MustParseAddrPort(inside.Listener.Addr().String())
	none := func(*http.Request) (*url.URL, error) { return nil, nil }
	guard := &http.Client{Transport: New(Options{Proxy: none})}
	for name, try := range map[string]func() error{
		"a connection": func() error {
			_, err := Connector{}.Dial(t.Context(), "rebind.attacker.test", at.Port())
			return err
		},
		"a request": func() error {
			_, err := guard.Get(fmt.Sprintf("http://rebind.attacker.test:%d/", at.Port()))
			return err
		},
		"a complete name": func() error {
			_, err := guard.Get(fmt.Sprintf("http://rebind.attacker.test.:%d/", at.Port()))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, inner := range []string{"127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "10.0.0.1"} {
				asked := dialtest.Names(t, "8.8.8.8", inner)
				if first, err := (Connector{}).addresses(t.Context(), "rebind.attacker.test"); err != nil || (Connector{}).checkAll(first) != nil || asked() != 1 {
					t.Fatalf("the name stands for %v at first, %v; it was looked up %d times", first, err, asked())
				}
				if err := try(); err == nil || !strings.Contains(err.Error(), inner+" is an address of this machine") || reached > 0 {
					t.Errorf("%s: reached %d times, %v", inner, reached, err)
				}
			}
		})
	}
}
