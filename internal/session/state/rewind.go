package state

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// When history is removed, the log stays append-only: the removed events are still in it,
// and all readers of the history skip them. See docs/decisions/0012.

// Span is a range of positions in a log, without End.
type Span struct{ From, End uint64 }

// Spans are ranges of a log that were removed, in no particular order.
type Spans []Span

// Hold reports whether a position is in one of the spans.
func (s Spans) Hold(seq uint64) bool {
	return slices.ContainsFunc(s, func(cut Span) bool { return cut.From <= seq && seq < cut.End })
}

// Kept yields the records of a log that were not removed, and passes on errors.
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

// Cuts returns the ranges of the log that were removed from the history.
func (s *State) Cuts() Spans { return s.cuts }

// Torn reports whether the conversation still holds history that was removed: call
// [State.Rebuild].
func (s *State) Torn() bool { return len(s.torn) > 0 }

// rewind is a removal whose range in the log is not known yet.
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

// Rebuild computes the conversation without the removed parts of the log. records returns
// the records of the whole log; it is called twice. Rebuild does not change s, so it can
// run while the owner of s works; the owner then calls [State.Adopt] with the result. It
// returns the errors of reading.
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

// Adopt replaces the conversation by a rebuilt one. If events were applied since the rebuild
// began, it changes nothing and reports false.
func (s *State) Adopt(r Rebuilt) bool {
	if r.seq != s.Seq {
		return false
	}
	s.Conversation, s.cuts, s.torn = r.conversation, r.cuts, nil
	s.Epoch++
	return true
}

// find returns all removed ranges: cuts, and those of torn. It finds events by their ids,
// because positions change when a damaged log is repaired. If an event does not exist before
// the removal, its old position is used.
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

// locate finds events by their ids, which are the keys of at, and stores the first position
// of each in at. An id that is not found keeps its value.
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

// EventID returns the id of the event in a record, "" if it has none.
func EventID(rec eventlog.Record) string { return wire.Raw(rec.JSON).Get("id").Text() }

// ReadCuts returns the removed ranges of a stored log, and the end of a copy of its history:
// the position of the event until or, if until is "", the position after the last record.
// end is 0 if the event does not exist or was removed. records is called twice.
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
