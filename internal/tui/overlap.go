package tui

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// overlap is the end of the log that was read when the session was entered. A run that was under
// way meanwhile has written events that come again as those that happen: they are shown once.
type overlap struct {
	read map[string]bool // ids; nil once an event has come that is not among them
	last string          // the id of the last one
}

// maxOverlap is how many events are remembered at least. A session writes fewer while its log is
// read.
const maxOverlap = 1024

// remember yields records, and remembers the last ones.
func (o *overlap) remember(records iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		older := map[string]bool{}
		o.read = map[string]bool{}
		defer func() {
			for id := range older {
				o.read[id] = true
			}
		}()
		for e, err := range records {
			if err == nil {
				if len(o.read) == maxOverlap {
					older, o.read = o.read, map[string]bool{}
				}
				o.read[e.ID], o.last = true, e.ID
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// shown reports whether an event was read with the log. Pieces of a message have no place in the
// log: they are as old as the event before them.
func (o *overlap) shown(e *wire.Event) bool {
	switch {
	case o.read == nil:
		return false
	case e.Ephemeral:
		return e.ParentID != o.last && o.read[e.ParentID]
	case o.read[e.ID]:
		return true
	}
	o.read = nil
	return false
}
