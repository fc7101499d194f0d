package list

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/tui/field"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Item is an entry. Its texts are shown as they are: package row replaces control characters, and
// the caller has made the rest harmless.
type Item struct {
	ID      string    // the entry stays the same as long as its ID does; no two have the same
	Title   string    // one line
	Style   row.Style // of the title
	Mark    string    // a character before the title, such as ✓; "" for none
	Columns []string  // details, for the columns of [Config]
	Group   string    // the heading above; entries of one group are next to each other
	Search  string    // what the filter finds besides the title and the columns
	Fixed   bool      // it says something and cannot be chosen
	Enter   string    // what the key Enter does with it, if that differs from [Config]
}

// Column says how the details at one index of all items are shown. The first columns are the most
// important ones: the last are left out first where the terminal is narrow.
type Column struct {
	Right bool // aligned to the right, as numbers are
	Dim   bool
	Most  int // the most columns of the terminal that it takes, 0 for any number
	// Front marks paths: where the column has to be narrow, their begin is left out.
	Front bool
}

// Action is something that the user can do with an entry besides choosing it.
type Action struct {
	Name  string // of keymap, such as keymap.ListDelete
	Text  string // what the footer says: "delete"
	Twice bool   // the key has to be pressed twice
	Ask   string // the question before a text that the user types, such as "new title"; "" for no text
	All   bool   // it is about no single entry
}

// Config is what does not change while a list is open.
type Config struct {
	Title   string
	Enter   string // what the key Enter does, in one word; "" for "choose"
	Empty   string // what is said without any entry, and what the user can do then
	Columns []Column
	Actions []Action
	// Preview makes the rows about an entry, at most width columns wide. nil: there is no preview.
	Preview func(id string, width int) []row.Row
	// Path is who takes keys, the innermost first; nil for List, Global.
	Path []keymap.Focus
	Keys *keymap.Table // the user's; nil for keymap.Default()
}

// List is the entries and which one is chosen. [New] makes one.
type List struct {
	Config
	View    string  // what is listed, behind the title, such as "this folder"; "" for nothing
	Loading string  // what is waited for, "" for nothing
	About   string  // what is to be known of all entries, above them; "" for nothing
	Note    row.Row // in the footer
	// Problems are what has failed, in whole sentences, above the entries.
	Problems []string

	items   []Item
	shown   []entry // what fits the filter, in the order of the screen
	chosen  int     // the index in shown, -1 if there is nothing to choose
	first   int     // the entry in the first row
	room    int     // the rows of entries when it was shown last
	filter  field.Field
	scroll  int    // rows of the preview that are above it
	armed   string // the action whose key was pressed once
	asking  *Action
	answer  field.Field
	widths  []int // of the columns, over all items
	longest int   // the width of the longest title, with what is before it
	full    int   // how many entries there are without a filter
	preview previewed
}

// previewed is the rows of the preview that were made last.
type previewed struct {
	id    string
	width int
	rows  []row.Row
}

// New returns a list of no entries.
func New(c Config) *List {
	if c.Keys == nil {
		c.Keys = keymap.Default()
	}
	if c.Path == nil {
		c.Path = []keymap.Focus{keymap.List, keymap.Global}
	}
	return &List{Config: c, chosen: -1, room: 10}
}

// Set replaces the entries. The one that was chosen stays chosen; if it is not there any more,
// the one in its row is.
func (l *List) Set(items []Item) {
	was, _ := l.Chosen()
	l.items = items
	l.preview = previewed{}
	l.measure()
	l.refilter()
	l.Choose(was.ID)
}

// measure finds out the widths of the columns.
func (l *List) measure() {
	l.widths, l.longest = nil, 0
	for _, it := range l.items {
		if !it.Fixed {
			lead := 2
			if it.Mark != "" {
				lead += row.Width(it.Mark) + 1
			}
			l.longest = max(l.longest, lead+row.Width(it.Title))
		}
		for i, text := range it.Columns {
			for len(l.widths) <= i {
				l.widths = append(l.widths, 0)
			}
			l.widths[i] = max(l.widths[i], row.Width(text))
		}
	}
}

// Refresh makes the preview again when it is shown next: what it is made of has changed.
func (l *List) Refresh() { l.preview = previewed{} }

// Items are the entries that were set last.
func (l *List) Items() []Item { return l.items }

// Chosen is the entry that is chosen; ok is false if there is none.
func (l *List) Chosen() (Item, bool) {
	if l.chosen < 0 || l.chosen >= len(l.shown) {
		return Item{}, false
	}
	return l.items[l.shown[l.chosen].item], true
}

// Choose chooses the entry with that ID, if it is shown.
func (l *List) Choose(id string) {
	i := slices.IndexFunc(l.shown, func(e entry) bool { return e.item >= 0 && l.items[e.item].ID == id })
	if i >= 0 && !l.items[l.shown[i].item].Fixed {
		l.at(i)
	}
}

// Filter is what the user has typed.
func (l *List) Filter() string { return l.filter.Text() }

// at chooses the entry at an index of shown.
func (l *List) at(i int) {
	if i != l.chosen {
		l.scroll = 0
	}
	l.chosen = i
}

// refilter finds the entries that fit, and chooses the nearest that can be chosen.
func (l *List) refilter() {
	l.shown = l.fitting()
	if l.filter.Text() == "" {
		l.full = len(l.shown)
	}
	i := l.near(min(max(l.chosen, 0), len(l.shown)-1), 1)
	if i < 0 {
		i = l.near(len(l.shown)-1, -1)
	}
	l.at(i)
}

// near is the first entry from i on that can be chosen, -1 if there is none.
func (l *List) near(i, step int) int {
	for ; i >= 0 && i < len(l.shown); i += step {
		if e := l.shown[i]; e.item >= 0 && !l.items[e.item].Fixed {
			return i
		}
	}
	return -1
}

// move chooses the entry n rows further down, or up, and stops at the ends.
func (l *List) move(n int) {
	step := 1
	if n < 0 {
		step = -1
	}
	at := min(max(l.chosen+n, 0), len(l.shown)-1)
	i := l.near(at, step)
	if i < 0 {
		i = l.near(at, -step)
	}
	if i < 0 || n > 0 && i < l.chosen || n < 0 && i > l.chosen && l.chosen >= 0 {
		i = l.chosen
	}
	l.at(i)
}
