package question

import "time"

// sight is what rows of a question show to the user once they are painted.
type sight struct {
	front, entry *entry // the first question, and the one whose details are shown: a form's review
	width        int
	small        bool // the question had no room
	from, to, of int  // the rows of the details
	writing      bool // a text field has the keys
}

// Painted says that the terminal shows all rows of the last call of [Queue.Rows]. From then on the
// question takes keys, after [Settle], and these rows of the details have been seen.
func (q *Queue) Painted(now time.Time) {
	s := q.made
	if s.front == nil || s.front != q.front() {
		return
	}
	if s.front.shown.IsZero() || s.front.width != s.width {
		s.front.shown = now
	}
	s.front.width, s.front.offered = s.width, s.front.writing && s.writing
	s.entry.see(s)
}

// Resized says that the terminal has changed its size: what it shows of the question is not known
// until it was painted again.
func (q *Queue) Resized() {
	if e := q.front(); e != nil {
		e.shown = time.Time{}
	}
}

// Returned says that another program had the terminal until now. The first question is guarded like
// one that has just come: it takes no key before it was painted again and [Settle] and [Quiet] have
// passed. Only a text that the user was writing in it keeps the keys.
func (q *Queue) Returned(now time.Time) {
	q.Resized()
	if e := q.front(); e != nil {
		e.marked = now
		e.focused = e.focused && (e.writing || e.form != nil)
	}
	q.typed, q.own = now, time.Time{}
}

// see notes what was seen of the details: only rows that follow each other from the first one on.
func (e *entry) see(s sight) {
	if e.small = s.small; s.small {
		return
	}
	if e.round != e.laid.round {
		e.round, e.read = e.laid.round, 0
	}
	if s.from <= e.read {
		e.read = max(e.read, s.to)
	}
	e.seen = e.seen || e.read >= s.of
}
