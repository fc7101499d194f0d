package server_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// from is a connection with a given remote address.
type from struct {
	net.Conn
	address string
}

func (f from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 4711} }

// Only a client on this machine may make the server call an agent on this machine.
func TestAClientFromElsewhereReachesNoPrivateAgent(t *testing.T) {
	for _, tc := range []struct {
		address string
		may     bool
	}{
		{"192.0.2.1", false}, {"2001:db8::1", false}, {"127.0.0.1", true}, {"::1", true}, {"::ffff:127.0.0.1", true},
	} {
		t.Run(tc.address, func(t *testing.T) {
			inBubble(t, setup{}, func(t *testing.T, p *process) {
				near, far := net.Pipe()
				p.serving.Go(func() { _ = p.server.Serve(p.ctx, from{far, tc.address}) })
				c := &peer{p: p, conn: near, told: make(chan struct{}, 1)}
				c.listen()
				for i, params := range []string{
					`"model":"extension:http://127.0.0.1:8080/"`,
					`"provider":{"type":"extension","baseUrl":"http://localhost:8080/"}`,
				} {
					id := c.request("session.create", fmt.Sprintf(`{"sessionId":"s%d",%s}`, i, params))
					m := c.answer(id)
					if refused := strings.Contains(m.failure.Message, "private address"); refused == tc.may {
						t.Errorf("create with %s: %q", params, m.failure.Message)
					}
				}
			})
		})
	}
}
