//go:build unix

package files_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/logtest"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

// BenchmarkClaim measures what each run pays because others may have written before: it
// claims, looks at the log, and releases.
func BenchmarkClaim(b *testing.B) {
	s, err := createIn(mustOpen(b, files.Options{Root: b.TempDir()}), "s")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Claim(); err != nil {
			b.Fatal(err)
		}
		s.Release()
	}
}

// BenchmarkDurable measures a durable append while several sessions append at once.
// cpu-ns/op is the processor time of this process, including the kernel's work for it,
// but not what the kernel does in its own threads.
func BenchmarkDurable(b *testing.B) {
	for _, sessions := range []int{1, 2, 5, 10, 50} {
		b.Run(fmt.Sprintf("%d sessions", sessions), func(b *testing.B) {
			store := mustOpen(b, files.Options{Root: b.TempDir()})
			streams := make([]*logtest.Writer, sessions)
			for i := range streams {
				s, err := createIn(store, fmt.Sprint(i))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				if err := s.Claim(); err != nil {
					b.Fatal(err)
				}
				streams[i] = s
			}
			appendInParallel(b, streams)
		})
	}
}

// appendInParallel does b.N appends, each stream in a goroutine of its own.
func appendInParallel(b *testing.B, streams []*logtest.Writer) {
	var left atomic.Int64
	left.Store(int64(b.N))
	recs := [][]byte{event}
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime(b)
	var wg sync.WaitGroup
	for _, s := range streams {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := s.Append(s.Len(), recs, true); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// cpuTime is how long this process has been on a processor.
func cpuTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
