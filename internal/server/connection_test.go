package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that dies while notifications are being sent leaves its sessions like any
// other client, even if the relays of its sessions end before its connection does. The
// test uses many sessions, because which of the two ends first is random.
func TestAClientThatDiesDuringNotificationsTakesItsToolsAlong(t *testing.T) {
	const sessions = 30
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		other, dying := p.connect(), p.connectUnread()
		remark := strings.Repeat("x", 256<<10)
		for i := range sessions {
			other.call("session.create", fmt.Sprintf(`{"sessionId":"s%d"}`, i))
			dying.request("session.resume", fmt.Sprintf(`{"sessionId":"s%d","tools":[{"name":"look","skipPermission":true}]}`, i))
			other.event(fmt.Sprintf("s%d", i), "session.resume", 1)
			other.call("session.log", fmt.Sprintf(`{"sessionId":"s%d","message":%q}`, i, remark))
		}
		synctest.Wait() // the connection's queue has been full for long: all relays are stuck
		dying.hangUp()
		synctest.Wait()
		for i := range sessions {
			other.call("session.send", fmt.Sprintf(`{"sessionId":"s%d","prompt":"Look."}`, i))
			done := other.event(fmt.Sprintf("s%d", i), "tool.execution_complete", 1)
			if got, want := errorMessage(done), "Tool 'look' does not exist."; got != want {
				t.Errorf("session %d: the call of the dead client's tool ended with %q, want %q", i, got, want)
			}
		}
	},
		modeltest.Reply{When: modeltest.LastIs("Look."), ToolCalls: []modeltest.ToolCall{{Name: "look", Arguments: "{}"}}, Repeat: true},
		modeltest.Reply{Text: "It is gone.", Repeat: true},
	)
}

// Requests that a client has written before it closes its connection are carried out, although nobody gets
// the answers.
func TestWhatAClientSendsLastIsCarriedOut(t *testing.T) {
	const messages = 50
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		var last []string
		for i := range messages {
			last = append(last, fmt.Sprintf(`{"jsonrpc":"2.0","id":"last-%d","method":"session.send","params":{"sessionId":"s1","prompt":"Message %d."}}`, i, i))
		}
		c.write(last...)
		c.hangUp()
		p.serving.Wait()
		synctest.Wait()
		all := fmt.Sprintf("%s", p.stored("s1"))
		for i := range messages {
			if !strings.Contains(all, fmt.Sprintf(`"Message %d."`, i)) {
				t.Fatalf("message %d was lost", i)
			}
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

func errorMessage(e event) string {
	var d struct{ Error struct{ Message string } }
	_ = json.Unmarshal(e.Data, &d) // "" is nobody's message
	return d.Error.Message
}

func TestAThousandSessionsOnOneConnection(t *testing.T) {
	const sessions = 1000
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		last := ""
		for i := range sessions {
			last = c.request("session.create", fmt.Sprintf(`{"sessionId":"s%d","streaming":true}`, i))
		}
		c.answer(last)
		synctest.Wait() // answers come in any order
		for i := range sessions {
			c.request("session.send", fmt.Sprintf(`{"sessionId":"s%d","prompt":"I am %[1]d."}`, i))
		}
		for i := range sessions {
			id := fmt.Sprintf("s%d", i)
			c.event(id, "session.idle", 1)
			if err := checkChain(c.events(id, 0), p.stored(id)); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
	}, modeltest.Reply{Text: "Good to know.", Repeat: true})
}

// Commands of one session take effect in the order in which they arrived, although each
// has a goroutine of its own and the client waits for no answer.
func TestPipelinedCommandsTakeEffectInTheirOrder(t *testing.T) {
	const rounds = 100
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		c.call("session.send", `{"sessionId":"s1","prompt":"Think."}`) // the others wait behind it
		c.event("s1", "assistant.turn_start", 1)
		before := len(c.events("s1", 0))
		for range rounds {
			c.request("session.log", `{"sessionId":"s1","message":"next"}`)
			c.request("session.send", `{"sessionId":"s1","prompt":"And this."}`)
			c.request("session.model.switchTo", `{"sessionId":"s1","modelId":"m1"}`)
			c.request("session.log", `{"sessionId":"s1","message":"then","level":"warning"}`)
			c.request("session.options.update", `{"sessionId":"s1","model":"m2"}`)
		}
		c.answer(c.request("session.abort", `{"sessionId":"s1"}`))
		c.event("s1", "session.idle", 1)
		want := []string{"session.info", "session.info", "pending_messages.modified", "session.model_change", "session.warning", "session.model_change"}
		for i, e := range c.events("s1", 0)[before:][:rounds*len(want)] {
			if e.Type != want[i%len(want)] {
				t.Fatalf("command number %d led to %s, want %s", i, e.Type, want[i%len(want)])
			}
		}
	}, modeltest.Silent())
}

// A command may arrive at any moment of a run. Under the race detector this test finds
// reads of a session outside its goroutine.
func TestCommandsMayComeWhileARunBegins(t *testing.T) {
	const runs = 50
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		for n := range runs {
			c.request("session.send", `{"sessionId":"s1","prompt":"Hi."}`)
			c.request("session.model.switchTo", fmt.Sprintf(`{"sessionId":"s1","modelId":"m%d"}`, n))
			c.event("s1", "session.idle", n+1)
		}
		synctest.Wait() // the last change may come after the last idle
		if n := count(c.events("s1", 0), "session.model_change"); n != runs {
			t.Errorf("%d model changes, want %d", n, runs)
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// A client that sends no valid token in time is disconnected.
func TestAClientWithoutTheTokenIsDisconnected(t *testing.T) {
	for _, tc := range []struct {
		name, params string
		lives        bool
	}{{"with the token", `{"token":"secret"}`, true}, {"with another", `{"token":"guess"}`, false}} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, setup{Token: "secret"}, func(t *testing.T, p *process) {
				near, far := net.Pipe()
				ended := make(chan time.Time, 1)
				begin := time.Now()
				go func() {
					_ = p.server.Serve(p.ctx, far)
					ended <- time.Now()
				}()
				c := &peer{p: p, conn: near, told: make(chan struct{}, 1)}
				c.listen()
				c.answer(c.request("connect", tc.params))
				<-time.After(time.Minute)
				want := 30 * time.Second
				if tc.lives {
					want = time.Minute
				}
				c.hangUp()
				if after := (<-ended).Sub(begin); after != want {
					t.Errorf("the connection ended after %v, want %v", after, want)
				}
			})
		})
	}
}

// The version of the protocol belongs to a connection: a server can have doors for several.
func TestTheVersionOfTheProtocolIsThatOfTheConnection(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		for _, version := range []int{wire.ProtocolVersion, 7} {
			c := p.serve(func(ctx context.Context, rwc io.ReadWriteCloser) error {
				return p.server.ServeStarter(ctx, rwc, version)
			})
			c.listen()
			for _, method := range []string{"connect", "ping", "status.get"} {
				if got, want := string(c.call(method, `{}`)), fmt.Sprintf(`"protocolVersion":%d`, version); !strings.Contains(got, want) {
					t.Errorf("%s answers %s, want %s", method, got, want)
				}
			}
		}
	})
}
