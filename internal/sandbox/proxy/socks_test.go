package proxy

import (
	"encoding/binary"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"testing"
)

const hello, helloBack = "\x05\x01\x00", "\x05\x00"

// answered is the answer with a code.
func answered(code byte) string {
	return "\x05" + string(rune(code)) + "\x00\x01\x00\x00\x00\x00\x00\x00"
}

// port is a port in network order.
func port(colon string) string {
	n, _ := strconv.ParseUint(strings.TrimPrefix(colon, ":"), 10, 16)
	return string(binary.BigEndian.AppendUint16(nil, uint16(n)))
}

func domain(name string) string { return "\x03" + string(rune(len(name))) + name }

func TestSocksReachesAllowedHosts(t *testing.T) {
	o := newOrigin(t, "HTTP/1.0 200 OK\r\n\r\nok")
	addr := onTCP(t, newProxy(t, options(t, "a.example"+o.port+" 127.0.0.1"+o.port)))
	for name, to := range map[string]string{
		"a name":                  domain("A.example."),
		"an address":              "\x01\x7f\x00\x00\x01",
		"an address as a name":    domain("127.0.0.1"),
		"an IPv4 address in IPv6": "\x04" + string(netip.MustParseAddr("::ffff:127.0.0.1").AsSlice()),
	} {
		t.Run(name, func(t *testing.T) {
			// All at once: what follows the request belongs to the server.
			answer := exchange(t, addr, hello+"\x05\x01\x00"+to+port(o.port)+"GET /x HTTP/1.0\r\n\r\n")
			if want := helloBack + answered(0) + "HTTP/1.0 200 OK\r\n\r\nok"; answer != want {
				t.Errorf("the answer is %q, want %q", answer, want)
			}
			if got := o.all(); got != "GET /x HTTP/1.0\r\n\r\n" {
				t.Errorf("the server got %q", got)
			}
		})
	}
}

func TestSocksRefuses(t *testing.T) {
	p := newProxy(t, Options{Decide: rules(t, "a.example", "blocked.example").Connect})
	addr := onTCP(t, p)
	closed := listen(t)
	closed.Close()
	for _, tc := range []struct{ name, sent, want, remembered string }{
		{"an unknown host", hello + "\x05\x01\x00" + domain("evil.example") + port(":443"), helloBack + answered(2), "evil.example:443"},
		{"a blocked host", hello + "\x05\x01\x00" + domain("BLOCKED.example.") + port(":443"), helloBack + answered(2), "blocked.example:443"},
		{"an address", hello + "\x05\x01\x00\x01\x7f\x00\x00\x01" + port(":80"), helloBack + answered(2), "127.0.0.1:80"},
		{"an IPv6 address", hello + "\x05\x01\x00\x04" + string(netip.MustParseAddr("::1").AsSlice()) + port(":80"), helloBack + answered(2), "[::1]:80"},
		{"a name for this machine", hello + "\x05\x01\x00" + domain("a.example") + port(":443"), helloBack + answered(2), "a.example:443"},
		{"a number", hello + "\x05\x01\x00" + domain("0x7f.1") + port(":80"), helloBack + answered(2), "0x7f.1:80"},
		{"a zero byte", hello + "\x05\x01\x00" + domain("a.example\x00.evil") + port(":80"), helloBack + answered(2), "a.example?.evil:80"},
		{"no name", hello + "\x05\x01\x00" + domain("") + port(":80"), helloBack + answered(2), ":80"},
		{"BIND", hello + "\x05\x02\x00" + domain("a.example") + port(":80"), helloBack + answered(7), ""},
		{"UDP", hello + "\x05\x03\x00" + domain("a.example") + port(":80"), helloBack + answered(7), ""},
		{"an unknown kind of address", hello + "\x05\x01\x00\x02", helloBack + answered(8), ""},
		{"another version", hello + "\x04\x01\x00" + domain("a.example") + port(":80"), helloBack + answered(1), ""},
		{"only passwords", "\x05\x01\x02", "\x05\xff", ""},
		{"no methods", "\x05\x00", "\x05\xff", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := exchange(t, addr, tc.sent); got != tc.want {
				t.Errorf("the answer is %q, want %q", got, tc.want)
			}
			refused := strings.Join(p.Refused(), " ")
			host := strings.Trim(tc.remembered[:max(0, strings.LastIndexByte(tc.remembered, ':'))], "[]")
			if (refused == "") != (tc.remembered == "") || !strings.Contains(refused, host) {
				t.Errorf("remembered: %q, want %s", refused, tc.remembered)
			}
		})
	}
}

// A request that ends too early is closed, without an answer.
func TestSocksEndsEarly(t *testing.T) {
	addr := onTCP(t, newProxy(t, options(t, "*")))
	whole := hello + "\x05\x01\x00" + domain("a.example") + port(":443")
	for n := 1; n < len(whole); n++ {
		c := open(t, addr)
		write(t, c, whole[:n])
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(c); err != nil || len(answer) > len(helloBack) {
			t.Errorf("after %d bytes: %q, %v", n, answer, err)
		}
	}
}
