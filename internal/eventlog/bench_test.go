package eventlog_test

import (
	"context"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// BenchmarkEmitDelta measures the hot path: one delta, published to a reader that takes
// what is queued and encodes it.
func BenchmarkEmitDelta(b *testing.B) {
	for _, bench := range []struct {
		name    string
		readers int
	}{{"no reader", 0}, {"one reader", 1}, {"three readers", 3}} {
		b.Run(bench.name, func(b *testing.B) {
			l := newLog(eventlog.Options{})
			var wg sync.WaitGroup
			for range bench.readers {
				tail := l.Tail(0)
				wg.Go(func() { encodeAll(b, tail) })
			}
			d := delta("3b241101-e2bb-4255-8caf-4136c566a962", " a word")
			b.ReportAllocs()
			for b.Loop() {
				l.EmitDelta(d)
			}
			l.Close()
			wg.Wait()
		})
	}
}

// BenchmarkEmitDeltaOneByOne measures a delta that wakes its reader: no two are joined.
func BenchmarkEmitDeltaOneByOne(b *testing.B) {
	l := newLog(eventlog.Options{})
	tail := l.Tail(0)
	d := delta("3b241101-e2bb-4255-8caf-4136c566a962", " a word")
	b.ReportAllocs()
	l.EmitDelta(d)
	for range tail.Records(b.Context()) {
		if !b.Loop() {
			break
		}
		l.EmitDelta(d)
	}
}

func encodeAll(b *testing.B, tail *eventlog.Tail) {
	var buf []byte
	for rec, err := range tail.Records(b.Context()) {
		if err != nil {
			return
		}
		buf = rec.AppendJSON(buf[:0])
	}
}

// BenchmarkTail measures a persisted record from Append to its reader.
func BenchmarkTail(b *testing.B) {
	l := newLog(eventlog.Options{})
	tail := l.Tail(0)
	var wg sync.WaitGroup
	wg.Go(func() { encodeAll(b, tail) })
	rec := logtest.Record(1)
	b.ReportAllocs()
	b.SetBytes(int64(len(rec)))
	for at := uint64(0); b.Loop(); at++ {
		if err := l.Append(context.Background(), at, false, rec); err != nil {
			b.Fatal(err)
		}
	}
	l.Close()
	wg.Wait()
}

// BenchmarkPage reads a page of 200 of 10,000 records, from the beginning, from the
// end, and with a Match that selects every other.
func BenchmarkPage(b *testing.B) {
	l := newLog(eventlog.Options{})
	appendTo(b, l, 10_000)
	for _, bench := range []struct {
		name string
		req  eventlog.PageRequest
	}{
		{"forward", eventlog.PageRequest{Max: 200}},
		{"backward", eventlog.PageRequest{Max: 200, Backward: true}},
		{"some", eventlog.PageRequest{Max: 200, Match: even}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := l.Pager()
			defer p.Close()
			b.ReportAllocs()
			for b.Loop() {
				if got := page(b, p, bench.req); len(got.Records) != 200 {
					b.Fatalf("%d records", len(got.Records))
				}
			}
		})
	}
}
