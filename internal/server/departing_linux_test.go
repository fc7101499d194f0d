package server_test

import (
	"encoding/json"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// slowRead is a connection that the server is slow to read: once slow is set, nothing more arrives
// until the server has looked at the socket, as it does without reading.
type slowRead struct {
	*net.TCPConn
	slow   atomic.Bool
	looked chan struct{}
	look   func()
}

func (r *slowRead) Read(b []byte) (int, error) {
	n, err := r.TCPConn.Read(b)
	if r.slow.Load() {
		<-r.looked
	}
	return n, err
}

func (r *slowRead) SyscallConn() (syscall.RawConn, error) {
	r.look()
	return r.TCPConn.SyscallConn()
}

// overTCP connects a client over TCP.
func (p *process) overTCP() (*peer, *slowRead) {
	p.t.Helper()
	l, near := dialled(p.t)
	nc, err := l.Accept()
	if err != nil {
		p.t.Fatal(err)
	}
	looked := make(chan struct{})
	far := &slowRead{TCPConn: nc.(*net.TCPConn), looked: looked, look: sync.OnceFunc(func() { close(looked) })}
	p.serving.Go(func() {
		if err := p.server.Serve(p.ctx, far); err != nil && fault.KindOf(err) != fault.Unavailable {
			p.t.Errorf("Serve: %v", err)
		}
	})
	c := &peer{p: p, conn: near, told: make(chan struct{}, 1)}
	c.listen()
	return c, far
}

// A client that had gone before another one resumed the session does not count as attached,
// also if the server reads the end of its connection later than the resume.
func TestAClientThatHasGoneIsNotAttached(t *testing.T) {
	for _, tc := range []struct {
		name, method string
		last         string // what the client sends before it goes; "" for nothing
	}{
		{name: "resumed", method: "session.resume"},
		{name: "created again", method: "session.create"},
		{name: "a message before the end is not read either", method: "session.resume", last: `{"jsonrpc":"2.0","method":"session.log","params":{"sessionId":"s1","message":"bye"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, setup{}, func(t *testing.T, p *process) {
				leaving, link := p.overTCP()
				defer link.look() // whatever happens, the server reads again
				leaving.call("session.create", `{"sessionId":"s1","tools":[{"name":"look","skipPermission":true}]}`)
				leaving.call("session.send", `{"sessionId":"s1","prompt":"Look."}`)
				asked := leaving.event("s1", "external_tool.requested", 1)
				link.slow.Store(true)
				if tc.last != "" {
					leaving.write(tc.last)
				}
				leaving.hangUp()

				c := p.connect()
				c.call(tc.method, `{"sessionId":"s1","continuePendingWork":false}`)
				var resumed struct{ SessionWasActive bool }
				if err := json.Unmarshal(c.event("s1", "session.resume", 1).Data, &resumed); err != nil || resumed.SessionWasActive {
					t.Errorf("sessionWasActive is %v (%v), want false: the other client has gone", resumed.SessionWasActive, err)
				}
				late := c.call("session.tools.handlePendingToolCall", `{"sessionId":"s1","requestId":"`+asked.requestID()+`","result":"late"}`)
				if got, want := string(late), `{"success":false}`; got != want {
					t.Errorf("the answer to the interrupted call: %s, want %s", got, want)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "look", Arguments: "{}"}}})
		})
	}
}

// A connection that its peer has closed is known to be, before its last data is read; one that
// is open is not.
func TestTheServerKnowsAClosedSocketBeforeItReadsIt(t *testing.T) {
	l, client := dialled(t)
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	tc := nc.(*net.TCPConn)
	if server.HungUp(tc) {
		t.Error("an open connection is taken for closed")
	}
	if _, err := client.Write([]byte("not read yet")); err != nil {
		t.Fatal(err)
	}
	if server.HungUp(tc) {
		t.Error("a connection with data is taken for closed")
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if !server.HungUp(tc) {
		t.Error("the peer has closed the connection, and that is not known")
	}
	if err := tc.Close(); err != nil {
		t.Fatal(err)
	}
	if !server.HungUp(tc) {
		t.Error("the connection has been closed, and that is not known")
	}
}
