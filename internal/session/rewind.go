package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// historyTruncated is the type of the session.info event that takes back a part of
// the history. The event of the protocol, session.snapshot_rewind, is ephemeral.
//
// The log stays append-only, and the session stays a fold over it: what was taken
// back is still there, and is passed over by everyone who reads the conversation.
// See docs/decisions/0012.
const historyTruncated = "history_truncated"

// truncation is what the log holds of it, a field beside those that the protocol
// knows.
type truncation struct {
	EventID string `json:"eventId"` // of the first event taken back
	From    uint64 `json:"from"`    // its position in the log
	Removed int64  `json:"removed"` // how many were taken back, this one not counted
}

// span is positions in the log, end not included.
type span struct{ from, end uint64 }

// spans are parts of a log that were taken back, in no order.
type spans []span

func (s spans) hold(seq uint64) bool {
	return slices.ContainsFunc(s, func(cut span) bool { return cut.from <= seq && seq < cut.end })
}

// kept yields the records of a log that were not taken back.
func (s spans) kept(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	if len(s) == 0 {
		return records
	}
	return func(yield func(eventlog.Record, error) bool) {
		for rec, err := range records {
			if err == nil && s.hold(rec.Seq) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// Truncate takes back the event of that id and all that follow, and returns how
// many they are. The conversation is what it was before; settings such as model,
// mode, name, directory and approvals stay as they are now, because the person
// changed them for the time to come. Calls whose results are taken back read as
// interrupted.
//
// [fault.NotFound] if there is no such event, or it was taken back before;
// [fault.Conflict] while a run is under way; [fault.Invalid] for the first event,
// without which there is no session.
func (s *Session) Truncate(ctx context.Context, eventID string) (removed int64, err error) {
	err = s.do(ctx, func() error {
		removed, err = s.truncate(eventID)
		return err
	})
	return removed, err
}

func (s *Session) truncate(eventID string) (int64, error) {
	const op = "session.history.truncate"
	if s.run != nil {
		return 0, &fault.Error{
			Op: op, On: s.id, Kind: fault.Conflict, Hint: "abort the run, or wait for its end",
			Err: errors.New("the session is at work"),
		}
	}
	if err := s.claim(); err != nil { // and take in what another process has recorded
		return 0, err
	}
	t := truncation{EventID: eventID}
	for rec, err := range s.cuts.kept(s.log.Read(1)) {
		if err != nil {
			return 0, err
		}
		if t.From == 0 && eventID != "" && idOf(rec.JSON) == eventID {
			t.From = rec.Seq
		}
		if t.From != 0 {
			t.Removed++
		}
	}
	switch t.From {
	case 0:
		return 0, fault.New(fault.NotFound, op, s.id, "Event %s not found", eventID)
	case 1:
		return 0, fault.New(fault.Invalid, op, s.id, "the first event cannot be taken back; delete the session instead")
	}
	return t.Removed, s.cut(t)
}

// cut records a truncation, makes the conversation what it says and tells of it.
func (s *Session) cut(t truncation) error {
	kept, err := json.Marshal(t)
	if err != nil {
		return err
	}
	info := &wire.SessionInfo{InfoType: historyTruncated, Message: fmt.Sprintf("%d events were taken back.", t.Removed)}
	if err := s.record(wire.WithField(info, "truncated", kept)); err != nil {
		return err
	}
	if err := s.forget(); err != nil {
		return err
	}
	if err := s.closeOrphans(); err != nil {
		return err
	}
	s.emit(&wire.SessionSnapshotRewind{UpToEventID: t.EventID, EventsRemoved: t.Removed})
	return nil
}

func idOf(event []byte) string { return wire.Raw(event).Get("id").Text() }

// rewind is a truncation before it is known which part of the log it took back.
type rewind struct {
	truncation
	end uint64 // its own position
}

// truncated folds a truncation in, as far as that can be done without the log: the
// conversation waits for [Session.forget].
func (h *history) truncated(data wire.Raw) {
	t := rewind{end: h.seq}
	if json.Unmarshal(data.Get("truncated"), &t.truncation) == nil && t.EventID != "" {
		h.torn = append(slices.Clip(h.torn), t)
	}
}

// forget makes the conversation anew from what of the log was not taken back. It is
// called when a truncation may have been folded in.
func (s *Session) forget() error {
	if len(s.torn) == 0 {
		return nil
	}
	cuts, err := s.find(s.torn)
	if err != nil {
		return err
	}
	var left history
	for rec, err := range cuts.kept(s.log.Read(1)) {
		if err != nil {
			return err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			left.apply(rec.Seq, e)
		}
	}
	s.conversation, s.system, s.openTurn, s.command = left.conversation, left.system, left.openTurn, left.command
	s.permissions, s.external, s.lent, s.shown = left.permissions, left.external, left.lent, left.shown
	s.cuts, s.torn = cuts, nil
	s.epoch++
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.cuts = cuts
	return nil
}

// find returns all that was taken back, with torn. The events are looked for by
// their ids: positions move when a damaged log is repaired. If one is not there any
// more, its old position will do.
func (s *Session) find(torn []rewind) (spans, error) {
	from := map[string]uint64{}
	for _, t := range torn {
		from[t.EventID] = 0
	}
	for rec, err := range s.log.Read(1) {
		if err != nil {
			return nil, err
		}
		id := idOf(rec.JSON)
		if at, wanted := from[id]; wanted && at == 0 {
			from[id] = rec.Seq
		}
	}
	cuts := slices.Clip(s.cuts)
	for _, t := range torn {
		if at := cmp.Or(from[t.EventID], t.From); at > 1 && at < t.end {
			cuts = append(cuts, span{at, t.end})
		}
	}
	return cuts, nil
}

// Keeping returns what selects, of the records that match, those that were not
// taken back. match may be nil, for all, and so may the result.
func (s *Session) Keeping(match func(eventlog.Record) bool) func(eventlog.Record) bool {
	s.out.mu.Lock()
	cuts := s.out.cuts
	s.out.mu.Unlock()
	if len(cuts) == 0 {
		return match
	}
	return func(rec eventlog.Record) bool { return !cuts.hold(rec.Seq) && (match == nil || match(rec)) }
}
