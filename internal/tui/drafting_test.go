package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// shelf keeps drafts in memory.
type shelf struct {
	earlier string // what Take returns
	gate    chan struct{}
	kept    chan string // what Keep got
	fails   error
	closed  bool
}

func (s *shelf) Take(context.Context) (composer.Draft, string, bool) {
	<-s.gate
	return composer.Draft{Text: s.earlier}, "from before", s.earlier != ""
}

func (s *shelf) Keep(_ context.Context, d composer.Draft) error {
	s.kept <- d.Text
	return s.fails
}
func (s *shelf) Close() { s.closed = true }

func startWithShelf(t *testing.T, earlier string) (*harness, *shelf) {
	t.Helper()
	s := &shelf{earlier: earlier, gate: make(chan struct{}), kept: make(chan string, 10)}
	h := startWith(t, func(o *Options) { o.Drafts = s })
	return h, s
}

// stores lets the moment come at which the draft is stored, and returns it.
func (h *harness) stores(s *shelf, after time.Duration) (text string, ok bool) {
	h.t.Helper()
	h.keepDraft(time.Now().Add(after))
	if !h.drafting.busy {
		return "", false
	}
	h.until("the stored draft", func() bool { return !h.drafting.busy })
	return <-s.kept, true
}

// What is in the input box is stored a moment after it has changed, and removed at once when it was sent.
func TestTheDraftIsStored(t *testing.T) {
	h, s := startWithShelf(t, "")
	close(s.gate)
	h.until("the start", func() bool { return !h.drafting.taking })
	h.write("half a mess")
	h.keepDraft(time.Now())
	if h.drafting.busy {
		t.Error("the draft is stored with each key")
	}
	if got, _ := h.stores(s, draftTime); got != "half a mess" {
		t.Errorf("stored: %q", got)
	}
	if _, again := h.stores(s, time.Hour); again {
		t.Error("a draft that has not changed is stored again")
	}
	s.fails = errors.New("the disk is full")
	h.write("age")
	h.keepDraft(time.Now())
	h.stores(s, draftTime)
	h.until("the error", func() bool { return strings.Contains(text(h.talk.Take(80)), "the disk is full") })
	h.press("enter")
	h.done("send interactive: half a message")
	if got, ok := h.stores(s, 0); got != "" || !ok {
		t.Errorf("stored after the message was sent: %q, %v", got, ok)
	}
	if strings.Contains(text(h.talk.Take(80)), "the disk is full") {
		t.Error("the error is shown again")
	}
}

// The draft of a terminal that was killed is in the input box, unless the user was faster.
func TestAnEarlierDraftComesBack(t *testing.T) {
	for typed, want := range map[string]string{"": "from a killed one", "new": "new"} {
		h, s := startWithShelf(t, "from a killed one")
		h.write(typed)
		close(s.gate)
		h.until("the draft", func() bool { return !h.drafting.taking })
		if got := h.box.Draft().Text; got != want {
			t.Errorf("%q in the box, want %q", got, want)
		}
		if shown := strings.Contains(text(h.talk.Take(80)), "from before"); shown != (typed == "") {
			t.Errorf("with %q typed, the notice is shown: %v", typed, shown)
		}
		if typed != "" && (len(*h.history) != 1 || (*h.history)[0] != "from a killed one") {
			t.Errorf("the history has %q", *h.history)
		}
	}
}

// A text in the input box outlives a terminal that is closed. What had not come back stays where it was.
func TestTheLastDraft(t *testing.T) {
	h, s := startWithShelf(t, "")
	close(s.gate)
	h.until("the start", func() bool { return !h.drafting.taking })
	h.write("the window is closed")
	h.endDraft()
	if got := <-s.kept; got != "the window is closed" || !s.closed {
		t.Errorf("stored: %q, closed: %v", got, s.closed)
	}
	h, s = startWithShelf(t, "from a killed one")
	h.endDraft()
	if len(s.kept) != 0 || !s.closed {
		t.Errorf("%d were stored before the earlier draft was in the box; closed: %v", len(s.kept), s.closed)
	}
	close(s.gate)
}
