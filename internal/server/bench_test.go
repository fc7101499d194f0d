package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// relayed is a log with a client, whose connection is read by the benchmark.
type relayed struct {
	log    *eventlog.Log
	client *bufio.Reader
	end    func()
}

func newRelayed(b *testing.B) relayed {
	b.Helper()
	near, far := net.Pipe()
	log := eventlog.NewLog(logtest.NewStream(), eventlog.Options{})
	if _, err := log.Claim(context.Background(), "bench"); err != nil {
		b.Fatal(err)
	}
	rpc := jsonrpc.NewConn(far, func(context.Context, *jsonrpc.Request) func() (any, error) { return nil }, jsonrpc.Options{})
	tail := log.Tail(0)
	var wg sync.WaitGroup
	wg.Go(func() { _ = rpc.Run(context.Background()) })
	wg.Go(func() {
		if err := server.Relay(context.Background(), rpc, "3b241101-e2bb-4255-8caf-4136c566a962", tail, func(eventlog.Record) bool { return false }); err != nil && !errors.Is(err, eventlog.ErrClosed) {
			b.Error(err)
		}
	})
	return relayed{log, bufio.NewReader(near), func() {
		_ = near.Close()
		_ = log.Close()
		wg.Wait()
	}}
}

// skip reads one frame and returns its size.
func (r *relayed) skip(b *testing.B) int {
	line, err := r.client.ReadSlice('\n')
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(line[len("Content-Length:"):])))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := r.client.Discard(len("\r\n") + n); err != nil {
		b.Fatal(err)
	}
	return n
}

func word() wire.Delta {
	return wire.NewDelta(wire.MessageDelta, "3b241101-e2bb-4255-8caf-4136c566a962", "7d444840-9dc0-41d1-b245-5ffdce74fad2", " a word")
}

// BenchmarkRelayDelta is a piece of an answer on its way from the model's goroutine
// to the client, one at a time: two goroutines are woken for each.
func BenchmarkRelayDelta(b *testing.B) {
	r := newRelayed(b)
	defer r.end()
	r.log.EmitDelta(word())
	b.SetBytes(int64(r.skip(b)))
	b.ReportAllocs()
	for b.Loop() {
		r.log.EmitDelta(word())
		r.skip(b)
	}
}

// BenchmarkRelayBurst is a piece of an answer when they come as fast as they can:
// most are joined with others before they are written.
func BenchmarkRelayBurst(b *testing.B) {
	r := newRelayed(b)
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(io.Discard, r.client) })
	d := word()
	b.ReportAllocs()
	for b.Loop() {
		r.log.EmitDelta(d)
	}
	r.end()
	wg.Wait()
}

// BenchmarkRelayRecord is a persisted event of a kilobyte on its way.
func BenchmarkRelayRecord(b *testing.B) {
	r := newRelayed(b)
	defer r.end()
	line := []byte(`{"type":"assistant.message","data":{"content":"` + strings.Repeat("x", 1000) + `"}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for at := uint64(0); b.Loop(); at++ {
		if err := r.log.Append(context.Background(), at, false, line); err != nil {
			b.Fatal(err)
		}
		r.skip(b)
	}
}
