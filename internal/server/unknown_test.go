package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// A client that has not sent the token yet can make the server hold little; with the
// token, the next message may be as large as any.
func TestALargeMessageNeedsTheToken(t *testing.T) {
	inBubble(t, setup{Token: "secret"}, func(t *testing.T, p *process) {
		c := p.connect()
		large := fmt.Sprintf(`{"message":%q}`, strings.Repeat("x", 100<<10))
		if got := c.answer(c.request("ping", large)).failure.Message; !strings.Contains(got, "exceeds the limit of 65536 bytes") {
			t.Errorf("without the token: %.200q", got)
		}
		c.request("connect", `{"token":"secret"}`)
		got := c.answer(c.request("ping", large)) // sent before connect is answered
		if !strings.Contains(string(got.result), "pong: xxx") {
			t.Errorf("with the token: %.200s, %.200s", got.result, got.failure.Message)
		}
	})
}

// Connections that have not sent the token are few; each that does so, or leaves, makes
// room for another.
func TestFewConnectionsMayBeWithoutTheToken(t *testing.T) {
	inBubble(t, setup{Token: "secret"}, func(t *testing.T, p *process) {
		var idle []*peer
		for range 64 {
			c := p.connect()
			c.answer(c.request("ping", `{}`)) // it is served
			idle = append(idle, c)
		}
		if _, err := p.connectUnread().conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the 65th connection: %v, want %v", err, io.EOF)
		}
		idle[0].answer(idle[0].request("connect", `{"token":"secret"}`))
		c := p.connect()
		c.answer(c.request("ping", `{}`)) // there is room again
		idle[1].hangUp()
		synctest.Wait()
		c = p.connect()
		c.answer(c.request("ping", `{}`))
	})
}

// Without a token, too, clients that have not called connect hold little together, and have to
// finish what they begin.
func TestHalfMessagesAreBoundedWithoutAToken(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		half := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 60<<20, strings.Repeat("x", 30<<20))
		var idle []*peer
		for range 3 {
			c := p.connectUnread()
			if _, err := io.WriteString(c.conn, half); err != nil {
				t.Fatal(err)
			}
			idle = append(idle, c)
			synctest.Wait()
		}
		if held := p.server.Held(); held > 64<<20 || held < 60<<20 {
			t.Errorf("the half messages hold %d bytes", held)
		}
		c := p.connect()
		c.answer(c.request("connect", `{}`))
		large := fmt.Sprintf(`{"message":%q}`, strings.Repeat("x", 100<<10))
		if got := c.answer(c.request("ping", large)); !strings.Contains(string(got.result), "pong: xxx") {
			t.Errorf("a client that has called connect: %.200s", got.failure.Message)
		}
		for _, c := range idle {
			if _, err := c.conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("an idle client: %v, want %v", err, io.EOF)
			}
		}
		synctest.Wait()
		if held := p.server.Held(); held != 0 {
			t.Errorf("%d bytes are held by nobody", held)
		}
	})
}
