package question

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// foot is the last row of a question: the keys, or how to get to them.
func (q *Queue) foot(e *entry, now time.Time) row.Row {
	t := q.turn(e, q.last, now)
	if t == box && (q.Draft || e.later || now.Sub(e.shown) >= Settle) {
		return row.Of(e.keys.Key(keymap.Queue)+" to answer", row.Warning|row.Bold).And("  (the keys go to the input box)", row.Dim)
	}
	switch {
	case e.form != nil:
		return e.form.foot()
	case e.writing:
		return hints(e.keys, hint{"send", keymap.QuestionChoose}, hint{"back", keymap.QuestionLater})
	case e.chosen && e.choice >= 0:
		text := "give this answer: " + timeline.OneLine(e.q.Options[e.choice].Text, 40)
		return hints(e.keys, hint{text, keymap.QuestionChoose}).With(row.Bold)
	}
	list := []hint{{"mark an answer", keymap.QuestionDown}, {"give it", keymap.QuestionChoose}}
	if len(e.q.Details) > 0 {
		list = append(list, hint{"all of it", keymap.QuestionWhole})
	}
	return hints(e.keys, append(list, hint{"later", keymap.QuestionLater})...)
}

// hint is what an action does, in few words.
type hint struct{ text, action string }

// hints is what keys do, from the left: a row at the right edge would leave debris when the window
// gets narrower.
func hints(keys *keymap.Table, list ...hint) (r row.Row) {
	for _, h := range list {
		key := keys.Key(h.action)
		if key == "" {
			continue
		}
		if len(r) > 0 {
			r = r.And("  ", row.Plain)
		}
		r = r.And(key+" ", row.Accent).And(h.text, row.Dim)
	}
	return r
}
