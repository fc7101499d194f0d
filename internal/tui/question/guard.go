package question

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// The times of the guard. A key that was pressed before the user can have read the question, or
// while the user was typing, was meant for something else.
const (
	// Settle is how long a question takes no key after it was first shown.
	Settle = 500 * time.Millisecond
	// Quiet is how long no key may have been pressed before a question takes the keys by itself.
	Quiet = time.Second
	// series is how soon a question has to be shown after a key for the one before, so that the user
	// is taken to answer one after the other.
	series = 2 * time.Second
	// held is the longest time between two keys of one that is held down. Source: keyboards repeat
	// a key 10 to 30 times a second.
	held = 150 * time.Millisecond
	// apart is the least time between the mark of a yes and its Enter. Keys that come sooner were not
	// pressed one after the other by a person who has looked at the mark.
	apart = 150 * time.Millisecond
)

// Result is what a key has done.
type Result struct {
	// Taken means that the key was the question's. Otherwise it belongs to the input box.
	Taken bool
	// Answered is the question that the key has answered, and Answer the answer; nil for none. The
	// queue no longer has the question.
	Answered *question.Question
	Answer   question.Answer
	// Whole means that the user wants to read all of the question in the pager: see [Queue.Whole].
	Whole bool
	// Typed is text that was typed at the question and belongs into the input box; "" for none.
	Typed string
}

// turn says whose a key is.
type turn uint8

const (
	box       turn = iota // the input box has the keys
	nobodys               // the key is dropped
	questions             // the question has the keys
)

// turn says whose a key is at a time.
func (q *Queue) turn(now time.Time) turn {
	e := q.front()
	switch {
	case !q.gone.IsZero() && now.Sub(q.gone) < Settle:
		return nobodys
	case e == nil:
		return box
	case e.focused && !e.settled(now): // after a change of the size
		return questions
	case !e.settled(now), q.answering(e) && now.Sub(q.dropped) < held:
		if q.answering(e) {
			return nobodys // the user cannot have read this question, and writes no message
		}
		return box
	case e.focused:
		return questions
	case e.later:
		return box
	case q.answering(e):
		return questions
	case q.Draft, now.Sub(q.typed) < Quiet:
		return box
	}
	return questions
}

// settled reports whether the question was shown long enough.
func (e *entry) settled(now time.Time) bool { return !e.shown.IsZero() && now.Sub(e.shown) >= Settle }

// answering reports whether the user answers one question after the other, and has come to this one.
func (q *Queue) answering(e *entry) bool {
	return q.own.After(q.typed) && (e.shown.IsZero() || e.shown.Sub(q.own) < series)
}

// Has reports whether the question that is shown takes the keys. It becomes true by itself at the
// time that [Queue.Wake] returns.
func (q *Queue) Has(now time.Time) bool { return q.turn(now) == questions }

// Wake is the next time at which the rows change without a key; zero for never.
func (q *Queue) Wake(now time.Time) time.Time {
	e := q.front()
	if e == nil || e.shown.IsZero() || !e.focused && !q.answering(e) && (e.later || q.Draft) {
		return time.Time{}
	}
	due := e.shown.Add(Settle)
	if at := q.typed.Add(Quiet); !q.answering(e) && !e.focused && at.After(due) {
		due = at
	}
	if !due.After(now) {
		return time.Time{}
	}
	return due
}

// Key gives a key to the question that is shown. The caller gives it every key first, also while
// no question waits, and handles the key itself if it was not taken.
func (q *Queue) Key(k input.Key, now time.Time) Result {
	e := q.front()
	if e != nil && !e.shown.IsZero() {
		q.called = true
	}
	if q.everywhere(k) {
		return Result{}
	}
	switch q.turn(now) {
	case nobodys:
		q.dropped = now
		return Result{Taken: true}
	case questions:
		e.focused, q.own = true, now
		r := q.press(e, k, now)
		if r.Typed != "" {
			q.typed = now
		}
		return r
	}
	if !q.movesTo(e, k) || !q.Focus(now) {
		q.typed = now
		return Result{}
	}
	return Result{Taken: true}
}

// Focus gives the keys to the question that is shown, as the key of [keymap.Queue] does. It reports
// false if no question waits, or not long enough.
func (q *Queue) Focus(now time.Time) bool {
	e := q.front()
	if e == nil || !e.settled(now) {
		return false
	}
	e.focused, e.later, q.own = true, false, now
	return true
}

// Typed says that the user types text into the input box. It reports false if each key has to be given
// to [Queue.Key] instead, because a question waits, or one with the keys was withdrawn.
func (q *Queue) Typed(now time.Time) bool {
	if len(q.entries) > 0 || q.turn(now) != box {
		return false
	}
	q.typed = now
	return true
}

// movesTo reports whether a key of the input box is the one that moves to the question.
func (q *Queue) movesTo(e *entry, k input.Key) bool {
	if e == nil || q.Completing {
		return false
	}
	a, _ := e.keys.Lookup([]keymap.Focus{keymap.Editor}, k.Name)
	return a.Name == keymap.Queue
}

// Paste gives pasted text to the field of the question that is shown. It reports false if the text
// belongs to the input box.
func (q *Queue) Paste(text string, now time.Time) bool {
	if q.turn(now) != questions {
		q.typed = now
		return false
	}
	e := q.front()
	e.focused, q.own, q.called = e.paste(text), now, true
	if !e.focused {
		q.typed = now
	}
	return e.focused // without a field, the text goes to the input box, and the question waits
}

// everywhere reports whether a key works wherever the user is, and so never belongs to a question.
func (q *Queue) everywhere(k input.Key) bool {
	_, ok := q.table().Lookup([]keymap.Focus{keymap.Global}, k.Name)
	return ok
}
