package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

func TestACallThatIsGivenUpIsCancelled(t *testing.T) {
	c, p, _ := start(t, desk, jsonrpc.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "slow", nil)
		failed <- err
	}()
	p.expect(`{"jsonrpc":"2.0","id":1,"method":"slow","params":{}}`)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Canceled {
		t.Errorf("Call = %v, want a canceled", err)
	}
	p.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	p.say(`{"jsonrpc":"2.0","id":1,"result":"too late"}`)

	if _, err := c.Call(ctx, "never sent", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Call = %v, want a canceled", err)
	}
	go func() {
		p.expect(`{"jsonrpc":"2.0","id":3,"method":"next","params":{}}`)
		p.say(`{"jsonrpc":"2.0","id":3,"result":"in time"}`)
	}()
	if result, err := c.Call(t.Context(), "next", nil); string(result) != `"in time"` || err != nil {
		t.Errorf("Call = %s, %v, want in time", result, err)
	}
}

func TestARequestCanBeCancelled(t *testing.T) {
	for _, tc := range []struct {
		name, id string
		err      error
		want     string
	}{
		{"the work gives up", `1`, context.Canceled, refusal("1", jsonrpc.RequestCancelled, "request cancelled")},
		{"wrapped, under another id", `"a"`, fmt.Errorf("x: %w", context.DeadlineExceeded), refusal(`"a"`, jsonrpc.RequestCancelled, "request cancelled")},
		{"the work fails", `1`, io.EOF, refusal("1", jsonrpc.InternalError, "EOF")},
		{"the work succeeds all the same", `1`, nil, `{"jsonrpc":"2.0","id":1,"result":null}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, p, _ := start(t, func(ctx context.Context, _ *jsonrpc.Request) func() (any, error) {
				return func() (any, error) {
					<-ctx.Done()
					return nil, tc.err
				}
			}, jsonrpc.Options{})
			p.say(`{"jsonrpc":"2.0","id":` + tc.id + `,"method":"wait"}`)
			p.say(`{"jsonrpc":"2.0","method":"$/cancelRequest"}`)
			p.say(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"1"}}`)
			p.say(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + tc.id + `}}`)
			p.expect(tc.want)
		})
	}
}

func TestCancelTravelsBetweenTwoConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the deadline passes when the call waits, not before it is sent
		canceled := make(chan struct{})
		l, _ := pair(t, desk, func(ctx context.Context, _ *jsonrpc.Request) func() (any, error) {
			return func() (any, error) {
				<-ctx.Done()
				close(canceled)
				return nil, ctx.Err()
			}
		}, jsonrpc.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := l.Call(ctx, "wait", nil); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Call = %v, want a passed deadline", err)
		}
		<-canceled
	})
}

// TestTheEnd checks what callers and handlers see when a connection ends, for each
// cause.
func TestTheEnd(t *testing.T) {
	died := errors.New("died")
	for _, tc := range []struct {
		name string
		end  func(c *jsonrpc.Conn, p peer, cancel context.CancelCauseFunc)
		want error // of Run
	}{
		{"the peer leaves", func(_ *jsonrpc.Conn, p peer, _ context.CancelCauseFunc) { p.Close() }, nil},
		{"Close", func(c *jsonrpc.Conn, _ peer, _ context.CancelCauseFunc) { c.Close() }, nil},
		{"the context", func(_ *jsonrpc.Conn, _ peer, cancel context.CancelCauseFunc) { cancel(died) }, died},
		{"the peer leaves within a frame", func(_ *jsonrpc.Conn, p peer, _ context.CancelCauseFunc) {
			_, _ = io.WriteString(p, "Content-Length: 5\r\n\r\n{")
			p.Close()
		}, io.ErrUnexpectedEOF},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkEnd(t, tc.end, tc.want) })
		})
	}
}

// checkEnd ends a connection with a call in each direction under way. Run must return
// want once the handler has returned, and every call must fail.
func checkEnd(t *testing.T, end func(*jsonrpc.Conn, peer, context.CancelCauseFunc), want error) {
	t.Helper()
	worked := false
	near, far := net.Pipe()
	c, p := jsonrpc.NewConn(near, func(ctx context.Context, _ *jsonrpc.Request) func() (any, error) {
		return func() (any, error) {
			<-ctx.Done()
			<-time.After(time.Second) // Run waits for work that takes its time
			worked = true
			return nil, ctx.Err()
		}
	}, jsonrpc.Options{}), peer{far, t}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended, failed := make(chan error, 1), make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	go func() {
		_, err := c.Call(t.Context(), "pending", nil)
		failed <- err
	}()
	p.hear()
	p.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	synctest.Wait()
	end(c, p, cancel)

	if err := <-failed; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("pending Call = %v, want an unavailable", err)
	}
	if err := <-ended; !errors.Is(err, want) || (err == nil) != (want == nil) {
		t.Errorf("Run = %v, want %v", err, want)
	}
	if !worked {
		t.Error("Run did not wait for the work")
	}
	if _, err := c.Call(t.Context(), "late", nil); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("late Call = %v, want an unavailable", err)
	}
	if err := c.Notify(t.Context(), "late", nil); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("late Notify = %v, want an unavailable", err)
	}
	<-c.Done()
	cancel(nil)
	p.Close()
}

func TestAPeerThatOnlyStoppedSendingHasFiveSecondsForItsAnswers(t *testing.T) {
	for _, reads := range []bool{true, false} {
		t.Run(fmt.Sprintf("reads=%t", reads), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, say := io.Pipe()
				hear, out := io.Pipe()
				c := jsonrpc.NewConn(jsonrpc.Pipe(in, out), desk, jsonrpc.Options{})
				ended := make(chan error, 1)
				go func() { ended <- c.Run(t.Context()) }()
				_, _ = io.WriteString(say, frame(`{"jsonrpc":"2.0","id":1,"method":"nothing"}`))
				say.Close()
				began := time.Now()
				if reads {
					<-time.After(4 * time.Second)
					got, _ := io.ReadAll(hear)
					if want := frame(`{"jsonrpc":"2.0","id":1,"result":null}`); string(got) != want {
						t.Errorf("heard %q, want %q", got, want)
					}
				}
				if err := <-ended; err != nil {
					t.Errorf("Run = %v, want nil", err)
				}
				if took := time.Since(began); !reads && took != 5*time.Second {
					t.Errorf("Run returned after %v, want 5s", took)
				}
			})
		})
	}
}

// stuck is like a terminal: closing it does not end a Read.
type stuck struct{ wake chan struct{} }

func (s stuck) Read([]byte) (int, error)    { <-s.wake; return 0, io.EOF }
func (s stuck) Write(b []byte) (int, error) { return len(b), nil }
func (s stuck) Close() error                { return nil }

func TestRunReturnsThoughAReadIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := stuck{make(chan struct{})}
		c := jsonrpc.NewConn(terminal, desk, jsonrpc.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := c.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
		}
		close(terminal.wake)
	})
}
