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
			switch theirs := slices.Contains(callers, a.Name); {
			case !ours && !theirs:
				t.Errorf("nothing does %s: add it to commands, or to callers in this test if package tui does it", a.Name)
			case ours && theirs:
				t.Errorf("%s is in commands and in callers of this test: remove it from one of them", a.Name)
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

// The search of earlier input has the keys of the user.
func TestTheSearchHasTheKeysOfTheUser(t *testing.T) {
	keys, err := keymap.Default().With(map[string][]string{keymap.SearchHistory: {"f5"}, keymap.Send: {"f6"}, keymap.Backspace: {"f7"}, keymap.Interrupt: {"f8"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ keys, want string }{
		{"<f5>e<f5>", "one|"},
		{"<f5>one<f6>!", "one!|"},
		{"<f5>onex<f7>", "one|"},
		{"draft<f5>one<f8>", "draft|"},
	} {
		c := &Composer{Keys: keys}
		c.SetHistory([]string{"one", "newest"})
		press(t, c, tc.keys)
		if got := shows(c); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.keys, got, tc.want)
		}
	}
}
