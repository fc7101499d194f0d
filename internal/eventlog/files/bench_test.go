package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

// event has the usual size, some 600 bytes.
var event = fmt.Appendf(nil, `{"type":"assistant.message","data":{"messageId":"3b241101-e2bb-4255-8caf-4136c566a962","content":"%s"},`+
	`"id":"9f241101-e2bb-4255-8caf-4136c566a962","timestamp":"2026-01-02T03:04:05.678Z","parentId":"5a241101-e2bb-4255-8caf-4136c566a962"}`,
	strings.Repeat("some words of an answer. ", 15))

func BenchmarkCreate(b *testing.B) {
	store := mustOpen(b, files.Options{Root: b.TempDir()})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s, err := createIn(store, fmt.Sprint(i))
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, bench := range []struct {
		name    string
		durable bool
	}{{"told", false}, {"durable", true}} {
		b.Run(bench.name, func(b *testing.B) {
			s, err := createIn(mustOpen(b, files.Options{Root: b.TempDir()}), "s")
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if err := s.Claim(); err != nil {
				b.Fatal(err)
			}
			recs := [][]byte{event}
			b.ReportAllocs()
			b.SetBytes(int64(len(event)))
			for at := uint64(0); b.Loop(); at++ {
				if err := s.Append(at, recs, bench.durable); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// large is a session of 74,000 events, 230 MB, the largest one that users have reported.
const large = 74_000

// storeOf returns a store whose session "s" has n events of so many bytes each, and the
// sum of these bytes.
func storeOf(b *testing.B, n, bytes int) (*files.Store, int64) {
	dir := b.TempDir()
	store := mustOpen(b, files.Options{Root: dir})
	s, err := createIn(store, "s")
	if err != nil {
		b.Fatal(err)
	}
	recs := make([][]byte, n)
	for i := range recs {
		recs[i] = fmt.Appendf(nil, `{"seq":%d,%s`, i, event[1:])
		if more := bytes - len(recs[i]); more > 0 {
			recs[i] = fmt.Appendf(nil, `{"more":"%s",%s`, strings.Repeat("some words \\n", more/12), recs[i][1:])
		}
	}
	if err := s.Append(0, recs, false); err != nil {
		b.Fatal(err)
	}
	size := s.Size()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return store, size
}

func benchmarkOpen(b *testing.B, n, bytes int, indexed bool) {
	store, size := storeOf(b, n, bytes)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if !indexed {
			b.StopTimer()
			if err := os.Remove(filepath.Join(store.Dir("s"), "events.idx")); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		s, _, err := openIn(store, "s")
		if err != nil || s.Len() != uint64(n) {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkOpen(b *testing.B) {
	b.Run("200", func(b *testing.B) { benchmarkOpen(b, 200, 600, true) })
	b.Run("200 unindexed", func(b *testing.B) { benchmarkOpen(b, 200, 600, false) })
	b.Run("74000", func(b *testing.B) { benchmarkOpen(b, large, 3100, true) })
	b.Run("74000 unindexed", func(b *testing.B) { benchmarkOpen(b, large, 3100, false) })
}

func BenchmarkRead(b *testing.B) {
	store, size := storeOf(b, large, 3100)
	s, _, err := openIn(store, "s")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range s.Read(1) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != large {
			b.Fatal(n)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	store, size := storeOf(b, large, 3100)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := store.Verify("s"); err != nil || !r.Intact() {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkSalvage opens a log in which every other record is torn.
func BenchmarkSalvage(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "events.jsonl")
	log := strings.Repeat(string(event)+"\n"+string(event[:300]), 10_000)
	if err := os.WriteFile(dir, []byte(log), 0o600); err != nil {
		b.Fatal(err)
	}
	store := mustOpen(b, files.Options{Root: b.TempDir()})
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if made, err := store.Import(dir, fmt.Sprint(i), nothing); err != nil || made.Records < 10_000 {
			b.Fatal(made, err)
		}
	}
}

// BenchmarkReadLast reads the last record of many.
func BenchmarkReadLast(b *testing.B) {
	store, _ := storeOf(b, 10_000, 600)
	s, _, err := openIn(store, "s")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range s.Read(10_000) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkScanHead(b *testing.B) {
	store, _ := storeOf(b, 10_000, 600)
	b.ReportAllocs()
	for b.Loop() {
		for rec, err := range store.Scan(context.Background(), "s") {
			if err != nil {
				b.Fatal(err)
			}
			if rec.Pos == 10 {
				break
			}
		}
	}
}
