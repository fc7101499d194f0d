package question

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// entry is a question that waits, and what the user has done with it so far.
type entry struct {
	q       *question.Question
	keys    *keymap.Table
	shown   time.Time // when it was first painted as the first of the queue; zero: not yet at this size
	width   int       // that it was painted with
	focused bool      // it has the keys until it is answered or left
	later   bool      // the user has left it: it has the keys again after Tab
	choice  int       // the option that is marked, -1 for none
	chosen  bool      // the user has marked it
	marked  time.Time // when
	writing bool      // the text field of the marked option has the keys
	offered bool      // its text field was painted since
	fields  map[int]*composer.Composer
	form    *form
	note    string // about the last key

	top  int  // the first row of the details that is shown
	page int  // rows of details that are shown
	read int  // rows of the details that were shown, from the first one on
	seen bool // all of them were shown
	laid laid
	// round is that of the rows that read counts, and small says that the question had no room when
	// it was painted last.
	round int
	small bool

	burst   string // text of keys that came shortly after each other
	burstAt time.Time
}

func newEntry(q *question.Question, keys *keymap.Table) *entry {
	e := &entry{q: q, keys: keys, choice: q.Default(), fields: map[int]*composer.Composer{}}
	if q.Kind == question.Form {
		e.form = newForm(q, keys)
	}
	e.writing = e.onlyWords()
	return e
}

// onlyWords reports whether the question has no answer but words.
func (e *entry) onlyWords() bool { return len(e.q.Options) == 1 && e.q.Own() == 0 }

// reset marks the option that was marked at first.
func (e *entry) reset() {
	e.choice, e.chosen, e.writing = e.q.Default(), false, e.onlyWords()
}

// field is the text field of the marked option.
func (e *entry) field() *composer.Composer {
	if e.fields[e.choice] == nil {
		e.fields[e.choice] = &composer.Composer{Placeholder: e.q.Options[e.choice].Prompt, Keys: e.keys}
	}
	return e.fields[e.choice]
}

// words is what the user wrote with the marked option.
func (e *entry) words() string {
	if e.fields[e.choice] == nil {
		return ""
	}
	d := e.field().Draft()
	return d.Line()
}

// paste inserts text into the field that has the keys; false if none has.
func (e *entry) paste(text string) bool {
	switch {
	case e.form != nil:
		return e.form.paste(text)
	case e.writing:
		e.field().Paste(text)
		return true
	}
	return false
}
