package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

func TestRequestsBeyondTheLimitAreRefusedAtOnce(t *testing.T) {
	release := make(chan struct{})
	handled := make(chan string, 4)
	_, p, _ := start(t, func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
		handled <- req.Method
		return func() (any, error) { <-release; return nil, nil }
	}, jsonrpc.Options{MaxInFlight: 2})
	p.say(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
	p.say(`{"jsonrpc":"2.0","method":"b"}`)
	p.say(`{"jsonrpc":"2.0","method":"dropped"}`)
	p.say(`{"jsonrpc":"2.0","id":2,"method":"refused"}`)
	p.expect(refusal("2", jsonrpc.Overloaded, "2 requests are in flight already"))
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
	if a, b := <-handled, <-handled; a != "a" || b != "b" || len(handled) != 0 {
		t.Errorf("handled %s, %s and %d more, want a and b", a, b, len(handled))
	}
}

func TestAnAnswerFreesItsPlaceAndItsID(t *testing.T) {
	_, p, _ := start(t, desk, jsonrpc.Options{MaxInFlight: 1})
	for range 1000 {
		p.say(`{"jsonrpc":"2.0","id":"same","method":"echo"}`)
		p.expect(`{"jsonrpc":"2.0","id":"same","result":null}`)
	}
}

// A request may hold a name of any length. The error about it repeats little of it.
func TestAnErrorRepeatsLittleOfTheRequest(t *testing.T) {
	_, p, _ := start(t, func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
		return func() (any, error) { return nil, errors.New("no method " + req.Method) }
	}, jsonrpc.Options{})
	p.say(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`)
	if got := p.hear(); len(got) > 5<<10 || !strings.Contains(got, "no method xxx") {
		t.Errorf("the error has %d bytes: %.100s", len(got), got)
	}
}

func TestAnIDCannotBeInFlightTwice(t *testing.T) {
	release := make(chan struct{})
	_, p, _ := start(t, func(context.Context, *jsonrpc.Request) func() (any, error) {
		return func() (any, error) { <-release; return nil, nil }
	}, jsonrpc.Options{})
	p.say(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
	p.say(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
	p.expect(refusal("1", jsonrpc.InvalidRequest, "id 1 is in flight already"))
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":null}`)
}

func TestAPeerThatNeverReadsIsCutOff(t *testing.T) {
	_, p, ended := start(t, desk, jsonrpc.Options{MaxQueue: 1})
	var err error
	for n := 0; err == nil; n++ {
		if n > 2*1024 {
			t.Fatalf("%d refusals, and the peer may still send", n)
		}
		_, err = io.WriteString(p, frame(`[]`))
	}
	if err := <-ended; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Run = %v, want an unavailable", err)
	}
}

func TestAFullQueueHoldsUpThoseWhoWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p, ended := start(t, desk, jsonrpc.Options{MaxQueue: 1000})
		params := []byte(`{"x":"` + strings.Repeat("x", 400) + `"}`)
		// The first is in the hands of the pipe, two wait, the others have no room.
		var sent sync.WaitGroup
		for range 3 {
			sent.Go(func() { _ = c.NotifyRaw(t.Context(), "n", params) })
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var late sync.WaitGroup
		for range 3 {
			late.Go(func() {
				if err := c.NotifyRaw(ctx, "late", params); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("NotifyRaw = %v, want %v", err, context.DeadlineExceeded)
				}
			})
		}
		began := time.Now()
		late.Wait()
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("writers waited %v, want 1m", waited)
		}

		// The call that was in time arrives, and then there is room again.
		want := `{"jsonrpc":"2.0","method":"n","params":` + string(params) + `}`
		sent.Go(func() { _ = c.NotifyRaw(t.Context(), "n", params) })
		for range 4 {
			p.expect(want)
		}
		sent.Wait()

		// The end releases everybody.
		for range 5 {
			sent.Go(func() {
				if err := c.NotifyRaw(t.Context(), "n", params); fault.KindOf(err) != fault.Unavailable && err != nil {
					t.Errorf("NotifyRaw = %v, want an unavailable", err)
				}
			})
		}
		synctest.Wait()
		_ = c.Close()
		sent.Wait()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}

