package question

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// foot is the last row of a question: the keys, or how to get to them.
func (q *Queue) foot(e *entry, width int, now time.Time) row.Row {
	if q.turn(now) == box && (q.Draft || e.later || e.settled(now)) {
		r := row.Of(e.keys.Key(keymap.Queue)+" to answer", row.Warning|row.Bold)
		if more := r.And("  (keys go to the input box)", row.Dim); more.Width() <= width {
			r = more
		}
		return r
	}
	if e.form != nil && e.form.review != nil {
		e = e.form.review
	}
	send := hint{"send", []string{keymap.QuestionChoose}}
	back := hint{"back", []string{keymap.QuestionLater}}
	switch {
	case e.form != nil:
		return e.form.foot(e, width)
	case e.onlyWords():
		return hints(e.keys, width, send, later)
	case e.writing:
		return hints(e.keys, width, send, back)
	case e.chosen && e.choice >= 0:
		return hints(e.keys, width, hint{timeline.OneLine(e.q.Options[e.choice].Text, width/2), send.actions}, back)
	}
	list := []hint{{"mark", []string{keymap.QuestionUp, keymap.QuestionDown}}, {"answer", send.actions}}
	if len(e.q.Details) > 0 {
		list = append(list, hint{"all of it", []string{keymap.QuestionWhole}})
	}
	return hints(e.keys, width, append(list, later)...)
}

// hint is what actions do, in few words.
type hint struct {
	text    string
	actions []string
}

// later is the hint how to leave a question.
var later = hint{"later", []string{keymap.QuestionLater}}

// hints is what keys do, from the left: a row at the right edge would leave debris when the window
// gets narrower. Those without room are left out.
func hints(keys *keymap.Table, width int, list ...hint) (r row.Row) {
	for _, h := range list {
		key := ""
		for _, action := range h.actions {
			label := keys.Key(action)
			if key != "" && row.Width(key)+row.Width(label) > 2 { // arrows need nothing between them
				key += " "
			}
			key += label
		}
		if key == "" {
			continue
		}
		next := r
		if len(r) > 0 {
			next = next.And("  ", row.Plain)
		}
		next = next.And(key+" ", row.Accent).And(h.text, row.Dim)
		if next.Width() > width {
			break
		}
		r = next
	}
	return r
}
