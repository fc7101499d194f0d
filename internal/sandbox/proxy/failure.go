package proxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// failure is why a connection was not opened or a request was not sent on.
type failure struct {
	status int    // of HTTP
	reply  byte   // of SOCKS5; RFC 1928, section 6
	why    string // names the host and the rule; one sentence without a full stop
	next   string // what the user or the program can do; sentences
}

// The replies of SOCKS5 that a failure can have.
const (
	replyFailed      = 1
	replyRefused     = 2
	replyUnreachable = 4
	replyNoListener  = 5
	replyCommand     = 7
	replyAddress     = 8
)

// malformed is a request that this proxy does not understand.
func malformed(why, next string) *failure {
	return &failure{http.StatusBadRequest, replyFailed, why, next}
}

// malformedHost is a host that programs read in different ways. It counts as refused, because
// it may be an attempt to get around a rule.
func malformedHost(host, problem string) *failure {
	return &failure{http.StatusForbidden, replyRefused, "the host " + host + " is not allowed: " + problem, "Write the host in its usual form."}
}

// maxReason bounds the reason in a status line, in bytes; the body has all of it.
const maxReason = 200

// fail answers an HTTP request with a failure.
func (c *client) fail(f *failure) {
	body := "Sidestick's sandbox: " + f.why + ".\n" + f.next + "\n"
	_ = c.SetDeadline(time.Now().Add(lingerTime))
	_, err := fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		f.status, printable(f.why, maxReason), len(body), body)
	if err != nil {
		return
	}
	// The rest of the client's request is read: closing before would reset the connection, and the
	// client might lose the answer.
	closeWrite(c.Conn)
	_, _ = io.CopyN(io.Discard, c.Conn, 256<<10)
}

// mostRefusals bounds what is remembered between two calls of [Proxy.Refused]. More is no
// list that a user reads.
const mostRefusals = 64

// refusals is a list without duplicates. It is safe for concurrent use.
type refusals struct {
	mu   sync.Mutex // guards list
	list []string
}

// add remembers why a connection was refused.
func (l *refusals) add(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < mostRefusals && !slices.Contains(l.list, why) {
		l.list = append(l.list, why)
	}
}

// Refused returns why connections were refused since the last call, because of a rule or of
// their address: in order, each reason once, in words for the user that name the host. A host
// that is not a name or an address is shown in printable ASCII, with at most 100 bytes. Refused
// forgets what it returns. Beyond 64 different reasons, the program gets its answer, but they
// are not remembered.
func (p *Proxy) Refused() []string {
	p.refused.mu.Lock()
	defer p.refused.mu.Unlock()
	list := p.refused.list
	p.refused.list = nil
	return list
}
