package shell

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// However output is split into pieces, every part of it can be read with the number of
// missing bytes, and nothing is missing from the first headBytes and the last tailBytes.
func TestOutputKeepsBothEnds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var o output
		var all []byte
		for len(all) < 3*(headBytes+tailBytes) {
			p := make([]byte, rnd.IntN(300_000))
			for i := range p {
				p[i] = byte(rnd.Uint32())
			}
			_, _ = o.Write(p)
			all = append(all, p...)
			from := rnd.IntN(len(all) + 1)
			to := from + rnd.IntN(len(all)+1-from)
			before, gap, after := o.between(int64(from), int64(to))
			if !bytes.HasPrefix(all[from:to], before) || !bytes.HasSuffix(all[from:to], after) || len(before)+int(gap)+len(after) != to-from {
				t.Fatalf("of %d bytes, %d to %d are %d, a gap of %d, %d", len(all), from, to, len(before), gap, len(after))
			}
			kept := max(0, min(headBytes, to)-from) + max(0, to-max(from, len(all)-tailBytes, headBytes))
			if len(before)+len(after) < kept {
				t.Fatalf("of %d bytes, %d to %d lack %d, and only %d need to", len(all), from, to, gap, to-from-kept)
			}
		}
	}
}

func TestEndedOutputTakesNothing(t *testing.T) {
	var o output
	o.note("a")
	o.end()
	o.note("b")
	if text, to := o.text(0, 1, true); text != "a" || to != 1 || o.total != 1 {
		t.Errorf("%q, %d of %d", text, to, o.total)
	}
}
