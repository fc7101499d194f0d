package serve

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// slack is how much more the heap may grow between two garbage collections, in bytes, than
// the collector would let it by itself, which is to twice what is live. The heap of a server
// is small, and would otherwise be collected every few turns. The slack saves a tenth of the
// CPU of a turn for some 16 MB more of garbage, and changes little where the heap is large.
// Source: docs/benchmarks.md.
const slack = 16 << 20

// roomy is how much memory, in bytes, is worth no haste. A client that makes a server hold large messages causes
// as much garbage again, and freed pieces in between that no other message fits in; beyond roomy the runtime
// cleans up before it takes more. docs/reliability.md has what the whole takes under attack.
const roomy = 384 << 20

// relaxCollector gives the heap its slack until stop is called. Nothing is collected before
// the heap has grown by it, so an idle server has never collected. If the collector was
// switched off (GOGC=off), it stays off.
func relaxCollector() (stop func()) {
	percent := debug.SetGCPercent(-1)
	if percent < 0 {
		return func() {}
	}
	const first = 5 << 20 // at 420 percent the runtime collects first at 17 MB
	debug.SetGCPercent(percentFor(percent, first))
	t := &tuner{percent: percent, limit: debug.SetMemoryLimit(-1)}
	t.bound(0)
	runtime.SetFinalizer(&cycle{t}, (*cycle).collected)
	return t.stop
}

// tuner sets the percentage after each collection, until it is stopped.
type tuner struct {
	percent int   // without the slack
	limit   int64 // of the memory, as GOMEMLIMIT says
	mu      sync.Mutex
	stopped bool
}

func (t *tuner) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	debug.SetGCPercent(t.percent)
	debug.SetMemoryLimit(t.limit)
}

// tune reports whether the tuner goes on.
func (t *tuner) tune() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return false
	}
	// The percentage is one of all that the collector scans, not of the heap alone.
	sizes := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(sizes)
	scanned := uint64(0)
	for _, s := range sizes {
		scanned += s.Value.Uint64()
	}
	debug.SetGCPercent(percentFor(t.percent, scanned))
	t.bound(scanned)
	return true
}

// bound sets the amount of memory near which the runtime collects sooner, and gives freed memory back before it
// takes more. A limit that the user has set stays.
func (t *tuner) bound(live uint64) {
	if t.limit == math.MaxInt64 {
		debug.SetMemoryLimit(limitFor(live))
	}
}

// limitFor returns that amount for live bytes: enough that the collector has half of them to work with.
func limitFor(live uint64) int64 { return max(roomy, int64(live+live/2)+roomy/8) }

// percentFor returns the percentage by which memory of live bytes may grow, if it was percent
// without the slack.
func percentFor(percent int, live uint64) int {
	return percent + int(100*slack/max(live, 1<<20))
}

// cycle is garbage in each collection, so that its finalizer is called after each.
type cycle struct{ tuner *tuner }

func (c *cycle) collected() {
	if c.tuner.tune() {
		runtime.SetFinalizer(c, (*cycle).collected)
	}
}
