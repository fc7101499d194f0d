package list

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

func key(name string) input.Key {
	text := ""
	if len([]rune(name)) == 1 {
		text = name
	}
	if name == "space" {
		text = " "
	}
	return input.Key{Name: name, Text: text}
}

// press presses keys, which are separated by spaces.
func press(l *List, keys string) (last Outcome) {
	for name := range strings.FieldsSeq(keys) {
		last = l.Key(key(name))
	}
	return last
}

func typed(l *List, text string) {
	for _, c := range text {
		l.Key(key(strings.ReplaceAll(string(c), " ", "space")))
	}
}

func fruit() *List {
	l := New(Config{
		Title: "Fruit", Keys: keymap.Default(), Columns: []Column{{Right: true}, {Dim: true, Most: 12}}, Enter: "eat",
		Empty: "There is no fruit. Buy some at the market.",
		Preview: func(id string, width int) []row.Row {
			return row.Text("About "+id+": "+strings.Repeat("it tastes good ", 20)).Wrap(width, nil)
		},
		Actions: []Action{
			{Name: keymap.ListDelete, Text: "throw away", Twice: true},
			{Name: keymap.ListRename, Text: "rename", Ask: "new name"},
			{Name: keymap.ListView, Text: "all fruit", All: true},
		},
	})
	l.Set(items())
	return l
}

func items() []Item {
	return []Item{
		{ID: "a", Title: "Apple", Group: "Local", Columns: []string{"12", "from the garden behind the house"}, Mark: "✓"},
		{ID: "p", Title: "Pear with a long name that does not fit into a narrow terminal at all", Group: "Local", Columns: []string{"3", "market"}},
		{ID: "-", Title: "the plum tree gave nothing", Group: "Local", Fixed: true, Style: row.Failure},
		{ID: "b", Title: "Banana", Group: "Far away", Columns: []string{"1,024", "ship"}, Search: "yellow and bent"},
		{ID: "m", Title: "Mango 芒果", Group: "Far away", Columns: []string{"7", "air"}},
	}
}

func lines(rows []row.Row) (out []string) {
	for _, r := range rows {
		out = append(out, strings.TrimRight(r.String(), " "))
	}
	return out
}

func chosen(l *List) string {
	it, _ := l.Chosen()
	return it.ID
}

// Arrows pass over headings and entries that say something, and stop at the ends.
func TestMoving(t *testing.T) {
	l := fruit()
	for _, tc := range []struct{ keys, want string }{
		{"", "a"},
		{"up", "a"},
		{"down", "p"},
		{"down", "b"},
		{"up", "p"},
		{"end", "m"},
		{"down ctrl+n", "m"},
		{"home", "a"},
		{"pgdown", "m"},
		{"pgup", "a"},
		{"f1 ctrl+t ctrl+q", "a"},
	} {
		press(l, tc.keys)
		if got := chosen(l); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.keys, got, tc.want)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string // the entries, in their order
	}{
		{"", "a p b m"},
		{"app", "a"},
		{"pr", "p"},   // with characters between
		{"bent", "b"}, // in the text to search
		{"mark", "p"}, // in a column
		{"b yellow", "b"},
		{"yellow apple", ""},
		{"芒", "m"},
		{"plum", ""}, // cannot be chosen
		{"Man", "m"},
		{"MANGO", ""}, // large letters match only large ones
	} {
		l := fruit()
		typed(l, tc.text)
		var got []string
		for _, e := range l.shown {
			if e.item >= 0 && !l.items[e.item].Fixed {
				got = append(got, l.items[e.item].ID)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, s, tc.want)
		}
		if tc.want != "" && chosen(l) != got[0] {
			t.Errorf("%q: %q is chosen", tc.text, chosen(l))
		}
	}
}

// Esc clears the filter first, and what was chosen stays chosen.
func TestEscClearsTheFilter(t *testing.T) {
	l := fruit()
	typed(l, "mango")
	if o := press(l, "esc"); o.Action != "" || l.Filter() != "" || chosen(l) != "m" {
		t.Errorf("%v, filter %q, chosen %q", o, l.Filter(), chosen(l))
	}
	if o := press(l, "esc"); o.Action != keymap.ListClose {
		t.Errorf("the second esc: %v", o)
	}
	typed(l, "x")
	if o := press(l, "ctrl+c"); o.Action != keymap.ListClose {
		t.Errorf("ctrl+c: %v", o)
	}
}

