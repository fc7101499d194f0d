package jsonrpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// half is the beginning of a frame: an announced length, and fewer bytes.
func half(announced, sent int) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n", announced) + strings.Repeat("x", sent)
}

// Peers hold at most the memory that they share, however many they are. For the next, a large
// message is refused and a small one is not.
func TestPeersShareTheirMemory(t *testing.T) {
	const most = 1 << 20
	memory := quota.New(most)
	synctest.Test(t, func(t *testing.T) {
		var conns []*jsonrpc.Conn
		var ended []<-chan error
		for range 10 {
			c, p, end := start(t, desk, jsonrpc.Options{Memory: memory.Share(16 << 10)})
			if _, err := io.WriteString(p, half(400<<10, 300<<10)); err != nil {
				t.Fatal(err)
			}
			conns, ended = append(conns, c), append(ended, end)
			synctest.Wait()
			if used := int(memory.Used()); used > most {
				t.Fatalf("%d connections hold %d bytes, more than %d", len(conns), used, most)
			}
		}
		if memory.Used() < most/2 {
			t.Fatalf("ten half frames hold only %d bytes", memory.Used())
		}
		c, p, end := start(t, desk, jsonrpc.Options{Memory: memory.Share(16 << 10)})
		large := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":%q}}`, strings.Repeat("x", 600<<10))
		p.say(large)
		if got := p.hear(); !strings.Contains(got, `"id":1,`) || !strings.Contains(got, "and try again") || !strings.Contains(got, "-32000") {
			t.Errorf("a large message is answered with %s", got)
		}
		p.say(`{"jsonrpc":"2.0","id":2,"method":"echo"}`)
		p.expect(`{"jsonrpc":"2.0","id":2,"result":null}`)
		for n, c := range conns {
			_ = c.Close()
			<-ended[n]
		}
		p.say(large)
		if got := p.hear(); !strings.Contains(got, `"result":{"x":"xxx`) {
			t.Errorf("once the others have gone: %.200s", got)
		}
		_ = c.Close()
		<-end
		if used := memory.Used(); used != 0 {
			t.Errorf("%d bytes are held by nobody", used)
		}
	})
}

// A message counts until it has been handled, and what was skipped does not count.
func TestMessagesBeingHandledCount(t *testing.T) { synctest.Test(t, messagesBeingHandledCount) }

func messagesBeingHandledCount(t *testing.T) {
	memory := quota.New(100 << 10)
	release := make(chan struct{})
	_, p, _ := start(t, func(context.Context, *jsonrpc.Request) func() (any, error) {
		return func() (any, error) { <-release; return nil, nil }
	}, jsonrpc.Options{Memory: memory.Share(16 << 10)})
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
				c, p, ended := start(t, desk, jsonrpc.Options{Memory: quota.New(1 << 20).Share(0), FrameWait: 30 * time.Second})
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

// A peer that sends messages of a megabyte and reads no refusal makes this end hold the refusals alone.
func TestARefusalDoesNotKeepItsMessage(t *testing.T) {
	const messages, size = 200, 1 << 20
	for name, body := range map[string]string{
		"no method":     `{"jsonrpc":"2.0","id":"%d","method":7,"params":{"x":"%s"}}`,
		"no version":    `{"id":"%d","method":"a","params":{"x":"%s"}}`,
		"not handled":   `{"jsonrpc":"2.0","id":"%d","method":"a","params":{"x":"%s"}}`,
		"not an object": `[{"id":"%d","x":"%s"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			refuse := func(context.Context, *jsonrpc.Request) func() (any, error) {
				return func() (any, error) {
					return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "no such method"}
				}
			}
			memory := quota.New(1 << 30)
			c, p, ended := start(t, refuse, jsonrpc.Options{MaxQueue: 1, Memory: memory.Share(0)})
			before := reachable()
			x := strings.Repeat("x", size)
			for id := range messages {
				p.say(fmt.Sprintf(body, id, x))
			}
			p.say(`{"jsonrpc":"2.0","method":"read"}`) // the message before it has been read whole
			if grown := reachable() - before; grown > messages*size/4 {
				t.Errorf("%d refusals that nobody reads keep %d bytes of %d", messages, grown, messages*size)
			}
			_ = c.Close()
			<-ended
			if used := memory.Used(); used != 0 {
				t.Errorf("%d bytes are held by nobody", used)
			}
		})
	}
}

// reachable is the size of the reachable memory, in bytes.
func reachable() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Answers that nobody reads are counted, and the next one is refused by name, before the peer makes this end
// hold more. Once the peer reads, it gets everything.
func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	const most, size, requests = 1 << 20, 100 << 10, 50
	synctest.Test(t, func(t *testing.T) {
		memory := quota.New(most)
		large := `"` + strings.Repeat("x", size) + `"`
		c, p, ended := start(t, func(context.Context, *jsonrpc.Request) func() (any, error) {
			return func() (any, error) { return json.RawMessage(large), nil }
		}, jsonrpc.Options{MaxQueue: 1, Memory: memory.Share(64 << 10)})
		for id := range requests {
			p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"a"}`, id))
			synctest.Wait()
			if used := memory.Used(); used > most {
				t.Fatalf("%d answers take %d bytes, more than %d", id+1, used, most)
			}
		}
		answers, refusals := 0, 0
		for range requests {
			switch got := p.hear(); {
			case strings.Contains(got, large):
				answers++
			case strings.Contains(got, "there is no room for") && strings.Contains(got, "-32000"):
				refusals++
			default:
				t.Errorf("heard %.200s", got)
			}
		}
		if answers < 3 || refusals < 3 {
			t.Errorf("%d answers and %d refusals, want some of both", answers, refusals)
		}
		p.say(`{"jsonrpc":"2.0","id":"last","method":"a"}`)
		if got := p.hear(); !strings.Contains(got, large) {
			t.Errorf("after everything was read: %.200s", got)
		}
		_ = c.Close()
		<-ended
		if used := memory.Used(); used != 0 {
			t.Errorf("%d bytes are held by nobody", used)
		}
	})
}
