package tui

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/screen"
)

// frames counts what is written to a terminal.
type frames int

func (f *frames) Write(p []byte) (int, error) { *f++; return len(p), nil }

// shown is a screen at a terminal that is looked at.
func shown(t *testing.T, to io.Writer) *screen.Screen {
	t.Helper()
	s, err := screen.Open(device{to}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Restore)
	return s
}

// feed gives bytes to the interface as they are read: size bytes at a time, in no time.
func (h *harness) feed(text string, size int) {
	h.t.Helper()
	for text != "" {
		n := min(size, len(text))
		if err := h.typed(h.decoder.Feed([]byte(text[:n]), time.Now())); err != nil {
			h.t.Fatal(err)
		}
		text = text[n:]
	}
}

// Text that is typed faster than it can be drawn is in the input box, and is not drawn for each of its
// characters: 50 KB took seconds.
func TestTextThatIsTypedFast(t *testing.T) {
	for _, size := range []int{1, 4095} {
		synctest.Test(t, func(t *testing.T) {
			h := start(t)
			drawn := frames(0)
			h.screen = shown(t, &drawn)
			before := drawn
			text := strings.Repeat("words of a text, ", 600)
			h.feed(text, size)
			if got := h.box.Draft().Text; got != text {
				t.Errorf("%d at a time: %d bytes are in the box, want %d", size, len(got), len(text))
			}
			if n := drawn - before; n != 1 {
				t.Errorf("%d at a time: %d frames, want that of the first key", size, n)
			}
			if at := h.next(); time.Until(at) > frameTime {
				t.Errorf("%d at a time: the next frame is due at %v", size, at)
			}
			time.Sleep(frameTime)
			if h.feed("x", 1); drawn-before != 2 {
				t.Errorf("%d at a time: a key after the time of a frame is not drawn at once", size)
			}
		})
	}
}

// Keys that mean something do it within text that comes fast, too.
func TestKeysWithinTextThatIsTypedFast(t *testing.T) {
	h := start(t)
	h.feed("!echo\x01x\x05 two\x17three", 100)
	if d := h.box.Draft(); d.Text != "xecho three" || !d.Shell {
		t.Errorf("the box has %q, a command: %v", d.Text, d.Shell)
	}
	h.feed("\x15\x15\x7fsee @ma", 100)
	if !h.completing() {
		t.Error("nothing is offered for @ma")
	}
}