func TestOutcomes(t *testing.T) {
	l := fruit()
	press(l, "down")
	for _, tc := range []struct{ keys, action, text string }{
		{"enter", keymap.ListChoose, ""},
		{"tab", keymap.ListView, ""},
		{"ctrl+x", "", ""},
		{"ctrl+x", keymap.ListDelete, ""},
		{"ctrl+x f5 ctrl+x", "", ""}, // another key disarms
		{"ctrl+x", keymap.ListDelete, ""},
		{"ctrl+r", "", ""},
		{"ctrl+u F i g enter", keymap.ListRename, "Fig"},
		{"ctrl+r esc", "", ""},
		{"ctrl+o", keymap.ListWhole, ""},
		{"enter", keymap.ListChoose, ""},
	} {
		o := press(l, tc.keys)
		if o.Action != tc.action || o.Text != tc.text || tc.action != "" && o.Item.ID != "p" {
			t.Errorf("%q: %+v", tc.keys, o)
		}
	}
	typed(l, "nothing fits this")
	for _, keys := range []string{"enter", "ctrl+x ctrl+x", "ctrl+r", "ctrl+o"} {
		if o := press(l, keys); o.Action != "" {
			t.Errorf("%q without an entry: %+v", keys, o)
		}
	}
}

// New entries keep the choice by the ID; without it, the choice stays in its row.
func TestSetKeepsTheChoice(t *testing.T) {
	l := fruit()
	l.Choose("b")
	more := append([]Item{{ID: "k", Title: "Kiwi", Group: "New"}}, items()...)
	if l.Set(more); chosen(l) != "b" {
		t.Errorf("%q is chosen", chosen(l))
	}
	l.Set(append(more[:4:4], more[5:]...)) // without b
	if got := chosen(l); got != "m" {
		t.Errorf("%q is chosen after the chosen one was removed", got)
	}
	l.Set(nil)
	if _, ok := l.Chosen(); ok {
		t.Error("an entry of none is chosen")
	}
	press(l, "down up pgdown end enter ctrl+x ctrl+x esc")
	if l.Set(items()); chosen(l) != "a" {
		t.Errorf("%q is chosen at first", chosen(l))
	}
	l.Choose("-")
	if chosen(l) != "a" {
		t.Errorf("%q is chosen", chosen(l))
	}
}

func TestGolden(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		var b strings.Builder
		show := func(what string, l *List) {
			fmt.Fprintf(&b, "== %s\n%s\n", what, strings.Join(lines(l.Rows(width, 16)), "\n"))
		}
		l := fruit()
		show("at first", l)
		press(l, "down ctrl+x")
		show("armed", l)
		press(l, "ctrl+r")
		show("renaming", l)
		press(l, "esc")
		typed(l, "an")
		l.View = "all"
		show("filtered", l)
		typed(l, "zz")
		show("nothing fits", l)
		empty := New(l.Config)
		show("empty", empty)
		empty.Loading = "asking 3 providers…"
		show("loading", empty)
		empty.Loading, empty.Problems = "", []string{"The list of sessions cannot be read: permission denied. Run sidestick doctor."}
		show("failed", empty)
		golden.Text(t, fmt.Sprintf("list-%d", width), b.String())
	}
}

// The chosen entry is seen, whatever the height.
func TestTheChosenEntryIsSeen(t *testing.T) {
	l := fruit()
	var many []Item
	for i := range 100 {
		many = append(many, Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("entry %d.", i), Group: fmt.Sprintf("group %d", i/7)})
	}
	l.Set(many)
	for _, keys := range []string{"", "pgdown", "down", "end", "up up up up up up up up up up up up up", "home", "pgdown pgdown pgup"} {
		press(l, keys)
		it, _ := l.Chosen()
		for _, size := range [][2]int{{80, 24}, {30, 6}, {120, 9}} {
			if all := strings.Join(lines(l.Rows(size[0], size[1])), "\n"); !strings.Contains(all, "› "+it.Title) {
				t.Errorf("after %q, %s is not seen at %v:\n%s", keys, it.Title, size, all)
			}
		}
	}
}

