package tui

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A page that a command opens gets the events that have come while the command was at work, and
// those that come while the page is open.
func TestAPageGetsTheEventsMeanwhile(t *testing.T) {
	h := start(t)
	read := make(chan struct{})
	var got []wire.EventType
	h.page = func() Effect {
		<-read
		return Effect{Read: pager.New("page", pager.Lines(nil), nil), Follow: func(e wire.Event) int {
			got = append(got, e.Type)
			return 0
		}}
	}
	h.happens("session.info", nil) // before the command
	h.open("/page")
	h.happens("user.message", nil)
	close(read)
	h.until("the page", func() bool { return len(h.overlays) > 0 })
	h.happens("session.idle", nil)
	if want := []wire.EventType{"user.message", "session.idle"}; !slices.Equal(got, want) {
		t.Errorf("the page got %q, want %q", got, want)
	}
	if len(h.listening) != 0 {
		t.Error("events are kept for a command that has ended")
	}
}
