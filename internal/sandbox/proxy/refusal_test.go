package proxy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// refusal is one row: what is sent, the status line and a part of the body, and the hosts that
// are remembered with the rule that would help.
type refusal struct{ name, sent, status, body, remembered string }

var refusalsOfHTTP = []refusal{
	{
		"an unknown host", "CONNECT evil.example:443 HTTP/1.1\r\n\r\n", "403 evil.example:443 is not allowed in the sandbox: no rule covers it",
		"with the rule url(evil.example), as in --allow-tool 'url(evil.example)'", "evil.example:443 url(evil.example)",
	},
	{"without encryption", "GET http://evil.example/x?secret HTTP/1.1\r\nHost: x\r\n\r\n", "403 evil.example:80 is not allowed in the sandbox: no rule covers it", "url(http://evil.example)", "evil.example:80 url(http://evil.example)"},
	{"another port", "CONNECT a.example:22 HTTP/1.1\r\n\r\n", "403 a.example:22 is not allowed in the sandbox: no rule covers it", "url(a.example:22)", "a.example:22 url(a.example:22)"},
	{
		"a blocked host", "CONNECT sub.Blocked.example.:443 HTTP/1.1\r\n\r\n", "403 sub.blocked.example:443 is denied by url(https://blocked.example) (blockedHosts)",
		"A deny rule wins", "sub.blocked.example:443 ",
	},
	{"a rule with a path", "CONNECT docs.example:443 HTTP/1.1\r\n\r\n", "403 docs.example:443 is not allowed in the sandbox: no rule covers it", "url(docs.example)", "docs.example:443 url(docs.example)"},
	{"another path", "GET http://docs.example/other HTTP/1.1\r\nHost: docs.example\r\n\r\n", "403 docs.example:80 is not allowed in the sandbox", "url(http://docs.example)", "docs.example:80 url(http://docs.example)"},
	{"another path behind an escape", "GET http://docs.example/docs/%2e%2e/x HTTP/1.1\r\nHost: docs.example\r\n\r\n", "403 docs.example:80 is not allowed in the sandbox", "", "docs.example:80 url(http://docs.example)"},
	{"an address without a rule", "CONNECT 192.0.2.1:443 HTTP/1.1\r\n\r\n", "403 192.0.2.1:443 is not allowed in the sandbox: no rule covers it", "", "192.0.2.1:443 url(192.0.2.1)"},
	{"an IPv6 address without a rule", "CONNECT [2001:DB8::0:1]:443 HTTP/1.1\r\n\r\n", "403 [2001:db8::1]:443 is not allowed in the sandbox", "", "[2001:db8::1]:443 url(2001:db8::1)"},
	{"a name for this machine", "CONNECT a.example:443 HTTP/1.1\r\n\r\n", "403 a.example:443 is not allowed in the sandbox: 127.0.0.1 is an address of this machine", "allowLocalNetwork", "a.example:443 "},
	{"this machine", "CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n", "403 127.0.0.1:80 is not allowed in the sandbox: 127.0.0.1 is an address of this machine", "allowLocalNetwork", "127.0.0.1:80 "},
	{"this machine in IPv6", "CONNECT [::ffff:7f00:1]:80 HTTP/1.1\r\n\r\n", "403 127.0.0.1:80 is not allowed in the sandbox: 127.0.0.1 is an address of this machine", "allowLocalNetwork", "127.0.0.1:80 "},
	{"the metadata service", "GET http://169.254.169.254/latest HTTP/1.1\r\nHost: a.example\r\n\r\n", "403 169.254.169.254:80 is not allowed in the sandbox: no rule", "", "169.254.169.254:80 url(http://169.254.169.254)"},
	{"a short address", "CONNECT 127.1:80 HTTP/1.1\r\n\r\n", "403 the host 127.1 is not allowed: write an IP address as four", "usual form", "127.1:80 "},
	{"an address in hexadecimal", "CONNECT 0x7f.1:80 HTTP/1.1\r\n\r\n", "403 the host 0x7f.1 is not allowed", "", "0x7f.1:80 "},
	{"an address in octal", "CONNECT 0177.0.0.1:80 HTTP/1.1\r\n\r\n", "403 the host 0177.0.0.1 is not allowed", "", "0177.0.0.1:80 "},
	{"an address as a number", "GET http://2130706433/ HTTP/1.1\r\nHost: x\r\n\r\n", "403 the host 2130706433 is not allowed", "", "2130706433:80 "},
	{"an address with a zone", "CONNECT [fe80::1%25eth0]:80 HTTP/1.1\r\n\r\n", "403 the host fe80::1%25eth0 is not allowed: an address with a zone", "", "[fe80::1%25eth0]:80 "},
	{"letters that look alike", "CONNECT a.ex\u0430mple:443 HTTP/1.1\r\n\r\n", "403 the host a.ex?mple is not allowed: write the ASCII form", "usual form", "a.ex?mple:443 "},
	{"an empty label", "CONNECT a..example:443 HTTP/1.1\r\n\r\n", "403 the host a..example is not allowed", "", "a..example:443 "},
	{"a long name", "CONNECT " + strings.Repeat("a.", 200) + "example:443 HTTP/1.1\r\n\r\n", "403 the host a.a.", "", strings.Repeat("a.", 48) + "a...:443 "},
}

