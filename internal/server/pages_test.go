package server_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Whatever a browser, or another HTTP client, sends to the port of JSON-RPC: the connection ends
// with one error, and no frame in it is read.
func TestHTTPBringsNoFrames(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	frames := frame(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"open-sesame"}}`) +
		frame(`{"jsonrpc":"2.0","id":2,"method":"session.create","params":{"sessionId":"evil"}}`)
	const bare = `{"jsonrpc":"2.0","id":2,"method":"session.create","params":{"sessionId":"evil"}}`
	length := fmt.Sprintf("Content-Length: %d\r\n", len(frames))
	rows := []struct{ name, sent string }{
		{"a form", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n" + length + "\r\n" + frames},
		{"a path with a colon", "POST /a:b HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n" + frames},
		{"a body that is a frame", fmt.Sprintf("POST /a:b HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(bare), bare)},
		{"a method that is a header", "CONTENT-LENGTH /:81 HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n" + frames},
		{"the same in lower case", "content-length /a:b HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n" + frames},
		{"another method that is a header", "CONTENT-TYPE /: HTTP/1.1\r\nHost: localhost\r\n" + length + "\r\n" + frames},
		{"an absolute address", "POST http://localhost:1/ HTTP/1.1\r\n" + length + "\r\n" + frames},
		{"a tunnel", "CONNECT localhost:80 HTTP/1.1\r\n\r\n" + frames},
		{"two requests", "GET /a:b HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\n" + length + "\r\n" + frames},
		{"HTTP/1.0 without a host", "POST / HTTP/1.0\r\n" + length + "\r\n" + frames},
		{"HTTP/0.9", "GET /\r\n" + frames},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frames},
		{"chunks", fmt.Sprintf("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(frames), frames)},
		{"a part of a form", "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + frames + "\r\n--x--\r\n"},
		{"a WebSocket", "GET /a:b HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" + frames},
		{"an empty line first", "\r\n" + frames},
		{"a header that is unknown first", "Host: localhost\r\n" + frames},
		{"a mark of UTF-8 first", "\xef\xbb\xbf" + frames},
		{"the first of a part", "--x\r\n" + frames},
		{"TLS with a session id of lines", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("r", 32) + "\x20\r\n" + frames},
		{"STUN with a user name of lines", "\x00\x03\x00\x10\x21\x12\xa4\x42" + strings.Repeat("i", 12) + "\x00\x06\x00\x40\r\n" + frames},
		{"SOCKS5", "\x05\x01\x00\x05\x01\x00\x03\x09localhost\x00\x50\r\n" + frames},
	}
	for _, token := range []string{"", "open-sesame"} {
		t.Run("token "+token, func(t *testing.T) {
			inBubble(t, setup{Token: token}, func(t *testing.T, p *process) {
				ctx, stop := context.WithCancel(p.ctx)
				d, ended := newListener(0), make(chan error)
				go func() { ended <- p.server.Listen(ctx, d, wire.ProtocolVersion) }()
				for _, tc := range rows {
					c := d.Dial()
					sent := make(chan struct{})
					go func() { defer close(sent); _, _ = io.WriteString(c, tc.sent) }() // the server may close before the end
					answer, err := io.ReadAll(c)
					if err != nil || strings.Count(string(answer), `"jsonrpc":`) != 1 || !strings.Contains(string(answer), `"id":null,"error":{"code":-32600,`) {
						t.Errorf("%s: the answer is %q, %v", tc.name, answer, err)
					}
					_ = c.Close()
					<-sent
				}
				if dirs, err := p.disk.ReadDir(home); err == nil && len(dirs) > 0 {
					t.Errorf("there are %d sessions", len(dirs))
				}
				// The same frames, without HTTP, create it.
				c := p.enter(d)
				_, _ = io.WriteString(c.conn, frames) // what it brings is awaited
				c.await("the new session", 0, func(m *message) bool { return m.news == "session.created" && m.session == "evil" })
				stop()
				<-ended
			})
		})
	}
}
