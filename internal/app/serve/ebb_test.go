package serve

import (
	"testing"
	"testing/synctest"
	"time"
)

// peak is what a client made the server hold.
var peak []byte

// Some seconds after a client has left, the system has the memory of a peak again.
func TestMemoryGoesBackOnceAClientHasLeft(t *testing.T) {
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
		peak = nil
		e.Left()
		time.Sleep(ebbWait * (ebbLooks + 1))
		if held := resident(); held > before+ebbLeast {
			t.Errorf("after the client has left, the process holds %d MB more than before", (held-before)>>20)
		}
	})
}