// The rules that the refusals are about.
func refusing(t *testing.T) permit.Rules {
	r := rules(t, "a.example blocked.example *.blocked.example 127.0.0.1", "blocked.example")
	return with(t, r, "url(docs.example/docs)", "url(http://docs.example/docs)")
}

func TestRefusals(t *testing.T) {
	p := newProxy(t, Options{Decide: refusing(t).Connect})
	addr := onTCP(t, p)
	for _, tc := range refusalsOfHTTP {
		t.Run(tc.name, func(t *testing.T) {
			answer := exchange(t, addr, tc.sent)
			status, rest, _ := strings.Cut(answer, "\r\n")
			if !strings.HasPrefix(status, "HTTP/1.1 "+tc.status) || len(status) > 220 || !strings.Contains(rest, tc.body) || strings.Contains(answer, "secret") {
				t.Errorf("the answer is %q", answer)
			}
			target, rule, refused := strings.Cut(tc.remembered, " ")
			got := p.Refused()
			if refused && (len(got) != 1 || !strings.Contains(got[0], strings.Trim(target[:strings.LastIndexByte(target, ':')], "[]"))) || !refused && len(got) > 0 {
				t.Errorf("remembered: %q, want one about %q", got, target)
			}
			if strings.Contains(rest, "with the rule ") != (rule != "") || !strings.Contains(rest, rule) {
				t.Errorf("the answer does not propose %q: %q", rule, rest)
			}
		})
	}
}

// Names are not looked up before a rule allows them, so that they carry nothing out.
func TestRefusedNamesAreNotLookedUp(t *testing.T) {
	p := newProxy(t, Options{Decide: refusing(t).Connect})
	p.connector.Lookup = func(_ context.Context, name string) ([]netip.Addr, error) {
		t.Errorf("%s is looked up", name)
		return nil, errors.New("no")
	}
	addr := onTCP(t, p)
	for _, host := range []string{"c2VjcmV0.evil.example", "x.blocked.example", "docs.example"} {
		exchange(t, addr, "CONNECT "+host+":443 HTTP/1.1\r\n\r\n")
	}
}

// A request that cannot be read gets status 400 with the reason, and is not remembered.
func TestMalformedRequests(t *testing.T) {
	p := newProxy(t, options(t, "*"))
	addr := onTCP(t, p)
	for _, tc := range []struct{ name, sent, want string }{
		{"a server's request", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "400 this is a proxy"},
		{"https without CONNECT", "GET https://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 a request for an https address came without CONNECT"},
		{"another scheme", "GET ftp://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 this is a proxy"},
		{"credentials", "GET http://user:secret@a.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 the address has a user name or a password before a.example"},
		{"credentials of a tunnel", "CONNECT user:secret@a.example:443 HTTP/1.1\r\n\r\n", "400 "},
		{"credentials with an @", "CONNECT user:x@secret@a.example:443 HTTP/1.1\r\n\r\n", "400 "},
		{"escapes in the host", "GET http://ex%61mple.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 the request is malformed"},
		{"no port", "CONNECT a.example HTTP/1.1\r\n\r\n", "400 a.example is not a host and a port"},
		{"port 0", "CONNECT a.example:0 HTTP/1.1\r\n\r\n", "400 a.example:0 is not a host and a port"},
		{"port 0 without a tunnel", "GET http://a.example:0/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 a.example:0 has no valid port"},
		{"a port with a sign", "CONNECT a.example:+443 HTTP/1.1\r\n\r\n", "400 "},
		{"a large port", "GET http://a.example:70000/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 a.example:70000 has no valid port"},
		{"a name in brackets", "CONNECT [a.example]:443 HTTP/1.1\r\n\r\n", "400 "},
		{"a path for a tunnel", "CONNECT /x HTTP/1.1\r\n\r\n", "400 "},
		{"a WebSocket", "GET http://a.example/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "501 a WebSocket to a.example needs CONNECT"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\r\n\r\n", "400 the request is malformed: "},
		{"SOCKS4", "\x04\x01\x00\x50\x01\x01\x01\x01\x00\r\n\r\n", "400 the request is malformed: "},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\n", "400 this is a proxy"},
		{"two lengths", "POST http://a.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody", "400 the request is malformed: the header content-length is there twice"},
		{"a length and chunks", "POST http://a.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 the request is malformed: the request has both"},
		{"an unknown encoding", "POST http://a.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400 the request is malformed: the only"},
		{"two lists of encodings", "POST http://a.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 the request is malformed"},
		{"a continued line", "GET http://a.example/ HTTP/1.1\r\nHost: x\r\nX: a\r\n Content-Length: 5\r\n\r\n", "400 the request is malformed: a header"},
		{"a space in a name", "GET http://a.example/ HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n", "400 the request is malformed: a header"},
		{"two hosts", "GET http://a.example/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400 the request is malformed: the header host"},
		{"a bare line end", "GET http://a.example/ HTTP/1.1\nHost: x\r\n\r\n", "400 the request is malformed: a line"},
		{"a bare return", "GET http://a.example/ HTTP/1.1\r\nX: a\rHost: y\r\n\r\n", "400 the request is malformed: the request's head has a control character"},
		{"a zero byte", "GET http://a.example/ HTTP/1.1\r\nX: a\x00\r\n\r\n", "400 the request is malformed: the request's head has a control character"},
		{"a length that is not a number", "POST http://a.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nbody", "400 the request is malformed"},
		{"a long line", "GET http://a.example/" + strings.Repeat("x", 20<<10) + " HTTP/1.1\r\n\r\n", "431 the head of the request has more than 16 KiB"},
		{"many headers", "GET http://a.example/ HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 4<<10) + "\r\n", "431 the head of the request has more than 16 KiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if answer := exchange(t, addr, tc.sent); !strings.HasPrefix(answer, "HTTP/1.1 "+tc.want) || strings.Contains(answer, "secret") {
				t.Errorf("the answer is %q, want %q", answer, tc.want)
			}
			if got := p.Refused(); len(got) > 0 {
				t.Errorf("remembered: %v", got)
			}
		})
	}
}

