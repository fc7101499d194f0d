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
