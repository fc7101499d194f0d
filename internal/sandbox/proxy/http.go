package proxy

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// http answers the one HTTP request of a connection.
func (s *server) http(ctx context.Context, c *client) {
	req, rest, f := readRequest(c.r)
	switch {
	case f != nil:
		c.fail(f)
	case req == nil:
	case req.Method == http.MethodConnect:
		c.r = rest
		to, f := parseTarget(req.RequestURI)
		s.httpTo(ctx, c, to, f, func(far net.Conn) { openTunnel(c, far) })
	default:
		to, f := plainRequest(req)
		s.httpTo(ctx, c, to, f, func(far net.Conn) { s.forward(c, far, req, to) })
	}
}

// httpTo connects to the target of a request, unless f refuses that, and then calls serve.
func (s *server) httpTo(ctx context.Context, c *client, to permit.Connection, f *failure, serve func(far net.Conn)) {
	if f != nil {
		s.remember(f)
		c.fail(f)
		return
	}
	far, f := s.connect(ctx, to)
	if f != nil {
		c.fail(f)
		return
	}
	defer s.drop(far)
	serve(far)
}

// openTunnel answers CONNECT, and copies in both directions.
func openTunnel(c *client, far net.Conn) {
	l := newLink(c.Conn, far)
	if _, err := c.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err == nil {
		l.both(c.r)
	}
}

// plainRequest returns the target of a request for an http:// address.
func plainRequest(req *http.Request) (permit.Connection, *failure) {
	u := req.URL
	port := uint64(80)
	var err error
	if u.Port() != "" {
		port, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	switch {
	case u.Scheme == "https":
		return permit.Connection{}, malformed("a request for an https address came without CONNECT", "Use CONNECT, or set https_proxy to the http:// address of this proxy.")
	case u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return permit.Connection{}, malformed("this is a proxy, and the request has no http:// address", "Send the whole address in the first line.")
	case u.User != nil:
		return permit.Connection{}, malformed("the address has a user name or a password before "+shown(u.Host), "Send them in the header Authorization.")
	case err != nil || port == 0:
		return permit.Connection{}, malformed(shown(u.Host)+" has no valid port", "Write a port from 1 to 65535.")
	case tokens(req.Header, "Upgrade")["websocket"]:
		return permit.Connection{}, &failure{http.StatusNotImplemented, replyFailed, "a WebSocket to " + shown(u.Host) + " needs CONNECT", "Use wss://, or a client that opens WebSockets with CONNECT."}
	}
	to, f := plainTarget(u.Hostname(), uint16(port))
	if to.Path = u.EscapedPath(); !strings.HasPrefix(to.Path, "/") {
		to.Path = "/" + to.Path
	}
	return to, f
}

// tokens returns the comma-separated values of a header in lower case.
func tokens(h http.Header, name string) map[string]bool {
	all := map[string]bool{}
	for _, value := range h.Values(name) {
		for t := range strings.SplitSeq(value, ",") {
			all[strings.ToLower(strings.TrimSpace(t))] = true
		}
	}
	return all
}
