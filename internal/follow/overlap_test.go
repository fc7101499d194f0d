package follow

import (
	"iter"
	"strconv"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func records(n int) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for i := range n {
			if !yield(*stored(i), nil) {
				return
			}
		}
	}
}

func stored(i int) *wire.Event { return &wire.Event{Header: wire.Header{ID: strconv.Itoa(i)}} }

func piece(after int) *wire.Event {
	return &wire.Event{Header: wire.Header{ID: "piece", ParentID: strconv.Itoa(after), Ephemeral: true}}
}

// Events that were in the log already when the session was entered are shown once.
func TestOverlap(t *testing.T) {
	for _, read := range []int{5, maxOverlap, maxOverlap + 3, 3*maxOverlap + 1} {
		var o Overlap
		for range o.Read(records(read)) {
		}
		last := read - 1
		for _, tc := range []struct {
			event *wire.Event
			has   bool
		}{
			{stored(last - 2), true},
			{piece(last - 2), true},
			{stored(last - 1), true},
			{stored(last), true},
			{piece(last), false},
			{stored(last + 1), false},
			{piece(last + 1), false},
			{piece(last), false},
			{stored(last + 2), false},
		} {
			if got := o.Has(tc.event); got != tc.has {
				t.Errorf("%d read: %s (parent %q): has = %v", read, tc.event.ID, tc.event.ParentID, got)
			}
		}
	}
}

// A new session has no log that was read.
func TestNoOverlap(t *testing.T) {
	var o Overlap
	if o.Has(stored(1)) || o.Has(piece(1)) {
		t.Error("an event of a new session counts as read")
	}
}