// The preview scrolls, and begins at its top for another entry.
func TestPreview(t *testing.T) {
	l := fruit()
	l.Preview = func(id string, _ int) []row.Row {
		var rows []row.Row
		for i := range 50 {
			rows = append(rows, row.Text(fmt.Sprintf("%s %d.", id, i)))
		}
		return rows
	}
	see := func(want string, is bool) {
		t.Helper()
		if all := strings.Join(lines(l.Rows(120, 20)), "\n"); strings.Contains(all, want) != is {
			t.Errorf("%q is seen: %v, want %v\n%s", want, !is, is, all)
		}
	}
	see("a 0.", true)
	press(l, "alt+down alt+down")
	see("a 1.", false)
	for range 100 {
		press(l, "alt+down")
		l.Rows(120, 20)
	}
	see("a 49.", true)
	press(l, "alt+up")
	see("a 49.", false)
	press(l, "down")
	see("p 0.", true)
}

// Whatever the keys and the sizes, there are as many rows as asked for, none is too wide, and the
// caret is on the screen.
func FuzzKeys(f *testing.F) {
	f.Add("an\x01\x02\x03", uint8(40), uint8(10))
	f.Add("\x05\x05\x07q\x00", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, keys string, width, height uint8) {
		l := fruit()
		names := []string{"enter", "esc", "down", "up", "pgdown", "ctrl+x", "end", "ctrl+r", "backspace", "alt+down", "ctrl+a", "tab"}
		for i, c := range keys {
			switch {
			case int(c) < len(names):
				l.Key(key(names[c]))
			case c == 12:
				l.Set(items()[:i%5])
			case c == 13:
				l.Problems = append(l.Problems, "something has failed")
			case c == 14:
				l.Paste("a\nb 漢")
			default:
				l.Key(input.Key{Name: string(c), Text: string(c)})
			}
			w, h := max(int(width)-i, 1), max(int(height)/(1+i%3), 1)
			rows := l.Rows(w, h)
			if len(rows) != max(h, 4) {
				t.Fatalf("%d rows, want %d", len(rows), max(h, 4))
			}
			for _, r := range rows {
				if r.Width() > max(w, 10) {
					t.Fatalf("at %d a row of %d columns: %q", w, r.Width(), r)
				}
			}
			if y, x := l.Cursor(w, h); y < 0 || y >= len(rows) || x < 0 || x >= max(w, 10) {
				t.Fatalf("the caret is at %d, %d of %dx%d", y, x, w, h)
			}
		}
	})
}

// manySessions is a list of 10,000 entries.
func manySessions() *List {
	l := fruit()
	many := make([]Item, 10_000)
	for i := range many {
		many[i] = Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("session about the thing %d", i), Columns: []string{"3 d"}}
	}
	l.Set(many)
	return l
}

// BenchmarkFilter is a letter of a filter, and its removal.
func BenchmarkFilter(b *testing.B) {
	l := manySessions()
	for b.Loop() {
		l.Key(key("t"))
		l.Rows(120, 40)
		l.Key(key("backspace"))
	}
}

func BenchmarkMove(b *testing.B) {
	l := manySessions()
	for b.Loop() {
		l.Key(key("end"))
		l.Rows(120, 40)
		l.Key(key("home"))
		l.Rows(120, 40)
	}
}

// Every key of the table does something in a list that has all actions.
func TestEveryKeyOfTheTable(t *testing.T) {
	for _, a := range keymap.Default().Actions() {
		for _, k := range a.Keys {
			if a.Focus != keymap.List {
				continue
			}
			l := fruit()
			for _, name := range []string{keymap.ListToggle, keymap.ListSend, keymap.ListMoveUp, keymap.ListMoveDown} {
				l.Actions = append(l.Actions, Action{Name: name, Text: "do"})
			}
			l.Preview = func(string, int) (rows []row.Row) {
				for i := range 100 {
					rows = append(rows, row.Text(fmt.Sprint(i)))
				}
				return rows
			}
			press(l, "alt+down down alt+down")
			before := fmt.Sprint(l.Rows(120, 24))
			l.Rows(120, 24)
			if press(l, k).Action == "" && fmt.Sprint(l.Rows(120, 24)) == before {
				t.Errorf("%s of %s does nothing", k, a.Name)
			}
		}
	}
}
