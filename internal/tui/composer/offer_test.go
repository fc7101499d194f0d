package composer

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// The cursor can stand before the slash of a command.
func TestTheCursorBeforeACommand(t *testing.T) {
	var c Composer
	c.Insert("/model x")
	c.Key(input.Key{Name: "home"})
	c.Key(input.Key{Name: "backspace"})
	if c.Empty() {
		t.Error("the text is gone")
	}
}

// Enter makes no other command of a mistyped one; the user's own choice in the list, and Tab, do.
func TestEnterTakesOnlyACommandThatWasMeant(t *testing.T) {
	all := complete.NewList([]complete.Candidate{{Text: "reset-allowed-tools"}, {Text: "model"}, {Text: "mode"}, {Text: "exit"}, {Text: "tool"}})
	for _, tc := range []struct{ typed, key, want string }{
		{"/todos", "enter", "/todos|"}, // reset-allowed-tools has these letters in this order
		{"/et", "enter", "/et|"},
		{"/mo", "enter", "/model |"},
		{"/MODE", "enter", "/MODE|"},
		{"/todos", "tab", "/reset-allowed-tools |"},
		{"/exit", "enter", "/exit|"},
	} {
		c := &Composer{}
		c.OfferCommands(all)
		press(t, c, tc.typed)
		c.Key(input.Key{Name: tc.key})
		if got := shows(c); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.typed, tc.key, got, tc.want)
		}
	}
	c := &Composer{}
	c.OfferCommands(all)
	press(t, c, "/ol")
	c.Key(input.Key{Name: "down"})
	c.OfferCommands(all) // the list has come again
	c.Key(input.Key{Name: "enter"})
	if got := shows(c); got != "/tool |" {
		t.Errorf("chosen with an arrow: %q", got)
	}
}

// Commands that are known late are offered for what the user has typed of one.
func TestCommandsComeLate(t *testing.T) {
	c := &Composer{}
	c.OfferCommands(nil) // nothing was typed yet
	press(t, c, "/und")
	if rows := c.Popup(40); len(rows) > 0 {
		t.Fatalf("offered: %v", rows)
	}
	c.OfferCommands(complete.NewList([]complete.Candidate{{Text: "undo", Help: "goes back"}}))
	if rows := c.Popup(40); len(rows) != 1 || !strings.Contains(rows[0].String(), "undo") {
		t.Errorf("offered: %v", rows)
	}
}
