package follow

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Overlap recognizes events that come twice: once with the log, and again as they happen, because a
// run wrote them while the log was read. The zero value knows no log.
type Overlap struct {
	read map[string]bool // the ids of the last records; nil once a newer event has come
	last string          // the id of the last record
}

// maxOverlap is how many events are remembered at least. A session writes fewer while its log is
// read.
const maxOverlap = 1024

// Read yields records, and remembers the last ones.
func (o *Overlap) Read(records iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
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

// Has reports whether the log that was read has an event. The events are given in their order.
// Pieces of a message are not in the log: each is as old as the event before it.
func (o *Overlap) Has(e *wire.Event) bool {
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
