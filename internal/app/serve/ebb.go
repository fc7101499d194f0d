package serve

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// ebbWait is how often the memory is looked at after a client has left, and ebbLooks how many times after the last
	// one: its sessions may close a little later. Together they are less than ten seconds.
	ebbWait  = 2 * time.Second
	ebbLooks = 2
	// ebbLeast is how much memory is worth giving it back, in bytes: that collects the whole heap.
	ebbLeast = 32 << 20
)

// ebb gives memory back to the system when clients have left. By itself the runtime keeps what a peak took
// until the next collections, and an idle server collects every two minutes.
type ebb struct {
	left chan struct{} // holds one
	end  chan struct{}
	done sync.WaitGroup
}

func newEbb() *ebb {
	e := &ebb{left: make(chan struct{}, 1), end: make(chan struct{})}
	e.done.Go(e.run)
	return e
}

// Left notes that a client has left. It does not block.
func (e *ebb) Left() {
	select {
	case e.left <- struct{}{}:
	default: // it is noted already
	}
}

func (e *ebb) stop() {
	close(e.end)
	e.done.Wait()
}

func (e *ebb) run() {
	first := resident()
	least := first // after the last time that memory was given back
	for {
		select {
		case <-e.end:
			return
		case <-e.left:
		}
		for looks := 0; looks < ebbLooks; looks++ {
			select {
			case <-e.end:
				return
			case <-time.After(ebbWait):
			}
			select {
			case <-e.left:
				looks = -1 // clients are still leaving, and what they had may still be in use
			default:
			}
			now := resident()
			switch last := looks == ebbLooks-1; {
			case last && now > first+ebbLeast:
				// Only a collection shows how much of the memory is still in use: clients may have held all of it at the last
				// one. So a server that holds much in any case collects here, too, once its clients have stopped leaving. It
				// collects twice, because pools keep what nobody uses for one collection.
				debug.FreeOSMemory()
				debug.FreeOSMemory()
				least = resident()
			case !last && now > least+ebbLeast:
				debug.FreeOSMemory()
				least = resident()
			default:
				least = min(least, now)
			}
		}
	}
}

// resident returns how much memory the runtime has from the system, in bytes.
func resident() uint64 {
	sizes := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sizes)
	return sizes[0].Value.Uint64() - sizes[1].Value.Uint64()
}
