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
// room for another, and so does the oldest: whoever sends nothing keeps nobody
// out.
func TestFewConnectionsMayBeWithoutTheToken(t *testing.T) {
	inBubble(t, setup{Token: "secret"}, func(t *testing.T, p *process) {
		var idle []*peer
		for range 64 {
			c := p.connect()
			c.answer(c.request("ping", `{}`)) // it is served
			idle = append(idle, c)
		}
		idle[0].answer(idle[0].request("connect", `{"token":"secret"}`))
		c := p.connect()
		c.answer(c.request("ping", `{}`)) // there is room again
		idle[1].hangUp()
		synctest.Wait()
		c = p.connect()
		c.answer(c.request("ping", `{}`))
		late := p.connect()
		late.answer(late.request("connect", `{"token":"secret"}`))
		late.answer(late.request("ping", `{}`))
		synctest.Wait()
		idle[0].answer(idle[0].request("ping", `{}`)) // it has sent the token, and stays
		if _, err := idle[2].conn.Write([]byte("C")); err == nil {
			t.Error("the oldest connection without a token is still there")
		}
	})
}

// A server is never full of clients that do nothing: the oldest of them makes room for the next one. Clients with a
// session stay, and if all have one, the next client hears why it is refused.
func TestIdleClientsMakeRoom(t *testing.T) {
	inBubble(t, setup{Descriptors: 80}, func(t *testing.T, p *process) { // 20 connections, 40 sessions
		keeps := p.connect()
		keeps.call("session.create", `{"sessionId":"s1"}`)
		busy, idle := p.connect(), p.connect()
		busy.answer(busy.request("ping", `{}`))
		idle.answer(idle.request("ping", `{}`))
		for n := range 17 {
			c := p.connect()
			c.call("session.create", fmt.Sprintf(`{"sessionId":"s%d"}`, n+2))
		}
		hears := func() string {
			got, _ := io.ReadAll(p.connectUnread().conn)
			return string(got)
		}
		const full = "20 clients are connected, which is the most"
		busy.answer(busy.request("ping", `{}`)) // it came before the idle one, and was heard after it
		c := p.connect()
		c.call("session.create", `{"sessionId":"late"}`)
		synctest.Wait()
		if _, err := idle.conn.Write([]byte("C")); err == nil {
			t.Error("the idle client is still there")
		}
		busy.call("session.create", `{"sessionId":"busy"}`)
		if got := hears(); !strings.Contains(got, full) || !strings.Contains(got, "-32000") {
			t.Errorf("when all have a session, the next client is told %q", got)
		}
		keeps.call("session.log", `{"sessionId":"s1","message":"still here"}`)
	})
}

// Clients that connect and send one request each displace no client that works, also while their requests are under way.
func TestClientsWithARequestUnderWayDisplaceNobody(t *testing.T) {
	inBubble(t, setup{Descriptors: 80}, func(t *testing.T, p *process) { // 20 connections
		works := p.connect()
		for range 5 {
			works.answer(works.request("ping", `{}`))
		}
		for range 19 {
			c := p.connectUnread()
			for range 3 { // of whose answers the last one finds no room in the queue
				c.request("ping", fmt.Sprintf(`{"message":%q}`, strings.Repeat("x", 700<<10)))
			}
		}
		synctest.Wait()
		_ = p.connectUnread() // is refused, or takes the place of another one
		synctest.Wait()
		works.answer(works.request("ping", `{}`))
	})
}

// The sessions of one client leave room for those of others, and a session that was left counts no more.
func TestSessionsLeaveFilesForOthers(t *testing.T) {
	inBubble(t, setup{Descriptors: 80}, func(t *testing.T, p *process) {
		greedy, other := p.connect(), p.connect()
		open := 0
		for ; ; open++ {
			got := greedy.answer(greedy.request("session.create", fmt.Sprintf(`{"sessionId":"s%d"}`, open)))
			if got.failure.Message != "" {
				if !strings.Contains(got.failure.Message, "there is no room for another session: this connection has") {
					t.Errorf("session number %d is refused with %q", open+1, got.failure.Message)
				}
				break
			}
			if open > 40 {
				t.Fatal("one client has more sessions than there are files")
			}
		}
		other.call("session.create", `{"sessionId":"other"}`)
		for n := range 4 { // the other client has made the share smaller
			greedy.call("session.detach", fmt.Sprintf(`{"sessionId":"s%d"}`, n))
		}
		greedy.call("session.create", `{"sessionId":"again"}`)
		greedy.hangUp()
		synctest.Wait()
		for n := range open {
			other.call("session.resume", fmt.Sprintf(`{"sessionId":"s%d"}`, n))
			other.call("session.detach", fmt.Sprintf(`{"sessionId":"s%d"}`, n))
		}
	})
}

// Without a token, too, clients hold a bounded amount together, and those that have not called connect have to
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
		if held := p.server.Held(); held > 160<<20 || held < 60<<20 {
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

// What waits in the queue of a session is bounded in bytes, too, however it gets there. A message alone may be larger.
func TestTheQueueOfASessionIsBoundedInBytes(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		prompt := func(megabytes int) string { return strings.Repeat("x", megabytes<<20) }
		expectFull := func(method, params string) {
			t.Helper()
			got := c.answer(c.request(method, params)).failure.Message
			if !strings.Contains(got, "the messages that wait would have") || !strings.Contains(got, "and can have 16777216") {
				t.Errorf("%s: the refusal is %.200q", method, got)
			}
		}
		c.call("session.create", `{"sessionId":"s1"}`)
		c.call("session.queue.setDrainPaused", `{"sessionId":"s1","paused":true}`)
		c.call("session.send", fmt.Sprintf(`{"sessionId":"s1","prompt":%q}`, prompt(3)))
		for range 4 {
			c.call("session.send", fmt.Sprintf(`{"sessionId":"s1","prompt":%q}`, prompt(3)))
		}
		expectFull("session.send", fmt.Sprintf(`{"sessionId":"s1","prompt":%q}`, prompt(3)))
		expectFull("session.sendMessages", fmt.Sprintf(`{"sessionId":"s1","messages":[{"prompt":%q}]}`, prompt(3)))
		expectFull("session.queue.insertAt", fmt.Sprintf(`{"sessionId":"s1","position":0,"message":{"prompt":%q}}`, prompt(3)))
		expectFull("session.commands.enqueue", fmt.Sprintf(`{"sessionId":"s1","command":"/plan %s"}`, prompt(3)))
		c.call("session.send", `{"sessionId":"s1","prompt":"A short one."}`)
	})
}

// A client that works, without a session, is not displaced by clients that only connect, however many come between two of
// its messages.
func TestClientsThatOnlyConnectDisplaceNobody(t *testing.T) {
	inBubble(t, setup{Descriptors: 80}, func(t *testing.T, p *process) { // 20 connections
		works := p.connect()
		for range 5 {
			works.answer(works.request("ping", `{}`))
		}
		for range 3 {
			for range 30 {
				p.connectUnread()
			}
			synctest.Wait()
			works.answer(works.request("ping", `{}`))
		}
		last := p.connect()
		last.answer(last.request("ping", `{}`))
	})
}
