package question

import (
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Queue is the questions that wait for the user, in the order of their arrival. The first one is
// shown. Each keeps its scroll position and what was typed into it. The zero value is empty.
type Queue struct {
	// Draft says that the input box has text, and Completing that it shows completions, whose
	// key may be that of [keymap.Queue]. The caller keeps both up to date.
	Draft, Completing bool
	// Keys is the table of keys, nil for that of the program.
	Keys *keymap.Table

	entries []*entry
	made    sight     // of the last rows
	typed   time.Time // when the last key for the input box was pressed
	own     time.Time // when the last key for a question was pressed
	dropped time.Time // when the last key for nobody was pressed
	gone    time.Time // when a question with the keys was withdrawn
	called  bool      // the user has pressed a key since the last arrival
}

// Add appends a question.
func (q *Queue) Add(asked *question.Question) {
	q.entries = append(q.entries, newEntry(asked, q.table()))
	q.called = false
}

// table is the table of keys.
func (q *Queue) table() *keymap.Table {
	if q.Keys == nil {
		return keymap.Default()
	}
	return q.Keys
}

// Withdraw removes a question that no longer needs an answer. It reports false if the queue does
// not have it. note is a line for the user. If the question had the keys, those that come within
// [Settle] are dropped: they were meant for it.
func (q *Queue) Withdraw(asked *question.Question, now time.Time) (note string, ok bool) {
	i := slices.IndexFunc(q.entries, func(e *entry) bool { return e.q == asked })
	if i < 0 {
		return "", false
	}
	if i == 0 && q.entries[0].focused {
		q.gone, q.own = now, now
	}
	q.remove(i)
	return "the question no longer needs an answer: " + asked.Short(), true
}

func (q *Queue) remove(i int) { q.entries = slices.Delete(q.entries, i, i+1) }

// answered removes the first question.
func (q *Queue) answered(e *entry, a question.Answer) Result {
	q.remove(0)
	return Result{Taken: true, Answered: e.q, Answer: a}
}

// Find is the question with an id, nil if the queue does not have it.
func (q *Queue) Find(id string) *question.Question {
	for _, e := range q.entries {
		if e.q.ID == id && id != "" {
			return e.q
		}
	}
	return nil
}

// Len is the number of questions that wait.
func (q *Queue) Len() int { return len(q.entries) }

// WantsAttention reports whether a question waits that the user may not have noticed: no key was
// pressed since it arrived. The caller rings if the window does
// not have the focus.
func (q *Queue) WantsAttention() bool { return len(q.entries) > 0 && !q.called }

// front is the question that is shown, nil for none.
func (q *Queue) front() *entry {
	if len(q.entries) == 0 {
		return nil
	}
	return q.entries[0]
}
