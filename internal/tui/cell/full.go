package cell

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Transcript is the whole conversation, for the pager: nothing is folded, and outputs and commands
// are complete. Its items are cells, whose rows are made when they are asked for. It implements the
// Source of package pager.
type Transcript struct {
	conversation *Conversation
	reader       timeline.Reader
	cells        []cell // that are final
}

// Read makes the transcript of the events of the log, without those that were removed from the
// history. The error is that of the events; the transcript has what came before it.
func Read(events iter.Seq2[wire.Event, error]) (*Transcript, error) {
	t := &Transcript{conversation: New(Options{})}
	t.conversation.whole = true
	for e, err := range events {
		if err != nil {
			return t, err
		}
		t.Event(e)
	}
	return t, nil
}

// Event adds an event that has come since. It returns the first item that has changed.
func (t *Transcript) Event(e wire.Event) int {
	first := len(t.cells)
	t.conversation.Event(read(&t.reader, e), e.Time)
	q := &t.conversation.queue
	for len(q.cells) > 0 && q.cells[0].done() {
		t.cells, q.cells = append(t.cells, q.cells[0]), q.cells[1:]
	}
	return first
}

// read is an event as a follower gets it.
func read(r *timeline.Reader, e wire.Event) follow.Event {
	return follow.Event{Event: e, Row: r.Add(e), Cwd: r.Cwd()}
}

// Len is the number of items.
func (t *Transcript) Len() int { return len(t.cells) + len(t.conversation.queue.cells) }

// at is item i.
func (t *Transcript) at(i int) cell {
	if i < len(t.cells) {
		return t.cells[i]
	}
	return t.conversation.queue.cells[i-len(t.cells)]
}

// Rows makes the rows of item i. Code and output can be wider than width.
func (t *Transcript) Rows(i, width int) []row.Row {
	c := t.at(i)
	rows := c.live(scene{width: width, now: t.conversation.now, tail: liveTail})
	if i > 0 && len(rows) > 0 && !(c.tight() && t.at(i-1).tight()) {
		rows = append([]row.Row{nil}, rows...)
	}
	return rows
}

// Mark reports whether item i is a message of the user.
func (t *Transcript) Mark(i int) bool {
	_, ok := t.at(i).(*prompt)
	return ok
}

// Call is the item of a tool call, by its number; the last call for 0; -1 if there is none.
func (t *Transcript) Call(number int) int {
	for i := t.Len() - 1; i >= 0; i-- {
		if c, ok := t.at(i).(*call); ok && (c.number == number || number == 0) {
			return i
		}
	}
	return -1
}
