package composer

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// The box does what the table of keys says of it, but for what the caller does.
func TestActionsOfTheBox(t *testing.T) {
	callers := []string{keymap.Interrupt, keymap.Mode, keymap.Background, keymap.Tasks, keymap.Model, keymap.Waiting, keymap.Reasoning, keymap.ExternalEditor, keymap.Attach}
	for _, a := range keymap.Default().Actions() {
		ours := commands.Get()[a.Name] != nil
		switch a.Focus {
		case keymap.Editor, keymap.Completion:
			if ours == slices.Contains(callers, a.Name) {
				t.Errorf("%s: the box does it: %v", a.Name, ours)
			}
		default:
			if ours {
				t.Errorf("%s is not of the box", a.Name)
			}
		}
	}
}

// Keys that the box has no use for are the caller's.
func TestKeysThatAreNotTaken(t *testing.T) {
	for _, tc := range []struct{ text, key string }{
		{"", "?"},
		{"", "enter"},
		{"", "ctrl+d"},
		{"", "esc"},
		{"x", "esc"},
		{"x", "shift+tab"},
		{"x", "tab"},
		{"x", "ctrl+o"},
		{"x", "ctrl+c"},
		{"x", "ctrl+g"},
		{"x", "ctrl+v"},
		{"x", "f5"},
		{"x", "ctrl+l"},
		{"x", "ctrl+z"},
		{"x", "pgup"},
	} {
		c := &Composer{}
		press(t, c, tc.text)
		k := input.Key{Name: tc.key}
		if len(tc.key) == 1 {
			k.Text = tc.key
		}
		if a, taken := c.Key(k); taken || a != None || shows(c) != tc.text+"|" {
			t.Errorf("%s in %q: %v, %v, %q", tc.key, tc.text, a, taken, shows(c))
		}
	}
	keys, err := keymap.Default().With(map[string][]string{keymap.Undo: {"f5"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &Composer{Keys: keys}
	press(t, c, "x<f5>")
	if got := shows(c); got != "|" {
		t.Errorf("with a key of the user: %q", got)
	}
}

func TestADraftIsPutAside(t *testing.T) {
	c := &Composer{}
	press(t, c, "draft<alt+s>")
	if c.stash == nil || !c.Empty() {
		t.Errorf("put aside: %v, %q", c.stash != nil, shows(c))
	}
	press(t, c, "x")
	c.Take()
	press(t, c, "<alt+s>")
	if c.stash != nil || shows(c) != "draft|" {
		t.Errorf("taken back: %v, %q", c.stash != nil, shows(c))
	}
}
