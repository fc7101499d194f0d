package front

import (
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The page of /show has each event once, also those of the same millisecond.
func TestShowHasEachEventOnce(t *testing.T) {
	now := time.Now()
	message := func(text string) wire.Event {
		return wire.Event{Header: wire.Header{ID: wire.NewID(), Type: "user.message", Time: now}, Data: []byte(`{"content":"` + text + `"}`)}
	}
	all := []wire.Event{message("one"), message("two"), message("three")}
	e, err := desk{keys: keymap.Default()}.showSession(func(yield func(wire.Event, error) bool) {
		_ = yield(all[0], nil) && yield(all[1], nil)
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	var changed []int
	for _, of := range all {
		changed = append(changed, e.Follow(of))
	}
	if changed[0] != 2 || changed[1] != 2 || changed[2] != 2 || e.Follow(message("four")) != 3 {
		t.Errorf("changed from %d", changed)
	}
	text := e.Read.Text(80)
	for _, word := range []string{"one", "two", "three", "four"} {
		if strings.Count(text, word) != 1 {
			t.Errorf("the page does not have %q once:\n%s", word, text)
		}
	}
}

func TestWhatARewindHasDone(t *testing.T) {
	for n, want := range map[int]string{0: "rewound to before message 3", 1: "rewound to before message 3\nrestored: 1 file", 2: "rewound to before message 3\nrestored: 2 files"} {
		if got := rewound(3, operate.Rewound{Restored: make([]string, n)}); got != want {
			t.Errorf("%d files: %q, want %q", n, got, want)
		}
	}
}
