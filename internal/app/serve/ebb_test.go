package serve

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// peak is what clients made the server hold.
var peak []byte

// pool is what a server keeps for its next message.
var pool sync.Pool

// Some seconds after the last client has left, the system has the memory of a peak again.
func TestMemoryGoesBackOnceClientsHaveLeft(t *testing.T) {
	for name, tc := range map[string]func(e *ebb){
		"a client": func(*ebb) { peak = nil },
		"a client, and before it others during the peak": func(e *ebb) {
			e.Left()
			time.Sleep(ebbWait * (ebbLooks + 1))
			peak = nil
		},
		"a client whose memory is in a pool": func(*ebb) {
			pool.Put(&peak)
			kept := peak
			pool.Put(&kept)
			peak = nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEbb()
				defer e.stop()
				synctest.Wait() // it knows what the process holds without a peak
				before := resident()
				peak = make([]byte, 128<<20)
				for n := 0; n < len(peak); n += 4096 {
					peak[n] = 1
				}
				if held := resident(); held < before+100<<20 {
					t.Fatalf("the peak of 128 MB takes only %d bytes", held-before)
				}
				tc(e)
				e.Left()
				time.Sleep(ebbWait * (ebbLooks + 1))
				if held := resident(); held > before+ebbLeast {
					t.Errorf("after the client has left, the process holds %d MB more than before", (held-before)>>20)
				}
			})
		})
	}
}
