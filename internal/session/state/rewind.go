package state

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The log stays append-only when history is removed: the removed events are still
// there, and everything that reads the history skips them. See docs/decisions/0012.

// Span is positions in a log, End not included.
type Span struct{ From, End uint64 }

// Spans are parts of a log that were removed, in no order.
type Spans []Span

// Hold reports whether a position lies in one of the spans.
func (s Spans) Hold(seq uint64) bool {
	return slices.ContainsFunc(s, func(cut Span) bool { return cut.From <= seq && seq < cut.End })
}

// Kept yields the records of a log that were not removed, and errors as they come.
func (s Spans) Kept(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	if len(s) == 0 {
		return records
	}
	return func(yield func(eventlog.Record, error) bool) {
		for rec, err := range records {
			if err == nil && s.Hold(rec.Pos) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// Cuts are the parts of the log that were removed from the history.
func (s *State) Cuts() Spans { return s.cuts }

// Torn reports whether the conversation still holds history that was removed: call
// [State.Rebuild].
func (s *State) Torn() bool { return len(s.torn) > 0 }

// rewind is a removal before it is known which part of the log it covers.
type rewind struct {
	wire.Truncation
	end uint64 // the position of the event that carries it
}

// truncate applies a removal, as far as that is possible without the log.
func (s *State) truncate(data wire.Raw) {
	t := rewind{end: s.Seq}
	if json.Unmarshal(data.Get(wire.FieldTruncated), &t.Truncation) == nil && t.EventID != "" {
		s.torn = append(slices.Clip(s.torn), t)
	}
}

// Rebuild is what the state is once the removed parts of the log have left its
// conversation. records returns the records of the whole log; it is called twice. s
// does not change, so Rebuild can run on another goroutine than that of the
// owner of s, which then adopts the result with [State.Adopt]. The error is that of reading.
func (s State) Rebuild(records func() iter.Seq2[eventlog.Record, error]) (Rebuilt, error) {
	at := map[string]uint64{}
	for _, t := range s.torn {
		at[t.EventID] = 0
	}
	if err := locate(at, records()); err != nil {
		return Rebuilt{}, err
	}
	cuts := find(s.cuts, s.torn, at)
	var left State
	for rec, err := range cuts.Kept(records()) {
		if err != nil {
			return Rebuilt{}, err
		}
		if rec.Pos > s.Seq {
			break
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			left.Apply(rec.Pos, e)
		}
	}
	return Rebuilt{seq: s.Seq, conversation: left.Conversation, cuts: cuts}, nil
}

// Rebuilt is a conversation without the removed parts of a log.
type Rebuilt struct {
	seq          uint64
	conversation Conversation
	cuts         Spans
}

// Adopt replaces the conversation by a rebuilt one. It reports false, and changes
// nothing, if events were applied since the rebuild began.
func (s *State) Adopt(r Rebuilt) bool {
	if r.seq != s.Seq {
		return false
	}
	s.Conversation, s.cuts, s.torn = r.conversation, r.cuts, nil
	s.Epoch++
	return true
}

// find returns all removed parts: cuts, and those of torn. Events are looked for by
// their ids, because positions move when a damaged log is repaired; if one is not there
// before the removal, its old position is used.
func find(cuts Spans, torn []rewind, at map[string]uint64) Spans {
	cuts = slices.Clip(cuts)
	for _, t := range torn {
		from := at[t.EventID]
		if from == 0 || from >= t.end {
			from = t.From
		}
		if from > 1 && from < t.end {
			cuts = append(cuts, Span{from, t.end})
		}
	}
	return cuts
}

// locate looks for events by their ids, which are the keys of at, and puts the first
// position of each into at. An id that is not found keeps its value.
func locate(at map[string]uint64, records iter.Seq2[eventlog.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		id := EventID(rec)
		if seq, wanted := at[id]; wanted && seq == 0 {
			at[id] = rec.Pos
		}
	}
	return nil
}

// EventID is the id of the event in a record, "" if it has none.
func EventID(rec eventlog.Record) string { return wire.Raw(rec.JSON).Get("id").Text() }

// ReadCuts returns the removed parts of a stored log without a session, and end, the
// position before which a copy of its history ends: that of the event until, or the one
// behind the last record if until is "". end is 0 if there is no such event, or it was
// removed. records is called twice.
func ReadCuts(until string, records func() iter.Seq2[eventlog.Record, error]) (cuts Spans, end uint64, err error) {
	var s State
	at := map[string]uint64{}
	for rec, err := range records() {
		if err != nil {
			return nil, 0, err
		}
		end = rec.Pos + 1
		if e, err := wire.ParseEvent(rec.JSON); err == nil && e.Type == "session.info" && e.AgentID == "" {
			s.Seq = rec.Pos
			if data := wire.Raw(e.Data); data.Get("infoType").Text() == wire.InfoHistoryTruncated {
				s.truncate(data)
			}
		}
	}
	for _, t := range s.torn {
		at[t.EventID] = 0
	}
	if until != "" {
		at[until] = 0
	}
	if len(at) > 0 {
		if err := locate(at, records()); err != nil {
			return nil, 0, err
		}
	}
	cuts = find(nil, s.torn, at)
	if until == "" {
		return cuts, end, nil
	}
	if end = at[until]; cuts.Hold(end) {
		end = 0
	}
	return cuts, end, nil
}
