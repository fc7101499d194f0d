package composer

import (
	"strings"
	"testing"
)

// The history of changes, the cut texts and the folded texts are bounded.
func TestBounds(t *testing.T) {
	c := &Composer{}
	for range 2 * maxRing {
		press(t, c, "word<ctrl+u><left>")
	}
	if n := len(c.ring.texts); n != maxRing {
		t.Errorf("%d texts were cut out", n)
	}
	large := strings.Repeat("x", maxRingSize*2/3)
	for range 3 {
		c.Insert(large)
		press(t, c, "<ctrl+u><left>")
	}
	if n := len(c.ring.texts); n != 1 || c.log.size > maxEditSize+len(large) {
		t.Errorf("%d texts were cut out; %d bytes can be undone", n, c.log.size)
	}
	c = &Composer{}
	for i := 0; c.Paste(large); i++ {
		if i == 9 {
			t.Fatal("pastes have no bound")
		}
	}
	if n := len(c.text.String()); n != 8 {
		t.Errorf("%d bytes of folded pastes, want two of them", n)
	}
	press(t, c, "<backspace>")
	if !c.Paste(large) {
		t.Error("there is no room after a paste was erased")
	}
	for range maxEdits + 10 {
		press(t, c, "x<left>")
	}
	if n := len(c.log.done); n != maxEdits {
		t.Errorf("%d changes can be undone", n)
	}
	for range maxHistory + 10 {
		press(t, c, "x")
		c.Take()
		press(t, c, "y")
		c.Take()
	}
	if n := len(c.history.lines); n > maxHistory {
		t.Errorf("%d messages in the history", n)
	}
}

// A large text that is pasted into the search of the history does not make the box stop: it measured
// the query anew for each character that has no room.
func TestAPasteIntoTheSearchIsBounded(t *testing.T) {
	c := &Composer{}
	c.SetHistory([]string{"one", "two"})
	press(t, c, "<ctrl+r>")
	c.Paste(strings.Repeat("漢", maxQuery))
	if n := len(c.search.query); n > maxQuery || n < maxQuery-4 {
		t.Errorf("%d bytes are searched for", n)
	}
	if rows, at := c.Rows(80, 8); rows[at.Row].Width() > 80 {
		t.Errorf("the row is %q", rows[at.Row])
	}
}
