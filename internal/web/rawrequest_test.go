package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// raw is a request as its bytes: to an open door on localhost:8080, without a signature and a token.
// status are those of all answers. The lines that head names replace those that a program would send.
type raw struct {
	name   string
	first  string   // the first line; "": a question for the model
	head   []string // besides the length; nil: the host and the type of a program
	body   string   // "": that question
	status string
}

func (r raw) bytes() string {
	if r.first == "" {
		r.first = "POST /v1/chat/completions HTTP/1.1"
	}
	if r.head == nil {
		r.head = []string{"Host: localhost:8080", "Content-Type: application/json"}
	}
	if r.body == "" {
		r.body = `{"messages":[{"role":"user","content":"Hi."}]}`
	}
	return r.first + "\r\n" + strings.Join(r.head, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(r.body)) + r.body
}

// named is a program's request with another host.
func named(host, status string) raw {
	return raw{name: "the host " + host, head: []string{"Host: " + host, "Content-Type: application/json"}, status: status}
}

// with is a program's request with more lines.
func with(status string, lines ...string) raw {
	return raw{
		name: strings.Join(lines, ", "), head: append([]string{"Host: localhost:8080", "Content-Type: application/json"}, lines...), status: status,
	}
}

// typed is a program's request with other types of its body.
func typed(status string, types ...string) raw {
	r := raw{name: "the types " + strings.Join(types, ", "), head: []string{"Host: localhost:8080"}, status: status}
	for _, kind := range types {
		r.head = append(r.head, "Content-Type: "+kind)
	}
	return r
}

const inner = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 46\r\n\r\n" +
	`{"messages":[{"role":"user","content":"Hi."}]}` + "\r\n"

