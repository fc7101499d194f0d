package jsonrpc_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// delta is a session.event with a piece of an answer, as they are relayed.
var delta = []byte(`{"sessionId":"1c5f3ac6-0000-4000-8000-000000000000","event":{"id":"1c5f3ac6-0000-4000-8000-000000000001",` +
	`"parentId":"1c5f3ac6-0000-4000-8000-000000000002","timestamp":"2026-08-21T12:00:00.000Z","ephemeral":true,` +
	`"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":" and so on"}}}`)

// source yields one frame again and again, as long as the benchmark runs.
type source struct {
	b     *testing.B
	frame []byte
	rest  []byte
}

func (s *source) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		if !s.b.Loop() {
			return 0, io.EOF
		}
		s.rest = s.frame
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// BenchmarkRead reads a notification of a third of a kilobyte, to the handler.
func BenchmarkRead(b *testing.B) {
	f := []byte(frame(`{"jsonrpc":"2.0","method":"session.event","params":` + string(delta) + `}`))
	b.SetBytes(int64(len(f)))
	b.ReportAllocs()
	nothing := func(context.Context, *jsonrpc.Request) func() (any, error) { return nil }
	c := jsonrpc.NewConn(jsonrpc.Pipe(&source{b: b, frame: f}, io.Discard), nothing, jsonrpc.Options{})
	if err := c.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkNotifyRaw(b *testing.B) {
	c := jsonrpc.NewConn(jsonrpc.Pipe(bytes.NewReader(nil), io.Discard), desk, jsonrpc.Options{})
	head, tail := delta[:60], delta[60:]
	b.SetBytes(int64(len(delta)))
	b.ReportAllocs()
	for b.Loop() {
		if err := c.NotifyRaw(b.Context(), "session.event", head, tail); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNotifyRawParallel has many writers on one connection.
func BenchmarkNotifyRawParallel(b *testing.B) {
	c := jsonrpc.NewConn(jsonrpc.Pipe(bytes.NewReader(nil), io.Discard), desk, jsonrpc.Options{})
	b.SetBytes(int64(len(delta)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := c.NotifyRaw(b.Context(), "session.event", delta); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRoundTrip is a call over loopback TCP, both ends ours.
func BenchmarkRoundTrip(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	c, _ := run(b, near, far, desk, desk, jsonrpc.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), "echo", nil); err != nil {
			b.Fatal(err)
		}
	}
}
