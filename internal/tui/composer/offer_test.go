package composer

import (
	"testing"

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
