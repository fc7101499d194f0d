package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	ask "github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/question"
)

// questions are the questions of the session, and what happens with their answers.
type questions struct {
	question.Queue
	rows     span                     // where the last live rows have the question
	arrivals []*arrival               // questions that are being made, in the order of their events
	takers   map[*ask.Question]answer // what takes the answer, for each question of the queue
	printed  map[string]string        // the end of the output of the calls that run, by id
	// correction is what the user wrote with a denial that ends the run: the next message.
	correction string
}

// span is rows from one index up to another.
type span struct{ from, to int }

// answer takes the answer to a question.
type answer func(a ask.Answer)

// arrival keeps the place of a question while the question is made beside the loop, so that
// questions are shown in the order of their events.
type arrival struct {
	id   string // of the request
	over bool   // the request needs no answer any more
	show func() // nil: the question is not made yet
}

// arrives keeps a place for the question of a request.
func (q *questions) arrives(id string) *arrival {
	a := &arrival{id: id}
	q.arrivals = append(q.arrivals, a)
	return a
}

// made gives an arrival the function that shows its question, and shows the questions whose turn has
// come.
func (q *questions) made(a *arrival, show func()) {
	a.show = show
	for len(q.arrivals) > 0 && q.arrivals[0].show != nil {
		first := q.arrivals[0]
		q.arrivals = slices.Delete(q.arrivals, 0, 1)
		if !first.over {
			first.show()
		}
	}
}

// add shows a question; then takes its answer.
func (q *questions) add(asked *ask.Question, then answer) {
	if q.takers == nil {
		q.takers = map[*ask.Question]answer{}
	}
	q.takers[asked] = then
	q.Add(asked)
}

// taker removes what takes the answer of a question, and returns it; nil if nothing does any more.
func (q *questions) taker(asked *ask.Question) answer {
	then := q.takers[asked]
	delete(q.takers, asked)
	return then
}

// settle returns the question of a request that needs no answer any more. A question that is still
// being made will not be shown; nil then.
func (q *questions) settle(id string) *ask.Question {
	for _, a := range q.arrivals {
		a.over = a.over || id != "" && a.id == id
	}
	return q.Find(id)
}

// forget removes all questions, without a notice: the session was left.
func (q *questions) forget() {
	for asked := range q.takers {
		q.Withdraw(asked, time.Now())
	}
	clear(q.takers)
	q.arrivals, q.printed, q.correction = nil, nil, ""
}

// maxPrinted bounds the output of a call that is remembered, in bytes, and maxCalls the calls.
const maxPrinted, maxCalls = 2 << 10, 100

// remember keeps the end of the output of calls, which a question about a second run shows.
func (q *questions) remember(e follow.Event) {
	switch e.Type {
	case "tool.execution_partial_result":
		before, known := q.printed[e.Row.Call]
		if !known && len(q.printed) >= maxCalls {
			return
		}
		if q.printed == nil {
			q.printed = map[string]string{}
		}
		text := before + e.Row.Body
		q.printed[e.Row.Call] = strings.ToValidUTF8(text[max(len(text)-maxPrinted, 0):], "")
	case "tool.execution_complete":
		delete(q.printed, e.Row.Call)
	case "session.idle":
		if e.AgentID == "" { // calls that were interrupted have no completion
			clear(q.printed)
		}
	}
}
