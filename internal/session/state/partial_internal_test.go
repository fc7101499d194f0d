package state

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The end of a long answer that is kept begins with a whole line if one begins near, and with a whole character
// in any case; the bytes before it are counted.
func TestTheEndOfALongAnswerIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		pieces []string
		want   wire.CutOffAnswer
	}{
		"short":           {[]string{"word by ", "word"}, wire.CutOffAnswer{Content: "word by word"}},
		"a line":          {[]string{"before", "half a line\n", strings.Repeat("x", maxCutOff-7)}, wire.CutOffAnswer{Content: strings.Repeat("x", maxCutOff-7), Omitted: 18}},
		"one line":        {[]string{"before", strings.Repeat("x", maxCutOff)}, wire.CutOffAnswer{Content: strings.Repeat("x", maxCutOff), Omitted: 6}},
		"characters":      {[]string{strings.Repeat("€", maxCutOff/3+1)}, wire.CutOffAnswer{Content: strings.Repeat("€", maxCutOff/3), Omitted: 3}},
		"many characters": {[]string{strings.Repeat("€", maxCutOff), "€"}, wire.CutOffAnswer{Content: strings.Repeat("€", maxCutOff/3), Omitted: 3 * (maxCutOff - maxCutOff/3 + 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			var p Partial
			p.Add("another", "of which nothing is left")
			for _, piece := range tc.pieces {
				p.Add("m", piece)
			}
			tc.want.MessageID = "m"
			if diff := cmp.Diff(tc.want, p.CutOff()); diff != "" {
				t.Errorf("-want +got:\n%.2000s", diff)
			}
			if len(p.text) > 2*maxCutOff {
				t.Errorf("%d bytes are in memory", len(p.text))
			}
		})
	}
}
