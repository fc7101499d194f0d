package jsonrpc_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// computing is a handler whose works take so long.
func computing(d time.Duration, ended *atomic.Int64) jsonrpc.Handler {
	return func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
		req.Computes = true
		return func() (any, error) {
			time.Sleep(d)
			ended.Add(1)
			return nil, nil
		}
	}
}

// A client that asks for much does not keep another one waiting, whether its works compute or wait for something.
func TestAFloodOfWorksKeepsNobodyWaiting(t *testing.T) {
	for name, tc := range map[string]struct {
		each, within time.Duration
	}{
		"works that compute": {time.Millisecond, 3 * time.Millisecond},
		"works that wait":    {time.Hour, 5 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turns := jsonrpc.NewTurns()
				var greedy, modest atomic.Int64
				_, flood, floodEnded := start(t, computing(tc.each, &greedy), jsonrpc.Options{Turns: turns})
				_, one, oneEnded := start(t, computing(0, &modest), jsonrpc.Options{Turns: turns})
				go func() { _, _ = io.Copy(io.Discard, flood) }()
				works := 500 * runtime.GOMAXPROCS(0)
				go func() {
					for n := range works {
						if _, err := io.WriteString(flood, frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"much"}`, n))); err != nil {
							return
						}
					}
				}()
				synctest.Wait() // as much of the flood is read as can be
				began := time.Now()
				one.say(`{"jsonrpc":"2.0","id":1,"method":"one"}`)
				one.hear()
				if took := time.Since(began); took > tc.within {
					t.Errorf("the other client was answered after %v, want within %v", took, tc.within)
				}
				if n := int(greedy.Load()); n == works {
					t.Errorf("all %d works of the flood had ended by then", n)
				}
				time.Sleep(2 * time.Hour)
				if n := int(greedy.Load()); n != works {
					t.Errorf("%d of %d works have ended", n, works)
				}
				_, _ = flood.Close(), one.Close()
				<-floodEnded
				<-oneEnded
			})
		})
	}
}

// A connection that ends leaves no work behind, also if many wait for their turn.
func TestWorksOfAConnectionThatEndsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := jsonrpc.NewTurns()
		var ended atomic.Int64
		_, flood, floodEnded := start(t, computing(time.Millisecond, &ended), jsonrpc.Options{Turns: turns})
		_, other, otherEnded := start(t, computing(0, &ended), jsonrpc.Options{Turns: turns})
		go func() { _, _ = io.Copy(io.Discard, flood) }()
		for n := range 50 {
			flood.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"much"}`, n))
		}
		_ = flood.Close()
		<-floodEnded // with a work left, Run would not return
		_ = other.Close()
		<-otherEnded
	})
}
