package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// bench is a connection whose commands for session s1 run until the test ends them.
type bench struct {
	t      *testing.T
	c      *conn
	begun  []int
	finish map[int]chan struct{}
	errs   map[int]chan error
}

// begin sends command n and returns what cancels it.
func (b *bench) begin(n int) (cancel context.CancelFunc) {
	b.finish[n], b.errs[n] = make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(b.t.Context())
	work := b.c.handle(ctx, &jsonrpc.Request{Method: "test.command", Params: fmt.Appendf(nil, `{"sessionId":"s1","n":%d}`, n)})
	go func() {
		_, err := work()
		b.errs[n] <- err
	}()
	synctest.Wait()
	return cancel
}

// end lets command n end.
func (b *bench) end(n int) {
	close(b.finish[n])
	synctest.Wait()
}

func (b *bench) want(when string, begun ...int) {
	b.t.Helper()
	if !slices.Equal(b.begun, begun) {
		b.t.Errorf("%s, the commands %v have begun, want %v", when, b.begun, begun)
	}
}

func inBench(t *testing.T, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, c: newConn(t.Context(), &Server{}, nil), finish: map[int]chan struct{}{}, errs: map[int]chan error{}}
		b.c.entrance.Store(&gate.Entrance[*Home]{})
		methods["test.command"] = method{ordered: true, run: func(_ context.Context, _ *conn, params json.RawMessage) (any, error) {
			var p struct{ N int }
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			b.begun = append(b.begun, p.N)
			<-b.finish[p.N]
			return nil, nil
		}}
		defer delete(methods, "test.command")
		f(b)
	})
}

// A command that is cancelled while it waits is answered at once, and those behind it
// still wait for those before it.
func TestACancelledCommandKeepsTheOrderOfTheOthers(t *testing.T) {
	inBench(t, func(b *bench) {
		b.begin(1)
		cancel2, cancel3 := b.begin(2), b.begin(3)
		b.begin(4)
		cancel3()
		cancel2()
		synctest.Wait()
		for _, n := range []int{2, 3} {
			select {
			case err := <-b.errs[n]:
				if !errors.Is(err, context.Canceled) {
					b.t.Errorf("command %d ended with %v, want a cancellation", n, err)
				}
			default:
				b.t.Errorf("command %d has not been answered", n)
			}
		}
		b.begin(5)
		b.want("while the first runs", 1)
		b.end(1)
		b.want("after the first", 1, 4)
		b.end(4)
		b.want("after the fourth", 1, 4, 5)
		b.end(5)
	})
}

// A command that comes after the newest one was cancelled waits for the one before.
func TestACommandBehindACancelledOneWaits(t *testing.T) {
	inBench(t, func(b *bench) {
		b.begin(1)
		b.begin(2)()
		synctest.Wait()
		b.begin(3)
		b.want("while the first runs", 1)
		b.end(1)
		b.want("after the first", 1, 3)
		b.end(3)
		if n := len(b.c.order.last); n != 0 {
			b.t.Errorf("%d sessions are remembered after their last command, want none", n)
		}
	})
}
