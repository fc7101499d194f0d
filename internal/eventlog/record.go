package eventlog

import "github.com/sidestick-dev/sidestick/internal/wire"

// Record is one event, as readers get it.
type Record struct {
	// Pos is the position of a persisted record: 1 for the first of the session,
	// rising by 1. An ephemeral record has the position of the last persisted record
	// before it, 0 if there was none.
	Pos uint64
	// Ephemeral records were never stored and cannot be read again.
	Ephemeral bool
	// Kept ephemeral records also reach a reader that is far behind; see [Log.Emit].
	Kept bool
	// JSON is one event, a JSON object without a line feed. Several readers
	// share it, and none may modify it. It is nil when Delta is set.
	JSON []byte
	// Delta is a piece of a streaming answer, or several joined. The reader encodes
	// it, so that deltas without a reader are never encoded. It belongs to this reader
	// alone.
	Delta *wire.Delta
}

// AppendJSON appends the event to dst, whichever form it has.
func (r Record) AppendJSON(dst []byte) []byte {
	if r.Delta != nil {
		return r.Delta.AppendJSON(dst)
	}
	return append(dst, r.JSON...)
}

// before is the position of the last persisted record that comes before r.
func (r *Record) before() uint64 {
	if r.Ephemeral {
		return r.Pos
	}
	return r.Pos - 1
}

// size is how many bytes the record counts for in a queue.
func (r *Record) size() int {
	if r.Delta != nil {
		return len(r.Delta.Text)
	}
	return len(r.JSON)
}

// events is how many published events the record stands for.
func (r *Record) events() uint64 {
	if r.Delta != nil {
		return 1 + uint64(r.Delta.Joined)
	}
	return 1
}

// ownDelta is a delta with room for a short text beside it, so that the usual
// one, a word or two, is one allocation.
type ownDelta struct {
	wire.Delta
	text [32]byte
}

// newDelta returns a copy of d that owns its text, as [wire.Delta.Join] requires.
func newDelta(d *wire.Delta) *wire.Delta {
	own := &ownDelta{Delta: *d}
	own.Text = append(own.text[:0], d.Text...)
	return &own.Delta
}
