package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
)

// event is of the usual size, some 600 bytes.
var event = fmt.Appendf(nil, `{"type":"assistant.message","data":{"messageId":"3b241101-e2bb-4255-8caf-4136c566a962","content":"%s"},`+
	`"id":"9f241101-e2bb-4255-8caf-4136c566a962","timestamp":"2026-01-02T03:04:05.678Z","parentId":"5a241101-e2bb-4255-8caf-4136c566a962"}`,
	strings.Repeat("some words of an answer. ", 15))

func BenchmarkCreate(b *testing.B) {
	store := mustOpen(b, files.Options{Root: b.TempDir()})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s, err := store.Create(fmt.Sprint(i))
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
			s, err := mustOpen(b, files.Options{Root: b.TempDir()}).Create("s")
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
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

// store10k returns a store whose session "s" has 10,000 events, 6 MB.
func store10k(b *testing.B) *files.Store {
	dir := b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "s"), 0o700); err != nil {
		b.Fatal(err)
	}
	log := strings.Repeat(string(event)+"\n", 10_000)
	if err := os.WriteFile(filepath.Join(dir, "s", "events.jsonl"), []byte(log), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(log)))
	return mustOpen(b, files.Options{Root: dir})
}

func BenchmarkOpen10k(b *testing.B) {
	store := store10k(b)
	b.ReportAllocs()
	for b.Loop() {
		s, _, err := store.Open("s")
		if err != nil || s.Len() != 10_000 {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkRead10k(b *testing.B) {
	s, _, err := store10k(b).Open("s")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if n := len(logtest.Collect(b, s.Read(1))); n != 10_000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkReadLast is a reader that catches up on one record of many.
func BenchmarkReadLast(b *testing.B) {
	s, _, err := store10k(b).Open("s")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	b.SetBytes(0)
	for b.Loop() {
		for _, err := range s.Read(10_000) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkScanHead(b *testing.B) {
	store := store10k(b)
	b.ReportAllocs()
	b.SetBytes(0)
	for b.Loop() {
		for rec, err := range store.Scan("s") {
			if err != nil {
				b.Fatal(err)
			}
			if rec.Seq == 10 {
				break
			}
		}
	}
}
