package input

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An answer of the terminal that comes in pieces is no text, and an answer whose rest is lost takes no keys
// with it.
func TestAnswersInPieces(t *testing.T) {
	dark := []Event{Background{Dark: true}}
	for name, tc := range map[string]struct {
		pieces []string
		want   []Event
	}{
		"colour":               {[]string{"\x1b]11;", "rgb:0000/0000/0000\x07"}, dark},
		"within its number":    {[]string{"\x1b]1", "1;rgb:0000/", "0000/0000", "\x1b\\"}, dark},
		"within its end":       {[]string{"\x1b]11;#000000\x1b", "\\"}, dark},
		"marks of pastes":      {[]string{"\x1b[?2004", ";1$y"}, nil},
		"keys after the rest":  {[]string{"\x1b]11;rgb:0000/0000", "/0000\x07zx"}, append(slices.Clone(dark), typed("zx")...)},
		"the rest is lost":     {[]string{"\x1b]11;rgb:00", "zx", "\r"}, append(typed("zx"), pressed("enter")...)},
		"enter":                {[]string{"\x1b]11;rgb:00", "\r"}, pressed("enter")},
		"the end is lost, esc": {[]string{"\x1b]11;#000000", "\x1b", "z"}, append(slices.Clone(dark), append(pressed("esc"), typed("z")...)...)},
		"an arrow":             {[]string{"\x1b[?2004;1$", "\x1b[A"}, pressed("up")},
	} {
		t.Run(name, func(t *testing.T) {
			var d Decoder
			var got []Event
			now := start
			for _, piece := range tc.pieces {
				if at, waits := d.Due(); waits && !at.After(now) {
					got = append(got, d.Flush()...)
				}
				got = append(got, d.Feed([]byte(piece), now)...)
				now = now.Add(300 * time.Millisecond)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// An answer that ends nowhere is waited for only for a second.
func TestAnAnswerWithoutAnEnd(t *testing.T) {
	var d Decoder
	d.Feed([]byte("\x1b]11;rgb:00"), start)
	if at, waits := d.Due(); !waits || at != start.Add(answerWait) {
		t.Errorf("Due = %v, %v", at, waits)
	}
	if got := d.Flush(); got != nil {
		t.Errorf("Flush = %v", got)
	}
	if _, waits := d.Due(); waits {
		t.Error("it is still waited for")
	}
}
