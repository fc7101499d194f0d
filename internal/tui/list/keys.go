package list

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Outcome is what the caller has to do after a key. The zero value is nothing but to show the
// rows again.
type Outcome struct {
	// Action is keymap.ListChoose, keymap.ListClose, keymap.ListWhole, which asks for the whole
	// preview in the pager, or one of the actions of [Config].
	Action string
	Item   Item   // the entry that was chosen then; the zero value if there is none
	Text   string // what the user has typed, for an action that asks for a text
}

// Key does what a key means. Text filters the entries.
func (l *List) Key(k input.Key) Outcome {
	if l.asking != nil {
		return l.typed(k)
	}
	armed := l.armed
	l.armed = ""
	a, ok := l.Keys.Lookup(l.Path, k.Name)
	if !ok {
		if before := l.filter.Text(); l.filter.Key(k) && l.filter.Text() != before {
			l.filtered()
		}
		return Outcome{}
	}
	switch a.Name {
	case keymap.ListChoose, keymap.ListWhole:
		if it, ok := l.Chosen(); ok && (l.Preview != nil || a.Name == keymap.ListChoose) {
			return Outcome{Action: a.Name, Item: it}
		}
	case keymap.Cancel:
		return Outcome{Action: keymap.ListClose}
	case keymap.ListClose:
		if l.filter.Text() == "" {
			return Outcome{Action: a.Name}
		}
		l.filter.Set("")
		l.keep(l.refilter)
	default:
		if i := slices.IndexFunc(l.Actions, func(o Action) bool { return o.Name == a.Name }); i >= 0 {
			return l.act(&l.Actions[i], armed)
		}
		l.walk(a.Name)
	}
	return Outcome{}
}

// walk moves the choice or the preview.
func (l *List) walk(action string) {
	switch action {
	case keymap.ListUp:
		l.move(-1)
	case keymap.ListDown, keymap.HistoryOlder:
		l.move(1)
	case keymap.ListPageUp:
		l.move(-l.room)
	case keymap.ListPageDown:
		l.move(l.room)
	case keymap.ListFirst:
		l.move(-len(l.shown))
	case keymap.ListLast:
		l.move(len(l.shown))
	case keymap.ListPreviewUp:
		l.scroll = max(l.scroll-1, 0)
	case keymap.ListPreviewDown:
		l.scroll++ // Rows bounds it
	}
}

// act does an action of the list, or asks for what it needs first.
func (l *List) act(a *Action, armed string) Outcome {
	it, ok := l.Chosen()
	if !ok && !a.All {
		return Outcome{}
	}
	if a.Twice && armed != a.Name {
		l.armed = a.Name
		return Outcome{}
	}
	if a.Ask != "" {
		l.asking = a
		l.answer.Set(it.Title)
		return Outcome{}
	}
	return Outcome{Action: a.Name, Item: it}
}

// typed is a key while the user types a text.
func (l *List) typed(k input.Key) Outcome {
	switch k.Name {
	case "enter":
		it, _ := l.Chosen()
		o := Outcome{Action: l.asking.Name, Item: it, Text: l.answer.Text()}
		l.asking = nil
		return o
	case "esc", "ctrl+c":
		l.asking = nil
	default:
		l.answer.Key(k)
	}
	return Outcome{}
}

// Paste inserts text into the field that has the caret.
func (l *List) Paste(text string) {
	l.armed = ""
	if l.asking != nil {
		l.answer.Paste(text)
		return
	}
	l.filter.Paste(text)
	l.filtered()
}

// filtered chooses the best entry for a filter that has changed. Without one, the choice stays.
func (l *List) filtered() {
	if l.filter.Text() == "" {
		l.keep(l.refilter)
		return
	}
	l.refilter()
	l.move(-len(l.shown))
}

// keep changes the entries that are shown and chooses the same one again.
func (l *List) keep(change func()) {
	it, _ := l.Chosen()
	change()
	l.Choose(it.ID)
}
