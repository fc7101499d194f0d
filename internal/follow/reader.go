package follow

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Event is one event of a session.
type Event struct {
	wire.Event
	// Line is the event as JSON, without a line feed.
	Line []byte
	// Row is the event in readable form.
	Row timeline.Row
	// Cwd is the working directory of the session at that time.
	Cwd string
	// Missed reports that ephemeral events before this one were dropped, because the tail
	// was read too slowly.
	Missed bool
	// Explained is what the user reads of a failed run: what has failed, and what the user can do. If it
	// is "", the message of the event says it. A Reader leaves it empty.
	Explained string
}

// Get returns a field of the event's data; nil if there is none.
func (e Event) Get(name string) wire.Raw { return wire.Raw(e.Data).Get(name) }

// tail is the part of [eventlog.Tail] that a Reader uses.
type tail interface {
	Records(ctx context.Context) iter.Seq2[eventlog.Record, error]
	Missed() uint64
}

var _ tail = (*eventlog.Tail)(nil)

// Reader reads the events of one tail. Only one goroutine may use it at a time.
type Reader struct {
	tail   tail
	rows   timeline.Reader
	missed uint64 // dropped events that an Event has reported
}

// NewReader reads t from its current position.
func NewReader(t *eventlog.Tail) *Reader { return &Reader{tail: t} }

// Events yields the events after those already yielded, and waits for more. The last pair
// carries the reason for stopping: an error of [eventlog.Tail.Records], or an event that
// cannot be parsed. A caller that leaves the loop can call Events again.
func (r *Reader) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for rec, err := range r.tail.Records(ctx) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			e, err := r.event(rec)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (r *Reader) event(rec eventlog.Record) (Event, error) {
	line := rec.AppendJSON(nil)
	parsed, err := wire.ParseEvent(line)
	if err != nil {
		return Event{}, err
	}
	e := Event{Event: parsed, Line: line, Row: r.rows.Add(parsed), Cwd: r.rows.Cwd()}
	if n := r.tail.Missed(); n != r.missed {
		r.missed, e.Missed = n, true
	}
	return e, nil
}