var refusedRequests = []raw{
	named("evil.test:8080", "403"), named("localhost.:8080", "403"), named("LOCALHOST.", "403"), named("127.0.0.1.:8080", "403"),
	named("2130706433", "403"), named("0x7f.1:8080", "403"), named("0177.0.0.1", "403"), named("127.1:8080", "403"), named("0", "403"),
	named("0.0.0.0:8080", "403"), named("[::]:8080", "403"), named("[::ffff:10.0.0.1]:8080", "403"), named("[localhost]:8080", "403"),
	named("localhost@evil.test", "400"), named("localhost,evil.test", "403"), named("localhost:8080:80", "403"), named("localhost, evil.test", "400"),
	named("evil.test#localhost", "400"), named("evil.test/localhost", "400"), named("localhost\tevil.test", "400"), named("", "403"),
	{name: "two hosts", head: []string{"Host: localhost:8080", "Host: localhost:8080"}, status: "400"},
	{name: "two hosts, one of a page", head: []string{"Host: evil.test", "host: localhost:8080"}, status: "400"},
	{name: "a host with a space before its colon", head: []string{"Host : localhost:8080"}, status: "400"},
	{name: "a host on a second line", head: []string{"Host: evil.test", " localhost:8080"}, status: "400"},
	{name: "no host", head: []string{"Content-Type: application/json"}, status: "400"},
	{name: "no host in HTTP/1.0", first: "POST /v1/chat/completions HTTP/1.0", head: []string{"Content-Type: application/json"}, status: "403"},
	{name: "another host in HTTP/1.0", first: "POST / HTTP/1.0", head: []string{"Host: evil.test", "Connection: keep-alive"}, status: "403"},
	{name: "the address of a page", first: "POST http://evil.test:8080/v1/chat/completions HTTP/1.1", status: "403"},
	{name: "a tunnel", first: "CONNECT localhost:8080 HTTP/1.1", status: "404"},
	{name: "HTTP/2", first: "PRI * HTTP/2.0", head: []string{"", "SM", ""}, status: "400"},
	{name: "an upgrade to HTTP/2", head: []string{"Host: evil.test", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"}, status: "403"},
	{name: "HTTP/3", first: "POST / HTTP/3.0", status: "505"},
	{name: "a WebSocket of a page", first: "GET /v1/models HTTP/1.1", head: []string{"Host: localhost:8080", "Connection: Upgrade", "Upgrade: websocket", "Origin: http://evil.test"}, status: "403"},
	{name: "a rebound WebSocket", first: "GET /v1/models HTTP/1.1", head: []string{"Host: evil.test", "Connection: Upgrade", "Upgrade: websocket", "Origin: http://evil.test"}, status: "403"},
	{name: "a request in the body of a page", head: []string{"Host: localhost:8080", "Origin: http://evil.test"}, body: inner, status: "403"},
	{name: "a request in the body of a form", head: []string{"Host: localhost:8080", "Content-Type: text/plain"}, body: inner, status: "415"},
	{name: "a request behind another length", head: []string{"Host: evil.test", "Content-Length: 0"}, body: inner, status: "400"},
	{name: "a request behind an unknown encoding", head: []string{"Host: evil.test", "Transfer-Encoding: x, chunked"}, body: inner, status: "501"},
	typed("415", "text/plain"), typed("415", "TEXT/PLAIN"), typed("415", "text/plain ; charset=utf-8"), typed("415", "\ttext/plain"),
	typed("415", "text/plain; a=application/json"), typed("415", "multipart/form-data; boundary=x"), typed("415", "text/plain", "application/json"),
	with("403", "Origin: null"), with("403", "Origin:"), with("403", "Origin: http://evil.test"), with("403", "Origin: http://localhost:8081"),
	with("403", "Origin: http://localhost:8080", "Origin: http://localhost:8080"), with("403", "Origin: http://localhost:8080", "origin: http://evil.test"),
	with("403", "Origin: http://localhost:8080@evil.test"), with("403", "Origin: http://evil.test/localhost:8080"), with("403", "Origin: http://localhost.:8080"),
	with("403", "Origin: localhost:8080"), with("403", "Origin: file://"), with("403", "Origin: http://localhost:8080 http://evil.test"),
	with("403", "Sec-Fetch-Site: cross-site"), with("403", "Sec-Fetch-Site: same-site"), with("403", "Sec-Fetch-Site: Cross-Site"), with("403", "Sec-Fetch-Site: x"),
	with("403", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
}

// Requests of programs, some of them unusual. No page can send the last one: its address counts and not
// its header. Source: RFC 9112, section 3.2.2.
var answeredRequests = []raw{
	named("LocalHost:8080", "200"), named("[::1]:8080", "200"), named("[::ffff:127.0.0.1]:8080", "200"), named("127.9.9.9", "200"),
	with("200", "Origin: http://LOCALHOST:8080"), with("200", "Sec-Fetch-Site: same-origin"),
	{name: "HTTP/1.0", first: "POST /v1/chat/completions HTTP/1.0", status: "200"},
	{name: "an absolute address", first: "POST http://localhost:8080/v1/chat/completions HTTP/1.1", head: []string{"Host: evil.test"}, status: "200"},
}

var statusLine = regexp.MustCompile(`HTTP/1\.\d (\d{3}) `)

// A door without keys and a token tells the requests of pages from those of programs by a few lines of
// their heads. No other way to write these lines gets past it.
func TestRequestsAsTheirBytes(t *testing.T) {
	bubble(t, web.Options{Loopback: true}, func(p *process) {
		l, ended := dialtest.NewListener(), make(chan error)
		ctx, stop := context.WithCancel(p.t.Context())
		go func() { ended <- p.door.Listen(ctx, l) }()
		for _, tc := range refusedRequests {
			p.exchange(l, tc)
		}
		if n := len(p.model.Requests()); n > 0 {
			p.t.Errorf("the model was called %d times", n)
		}
		if dirs, err := p.disk.ReadDir("/home/session-state"); err == nil && len(dirs) > 0 {
			p.t.Errorf("there are %d sessions", len(dirs))
		}
		for n, tc := range answeredRequests {
			p.exchange(l, tc)
			if got := len(p.model.Requests()); got != n+1 {
				p.t.Errorf("%s: the model was called %d times in all, want %d", tc.name, got, n+1)
			}
		}
		stop()
		if err := <-ended; err != nil {
			p.t.Error(err)
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// exchange sends a request and compares the statuses of all that the door answers until it closes the
// connection.
func (p *process) exchange(l interface{ Dial() net.Conn }, tc raw) {
	p.t.Helper()
	c := l.Dial()
	sent := make(chan struct{})
	go func() { defer close(sent); _, _ = io.WriteString(c, tc.bytes()) }() // the door may close before the end
	answer, err := io.ReadAll(c)
	var got []string
	for _, m := range statusLine.FindAllStringSubmatch(string(answer), -1) {
		got = append(got, m[1])
	}
	if strings.Join(got, " ") != tc.status || err != nil {
		p.t.Errorf("%s: %v, want %s (%v); the answer is\n%s", tc.name, got, tc.status, err, answer)
	}
	_ = c.Close()
	<-sent
}