func TestAFrameBeyondTheQueueWaitsItsTurnAndIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p, _ := start(t, desk, jsonrpc.Options{MaxQueue: 100})
		var sent sync.WaitGroup
		defer sent.Wait()
		for n := range 6 {
			sent.Go(func() {
				size := 1
				if n == 3 {
					size = 10_000
				}
				params := fmt.Appendf(nil, `{"n":%d,"x":%q}`, n, strings.Repeat("x", size))
				if err := c.NotifyRaw(t.Context(), "n", params); err != nil {
					t.Errorf("NotifyRaw = %v", err)
				}
			})
			synctest.Wait()
		}
		for n := range 6 {
			if got, want := p.hear(), fmt.Sprintf(`{"n":%d,`, n); !strings.Contains(got, want) {
				t.Errorf("heard %.80s as number %d", got, n)
			}
		}
	})
}

// deaf fails every write with err.
type deaf struct {
	net.Conn
	err error
}

func (d deaf) Write([]byte) (int, error) { return 0, d.err }

func TestAFailedWriteEndsTheConnectionForEverybody(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	broken := errors.New("broken")
	c := jsonrpc.NewConn(deaf{near, broken}, desk, jsonrpc.Options{})
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	for range 2 { // the connection that wrote, and a later one
		if err := c.Notify(t.Context(), "n", nil); !errors.Is(err, broken) {
			t.Errorf("Notify = %v, want %v", err, broken)
		}
	}
	if _, err := c.Call(t.Context(), "n", nil); !errors.Is(err, broken) {
		t.Errorf("Call = %v, want %v", err, broken)
	}
	if err := <-ended; !errors.Is(err, broken) || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Run = %v, want %v", err, broken)
	}
}

func TestRequestsAreBoundedInBytesToo(t *testing.T) {
	release := make(chan struct{})
	_, p, _ := start(t, func(context.Context, *jsonrpc.Request) func() (any, error) {
		return func() (any, error) { <-release; return nil, nil }
	}, jsonrpc.Options{MaxFrame: 100})
	say := func(id int) {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"a"}`, id)
		p.say(body + strings.Repeat(" ", 90-len(body)))
	}
	for id := range 5 { // four are 360 bytes, five would be 450
		say(id)
	}
	p.expect(refusal("4", jsonrpc.Overloaded, "requests of 360 bytes are in flight already"))
	close(release)
	for range 4 {
		p.hear()
	}
	say(5) // there is room again
	p.expect(`{"jsonrpc":"2.0","id":5,"result":null}`)
}

// A peer that sends requests and reads no answers has as many in flight as allowed, as
// many refusals waiting as allowed, and no more.
func TestAPeerThatReadsNoAnswersIsCutOff(t *testing.T) {
	const most = 100
	_, p, ended := start(t, desk, jsonrpc.Options{MaxQueue: 1, MaxInFlight: most})
	var err error
	for n := 0; err == nil; n++ {
		if n > most+1024+10 {
			t.Fatalf("%d requests, and the peer may still send", n)
		}
		_, err = io.WriteString(p, frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo"}`, n)))
	}
	if err := <-ended; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Run = %v, want an unavailable", err)
	}
}

func TestWhoeverAnswersHearsThatItIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		results := map[string]any{"good": "x", "bad": make(chan int)}
		c, p, ended := start(t, func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
			return func() (any, error) {
				return jsonrpc.Answer{Result: results[req.Method], Sent: func() { sent.Add(1) }}, nil
			}
		}, jsonrpc.Options{MaxQueue: 1})
		// The first is being written, the second is in the queue; there is no room for
		// the third.
		for n, method := range []string{"good", "bad", "good"} {
			p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, n, method))
			synctest.Wait()
		}
		if got := sent.Load(); got != 1 {
			t.Errorf("%d answers are sent, want the second alone", got)
		}
		_ = c.Close()
		<-ended
		if got := sent.Load(); got != 3 {
			t.Errorf("%d answers are sent or lost, want 3", got)
		}
	})
}
