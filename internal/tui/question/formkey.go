package question

import (
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// fill is a key of a form.
func (q *Queue) fill(e *entry, k input.Key, action string, now time.Time) Result {
	f := e.form
	if f.review != nil {
		return q.reviewed(e, k, action, now)
	}
	d := f.here()
	switch {
	case d != nil && d.text != nil && q.writeField(e, d, k, action):
	case action == keymap.QuestionChoose:
		return q.enterField(e)
	case action == keymap.QuestionUp:
		f.to(f.at - 1)
	case action == keymap.QuestionDown:
		f.to(f.at + 1)
	case action == keymap.QuestionNext:
		f.nextField(1)
	case action == keymap.QuestionPrevious:
		f.nextField(-1)
	case action == keymap.QuestionPageUp:
		f.to(f.at - max(e.page, 1))
	case action == keymap.QuestionPageDown:
		f.to(f.at + max(e.page, 1))
	case action == keymap.QuestionWhole && !text(k):
		return Result{Taken: true, Whole: true}
	case d != nil && d.text == nil:
		if !f.choose(d, k, action) && text(k) {
			e.note = e.arrows() + " move, " + e.keys.Key(keymap.QuestionToggle) + " chooses"
		}
	}
	return Result{Taken: true}
}

// writeField gives a key to a text field; false if the key moves to another one.
func (q *Queue) writeField(e *entry, d *field, k input.Key, action string) bool {
	if d.text.Focus()[0] != keymap.Completion {
		switch action {
		case keymap.QuestionChoose, keymap.QuestionNext, keymap.QuestionPrevious:
			return false
		case keymap.QuestionUp, keymap.QuestionDown:
			if e.row(d.text) {
				return false
			}
		case keymap.QuestionWhole:
			if !text(k) {
				return false
			}
		}
	}
	d.text.Key(k)
	return true
}

// choose is a key at a choice; false if it means nothing there.
func (f *form) choose(d *field, k input.Key, action string) bool {
	n, err := strconv.Atoi(k.Text)
	switch {
	case action == keymap.QuestionToggle:
		d.pick(f.stops[f.at].choice)
	case err == nil && n >= 1 && n <= len(d.choices):
		d.pick(n - 1)
	case d.Type == "boolean" && (action == keymap.QuestionYes || action == keymap.QuestionNo):
		clear(d.picked)
		d.picked[map[string]int{keymap.QuestionYes: 0, keymap.QuestionNo: 1}[action]] = true
	default:
		return false
	}
	return true
}

// enterField picks the marked choice, and goes to the next field or out of the form.
func (q *Queue) enterField(e *entry) Result {
	f := e.form
	s, d := f.stops[f.at], f.here()
	switch {
	case d != nil:
		if d.text == nil && d.Type != "array" && !d.picked[s.choice] {
			d.pick(s.choice)
		}
		f.nextField(1)
	case s.choice == toDecline:
		return q.answered(e, question.Declined())
	default:
		e.openReview()
	}
	return Result{Taken: true}
}

// openReview shows what would be sent, or what has to be mended first.
func (e *entry) openReview() {
	f := e.form
	a, bad, err := f.answer(e.q)
	if err == nil {
		var filled []question.Filled
		for _, d := range f.fields {
			filled = append(filled, question.Filled{Name: question.Label(d.Field), Value: d.shown()})
		}
		f.review = newEntry(e.q.Review(a, filled), e.keys)
		return
	}
	e.note = question.Problem(err)
	for _, d := range f.fields {
		d.left = true
	}
	for at, s := range f.stops {
		if s.field == bad {
			f.at = at
			return
		}
	}
}

// reviewed is a key of the review of a form.
func (q *Queue) reviewed(e *entry, k input.Key, action string, now time.Time) Result {
	r := e.form.review
	if action == keymap.QuestionChoose && r.choice == r.q.Default() {
		e.form.review = nil // change something
		return Result{Taken: true}
	}
	done := q.press(r, k, now)
	if done.Answered != nil {
		done.Answered = e.q
	}
	if done.Typed != "" {
		e.focused = false
	}
	return done
}