// Hosts that the rules allow and that cannot be reached.
func TestUnreachableHosts(t *testing.T) {
	closed := listen(t)
	closed.Close()
	port := portOf(closed.Addr().String())
	p := newProxy(t, options(t, "a.example"+port+" none.example"))
	local := p.connector.Lookup
	p.connector.Lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
		if name == "none.example." {
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		return local(ctx, name)
	}
	addr := onTCP(t, p)
	for sent, want := range map[string]string{
		"CONNECT a.example" + port: "HTTP/1.1 502 no connection to a.example" + port,
		"CONNECT none.example:443": "HTTP/1.1 502 none.example has no address: its name was not found",
	} {
		if answer := exchange(t, addr, sent+" HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, want) {
			t.Errorf("the answer to %s is %q", sent, answer)
		}
	}
}

// Where it is not clear whether a deny rule matches, no rule is proposed.
func TestDoubtProposesNoRule(t *testing.T) {
	p := newProxy(t, Options{Decide: func(permit.Connection) permit.Decision {
		return permit.Decision{Why: "it is not clear whether url(a.example/x) denies it", Doubt: true}
	}})
	answer := exchange(t, onTCP(t, p), "CONNECT a.example:443 HTTP/1.1\r\n\r\n")
	got := p.Refused()
	if !strings.HasPrefix(answer, "HTTP/1.1 403 a.example:443 is not allowed in the sandbox: it is not clear") || len(got) != 1 || strings.Contains(answer, "with the rule ") {
		t.Errorf("the answer is %q, remembered: %v", answer, got)
	}
}

// A client that sends a long body first still reads why it was refused.
func TestRefusalArrivesDespiteABody(t *testing.T) {
	answer := exchange(t, onTCP(t, newProxy(t, Options{Decide: permit.Rules{}.Connect})),
		"POST http://evil.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"+strings.Repeat("x", 100000))
	if !strings.HasPrefix(answer, "HTTP/1.1 403 evil.example:80 is not allowed in the sandbox") {
		t.Errorf("the answer is %q", answer)
	}
}

func TestRefusedIsBoundedAndHasNoDuplicates(t *testing.T) {
	p := newProxy(t, options(t, ""))
	for i := range 100 {
		p.refused.add(strconv.Itoa(i / 2))
	}
	if got := len(p.Refused()); got != 50 {
		t.Errorf("%d are remembered, want 50", got)
	}
	for i := range 100 {
		p.refused.add(strconv.Itoa(i))
	}
	if got := len(p.Refused()); got != mostRefusals {
		t.Errorf("%d are remembered, want %d", got, mostRefusals)
	}
	if diff := cmp.Diff([]string(nil), p.Refused()); diff != "" {
		t.Errorf("after that: %s", diff)
	}
}

func TestNewNeedsADecision(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a proxy without Decide would allow or refuse everything")
	}
}
