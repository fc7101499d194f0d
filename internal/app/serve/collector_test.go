package serve

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercentFor(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 1700, 1 << 20: 1700, 4 << 20: 500, 16 << 20: 200, 1 << 30: 101,
	} {
		if got := percentFor(100, live); got != want {
			t.Errorf("percentFor(100, %d) = %d, want %d", live, got, want)
		}
	}
}

func TestLimitFor(t *testing.T) {
	for live, want := range map[uint64]int64{0: 384 << 20, 200 << 20: 384 << 20, 400 << 20: 648 << 20} {
		if got := limitFor(live); got != want {
			t.Errorf("limitFor(%d) = %d, want %d", live, got, want)
		}
	}
}

// A server bounds its memory unless the user has, and leaves the bound as it was.
func TestTheMemoryOfAServerIsBounded(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	stop := relaxCollector()
	if got := debug.SetMemoryLimit(-1); got != roomy {
		t.Errorf("the memory is bounded to %d bytes, want %d", got, roomy)
	}
	stop()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("stopped: %d bytes, want no bound", got)
	}
	debug.SetMemoryLimit(1 << 40)
	stop = relaxCollector()
	defer stop()
	if got := debug.SetMemoryLimit(-1); got != 1<<40 {
		t.Errorf("the bound of the user is now %d bytes", got)
	}
}

// The heap has its slack before the first collection and after each, and none once it is
// stopped. A collector that is switched off stays off.
func TestTheCollectorIsRelaxed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	now := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	stop := relaxCollector()
	if got := now(); got != 420 {
		t.Errorf("before a collection: %d percent, want 420", got)
	}
	for n := range 3 {
		debug.SetGCPercent(100)
		for range 1000 { // the finalizer runs some time after the collection
			if runtime.GC(); now() != 100 {
				break
			}
		}
		if got := now(); got <= 100 {
			t.Errorf("after collection %d: %d percent, want more than 100", n, got)
		}
	}
	stop()
	runtime.GC()
	if got := now(); got != 100 {
		t.Errorf("stopped: %d percent, want 100", got)
	}
	debug.SetGCPercent(-1)
	relaxCollector()()
	if got := now(); got != -1 {
		t.Errorf("switched off: %d percent, want -1", got)
	}
}
