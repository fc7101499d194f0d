package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

func TestWhatIsSent(t *testing.T) {
	c, p, _ := start(t, desk, jsonrpc.Options{})
	ctx := t.Context()
	for _, tc := range []struct {
		name string
		send func() error
		want string
	}{
		{
			"no params are an empty object", func() error { return c.Notify(ctx, "m", nil) },
			`{"jsonrpc":"2.0","method":"m","params":{}}`,
		},
		{
			"also raw", func() error { return c.Notify(ctx, "m", json.RawMessage(nil)) },
			`{"jsonrpc":"2.0","method":"m","params":{}}`,
		},
		{
			"raw params are not touched", func() error { return c.Notify(ctx, "m", json.RawMessage(`{ "a":"<" }`)) },
			`{"jsonrpc":"2.0","method":"m","params":{ "a":"<" }}`,
		},
		{
			"others are encoded", func() error { return c.Notify(ctx, "m", map[string]string{"a": "<\xff\n"}) },
			`{"jsonrpc":"2.0","method":"m","params":{"a":"<\ufffd\n"}}`,
		},
		{
			"pieces are joined", func() error { return c.NotifyRaw(ctx, "m", []byte(`{"a":`), []byte(`1`), []byte(`}`)) },
			`{"jsonrpc":"2.0","method":"m","params":{"a":1}}`,
		},
		{
			"no pieces are an empty object", func() error { return c.NotifyRaw(ctx, "m") },
			`{"jsonrpc":"2.0","method":"m","params":{}}`,
		},
		{
			"a method is quoted", func() error { return c.Notify(ctx, "\"é\n", nil) },
			`{"jsonrpc":"2.0","method":"\"é\n","params":{}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sent := make(chan error, 1)
			go func() { sent <- tc.send() }()
			p.expect(tc.want)
			if err := <-sent; err != nil {
				t.Errorf("send = %v", err)
			}
		})
	}
	if err := c.Notify(ctx, "m", math.NaN()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Notify(NaN) = %v, want an invalid", err)
	}
	if _, err := c.Call(ctx, "m", math.NaN()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Call(NaN) = %v, want an invalid", err)
	}
}

func TestWhatACallReturns(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		result       string
		err          string // the whole text; empty: none
	}{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"a":1}`, ""},
		{"null", `{"jsonrpc":"2.0","id":1,"result":null}`, `null`, ""},
		{"a missing result is null", `{"jsonrpc":"2.0","id":1}`, `null`, ""},
		{"a missing version does not matter", `{"id":1,"result":1}`, `1`, ""},
		{"a null error is a success", `{"jsonrpc":"2.0","id":1,"error":null,"result":2}`, `2`, ""},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such"}}`, ``, "no such (-32601)"},
		{"an error beats a result", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"},"result":2}`, ``, "x (1)"},
		{"a strange error", `{"jsonrpc":"2.0","id":1,"error":"broken"}`, ``, `"broken" (-32603)`},
		{
			"no JSON", `{"jsonrpc":"2.0","id":1,"result":{,}}`, ``,
			"jsonrpc.Call: unusable answer: body is not JSON: invalid character ',' looking for beginning of object key string",
		},
		{
			"too long", `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 1000) + `"}`, ``,
			"jsonrpc.Call: unusable answer: body of 1036 bytes exceeds the limit of 512 bytes",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, p, _ := start(t, desk, jsonrpc.Options{MaxFrame: 512})
			go func() {
				p.expect(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"p":1}}`)
				p.say(`{"jsonrpc":"2.0","id":"1","result":"the id of nobody"}`)
				p.say(`{"jsonrpc":"2.0","id":2,"result":"the id of nobody"}`)
				p.say(tc.answer)
			}()
			result, err := c.Call(t.Context(), "m", map[string]int{"p": 1})
			if string(result) != tc.result || fmt.Sprint(err) != tc.err && (err != nil || tc.err != "") {
				t.Errorf("Call = %s, %v\nwant %s, %s", result, err, tc.result, tc.err)
			}
		})
	}
}

func TestARefusalKeepsCodeAndData(t *testing.T) {
	c, p, _ := start(t, desk, jsonrpc.Options{})
	go func() {
		p.hear()
		p.say(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":{"code":"c"}}}`)
	}()
	_, err := c.Call(t.Context(), "m", nil)
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || e.Code != -32000 || e.Message != "m" || string(e.Data) != `{"code":"c"}` {
		t.Errorf("Call = %#v, want code -32000, message m, data", err)
	}
}

// pair runs two connections that talk to each other until the test ends.
func pair(t testing.TB, left, right jsonrpc.Handler, opts jsonrpc.Options) (l, r *jsonrpc.Conn) {
	t.Helper()
	near, far := net.Pipe()
	return run(t, near, far, left, right, opts)
}

func run(t testing.TB, near, far net.Conn, left, right jsonrpc.Handler, opts jsonrpc.Options) (l, r *jsonrpc.Conn) {
	l, r = jsonrpc.NewConn(near, left, opts), jsonrpc.NewConn(far, right, opts)
	var running sync.WaitGroup
	running.Go(func() { _ = l.Run(context.Background()) })
	running.Go(func() { _ = r.Run(context.Background()) })
	t.Cleanup(func() {
		_, _ = l.Close(), r.Close()
		running.Wait()
	})
	return l, r
}

func TestCallsGoBothWaysAndWithinEachOther(t *testing.T) {
	var l, r *jsonrpc.Conn
	// countdown calls the other side with one less, until zero.
	countdown := func(other **jsonrpc.Conn) jsonrpc.Handler {
		return func(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
			return func() (any, error) {
				var n int
				if err := json.Unmarshal(req.Params[len(`{"n":`):len(req.Params)-1], &n); err != nil || n == 0 {
					return "done", err
				}
				return (*other).Call(ctx, "countdown", map[string]int{"n": n - 1})
			}
		}
	}
	l, r = pair(t, countdown(&l), countdown(&r), jsonrpc.Options{})
	var calls sync.WaitGroup
	for _, c := range []*jsonrpc.Conn{l, r} {
		for range 20 {
			calls.Go(func() {
				result, err := c.Call(t.Context(), "countdown", map[string]int{"n": 10})
				if string(result) != `"done"` || err != nil {
					t.Errorf("Call = %s, %v, want done", result, err)
				}
			})
		}
	}
	calls.Wait()
}

func TestNotificationsKeepTheOrderOfTheirGoroutine(t *testing.T) {
	const senders, each = 8, 500
	var got [senders]int // touched by the reading goroutine only
	all := make(chan struct{})
	missing := senders * each
	_, r := pair(t, func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
		var n struct{ Sender, Count int }
		if err := json.Unmarshal(req.Params, &n); err != nil || got[n.Sender] != n.Count {
			t.Errorf("sender %d: got %s (%v), want %d", n.Sender, req.Params, err, got[n.Sender])
		}
		got[n.Sender]++
		if missing--; missing == 0 {
			close(all)
		}
		return nil
	}, desk, jsonrpc.Options{MaxQueue: 4096})
	for sender := range senders {
		go func() {
			for count := range each {
				params := fmt.Appendf(nil, `{"sender":%d,"count":%d}`, sender, count)
				if err := r.NotifyRaw(t.Context(), "n", params); err != nil {
					t.Errorf("NotifyRaw: %v", err)
				}
			}
		}()
	}
	<-all
}
