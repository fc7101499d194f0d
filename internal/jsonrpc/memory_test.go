package jsonrpc_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// half is the beginning of a frame: an announced length, and fewer bytes.
func half(announced, sent int) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n", announced) + strings.Repeat("x", sent)
}

// Peers that are not trusted hold at most the memory that they share, however many they are. For
// the next, a large message is refused and a small one is not.
func TestUntrustedPeersShareTheirMemory(t *testing.T) {
	const most = 1 << 20
	memory := jsonrpc.NewMemory(most)
	opts := jsonrpc.Options{Untrusted: memory}
	synctest.Test(t, func(t *testing.T) {
		var conns []*jsonrpc.Conn
		var ended []<-chan error
		for range 10 {
			c, p, end := start(t, desk, opts)
			if _, err := io.WriteString(p, half(400<<10, 300<<10)); err != nil {
				t.Fatal(err)
			}
			conns, ended = append(conns, c), append(ended, end)
			synctest.Wait()
			if used := memory.Used(); used > most {
				t.Fatalf("%d connections hold %d bytes, more than %d", len(conns), used, most)
			}
		}
		if memory.Used() < most/2 {
			t.Fatalf("ten half frames hold only %d bytes", memory.Used())
		}
		c, p, end := start(t, desk, opts)
		large := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":%q}}`, strings.Repeat("x", 600<<10))
		p.say(large)
		if got := p.hear(); !strings.Contains(got, `"id":1,`) || !strings.Contains(got, "call connect, or try again") || !strings.Contains(got, "-32000") {
			t.Errorf("a large message is answered with %s", got)
		}
		p.say(`{"jsonrpc":"2.0","id":2,"method":"echo"}`)
		p.expect(`{"jsonrpc":"2.0","id":2,"result":null}`)
		c.Trust()
		p.say(`{"jsonrpc":"2.0","id":3,"method":"echo"}`)
		p.expect(`{"jsonrpc":"2.0","id":3,"result":null}`)
		p.say(large)
		if got := p.hear(); !strings.Contains(got, `"result":{"x":"xxx`) {
			t.Errorf("once the peer is trusted: %.200s", got)
		}
		for n, c := range append(conns, c) {
			_ = c.Close()
			<-append(ended, end)[n]
		}
		if used := memory.Used(); used != 0 {
			t.Errorf("%d bytes are held by nobody", used)
		}
	})
}

// A message counts until it has been handled, and what was skipped does not count.
func TestMessagesBeingHandledCount(t *testing.T) { synctest.Test(t, messagesBeingHandledCount) }

func messagesBeingHandledCount(t *testing.T) {
	memory := jsonrpc.NewMemory(100 << 10)
	release := make(chan struct{})
	_, p, _ := start(t, func(context.Context, *jsonrpc.Request) func() (any, error) {
		return func() (any, error) { <-release; return nil, nil }
	}, jsonrpc.Options{Untrusted: memory})
	say := func(id int) {
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"a","params":{"x":%q}}`, id, strings.Repeat("x", 60<<10)))
	}
	say(1)
	say(2)
	if got := p.hear(); !strings.Contains(got, `"id":2,`) || !strings.Contains(got, "there is no room") {
		t.Errorf("the second message is answered with %s", got)
	}
	synctest.Wait() // for the reader to give back what it took for the second
	if used := memory.Used(); used < 50<<10 || used > 64<<10 {
		t.Errorf("one message of 60 KiB holds %d bytes", used)
	}
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
	say(3)
	p.expect(`{"jsonrpc":"2.0","id":3,"result":null}`)
}

// A peer that is not trusted has to finish a frame that it has begun. It may wait before that,
// and once it is trusted.
func TestABegunFrameHasToEnd(t *testing.T) {
	for _, tc := range []struct {
		name, sent string
		trusted    bool
		ends       bool
	}{
		{"nothing", "", false, false},
		{"one byte", "C", false, true},
		{"half a frame", half(100, 50), false, true},
		{"a whole frame", frame(`{"jsonrpc":"2.0","method":"nothing"}`), false, false},
		{"half a frame of a trusted peer", half(100, 50), true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, p, ended := start(t, desk, jsonrpc.Options{Untrusted: jsonrpc.NewMemory(1 << 20), FrameWait: 30 * time.Second})
				if tc.trusted {
					c.Trust()
					p.say(`{"jsonrpc":"2.0","method":"nothing"}`)
				}
				if _, err := io.WriteString(p, tc.sent); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				select {
				case err := <-ended:
					if waited := time.Since(began); !tc.ends || waited != 30*time.Second || fault.KindOf(err) != fault.Unavailable {
						t.Errorf("Run = %v after %v, ends: %v", err, waited, tc.ends)
					}
				case <-time.After(time.Hour):
					if tc.ends {
						t.Error("the connection has not ended")
					}
				}
			})
		})
	}
}
