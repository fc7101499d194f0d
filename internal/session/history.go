package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// History is the recorded events that are still part of a session, as clients read and
// change them. It reads the log on the caller's goroutine.
type History struct{ s *Session }

// History returns the session's history.
func (s *Session) History() History { return History{s} }

// maxRewindTries bounds how often a rewind is prepared anew because the session changed
// meanwhile. Each try reads the log once, and only other processes or clients that
// never pause can use them up.
const maxRewindTries = 10

// Truncate removes the event of that id and all that follow from the history, and
// returns how many they are. The conversation is what it was before; settings such as
// model, mode, name, folder and approvals stay as they are now, because the user
// changed them for the time to come. Calls whose results are removed read as
// interrupted. The log is read on the caller's goroutine.
//
// [fault.NotFound] if there is no such event, or it was removed before;
// [fault.Conflict] while a run is under way; [fault.Invalid] for the first event,
// without which there is no session. If ctx ends early, the history may still be removed.
func (h History) Truncate(ctx context.Context, eventID string) (removed int64, err error) {
	for range maxRewindTries {
		var done bool
		if removed, done, err = h.truncate(ctx, eventID); done || err != nil {
			return removed, err
		}
	}
	return 0, fault.New(fault.Unavailable, opTruncate, h.s.id, "the session changed again and again while its history was read; try again")
}

const opTruncate = "session.history.truncate"

// truncate prepares a rewind beside the session and records it if the session has not
// changed meanwhile; done reports whether it has not.
func (h History) truncate(ctx context.Context, eventID string) (removed int64, done bool, err error) {
	if err := h.s.do(ctx, h.mayRewind); err != nil {
		return 0, false, err
	}
	if err := h.current(ctx); err != nil {
		return 0, false, err
	}
	now, err := mailbox.Ask(ctx, h.s.do, func() (state.State, error) { return *h.s.state, nil })
	if err != nil || now.Torn() {
		return 0, false, err
	}
	t, err := h.removal(ctx, now.Cuts(), eventID)
	if err != nil {
		return 0, false, err
	}
	info := &wire.SessionInfo{InfoType: wire.InfoHistoryTruncated, Message: fmt.Sprintf("%d events were removed from the history.", t.Removed)}
	event := wire.WithJSON(info, wire.FieldTruncated, t)
	body, err := wire.Marshal(event)
	if err != nil {
		return 0, false, err
	}
	seq := now.Seq
	now.Apply(seq+1, wire.Event{Header: wire.Header{Type: event.Type()}, Data: body})
	rebuilt, err := now.Rebuild(h.records(ctx))
	if err != nil {
		return 0, false, err
	}
	done, err = mailbox.Ask(ctx, h.s.do, func() (bool, error) {
		if err := errors.Join(h.mayRewind(), h.s.log.Claim()); err != nil {
			return false, err
		}
		if h.s.state.Seq != seq {
			return false, nil
		}
		if err := h.s.log.Record("", event); err != nil {
			return true, err
		}
		if err := errors.Join(h.adopt(rebuilt), orphansOf(h.s).finish()); err != nil {
			return true, err
		}
		h.s.log.Emit("", &wire.SessionSnapshotRewind{UpToEventID: t.EventID, EventsRemoved: t.Removed})
		return true, nil
	})
	return t.Removed, done, err
}

func (h History) mayRewind() error {
	if h.s.run == nil {
		return nil
	}
	return &fault.Error{
		Op: opTruncate, On: h.s.id, Kind: fault.Conflict, Hint: "abort the run, or wait for its end",
		Err: errors.New("the session is working"),
	}
}

// removal looks the event up in the log and counts what follows it.
func (h History) removal(ctx context.Context, cuts state.Spans, eventID string) (t wire.Truncation, err error) {
	t.EventID = eventID
	for rec, err := range cuts.Kept(h.records(ctx)()) {
		if err != nil {
			return t, err
		}
		if t.From == 0 && eventID != "" && state.EventID(rec) == eventID {
			t.From = rec.Pos
		}
		if t.From != 0 {
			t.Removed++
		}
	}
	switch t.From {
	case 0:
		return t, fault.New(fault.NotFound, opTruncate, h.s.id, "Event %s not found", eventID)
	case 1:
		return t, fault.New(fault.Invalid, opTruncate, h.s.id, "the first event cannot be removed; delete the session instead")
	}
	return t, nil
}

// records returns a function that reads the whole log.
func (h History) records(ctx context.Context) func() iter.Seq2[eventlog.Record, error] {
	return func() iter.Seq2[eventlog.Record, error] { return h.s.log.Read(ctx, 1) }
}

// adopt puts a rebuilt conversation in force. The calls whose results were removed are
// closed by [orphans.finish].
func (h History) adopt(rebuilt state.Rebuilt) error {
	if !h.s.state.Adopt(rebuilt) {
		return fault.New(fault.Conflict, "session.rebuild", h.s.id, "the session changed while its history was read")
	}
	h.s.log.ShareCuts()
	if !h.s.config.resumed { // else the run finishes the open calls
		h.s.log.SetUnfinished(true)
	}
	return nil
}

// rebuildNow is rebuild for a session that is being opened and has no goroutine yet.
func (h History) rebuildNow() error {
	if !h.s.state.Torn() {
		return nil
	}
	rebuilt, err := h.s.state.Rebuild(h.records(context.Background()))
	if err != nil {
		return err
	}
	h.s.state.Adopt(rebuilt)
	h.s.log.ShareCuts()
	return nil
}

// current reads the events that other processes have recorded, and closes the calls that
// they have left open.
// It reads the log on the caller's goroutine, which is never the session's. It is called
// before the conversation is sent to a model or changed. [fault.Conflict] names another
// process that is at work.
func (h History) current(ctx context.Context) error {
	for range maxRewindTries {
		torn, err := mailbox.Ask(ctx, h.s.post, func() (bool, error) {
			err := h.s.log.Claim()
			if err == nil && !h.s.config.resumed { // else the run finishes the open calls
				err = orphansOf(h.s).finish()
			}
			return h.s.state.Torn(), err
		})
		if err != nil || !torn {
			return err
		}
		if err := h.rebuild(ctx); err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "session.rebuild", h.s.id, "other processes changed the session again and again; try again")
}

// rebuild brings the conversation up to date after another process has removed history.
// It reads the log on the caller's goroutine, which is never the session's, and records
// nothing.
func (h History) rebuild(ctx context.Context) error {
	for range maxRewindTries {
		now, err := mailbox.Ask(ctx, h.s.post, func() (state.State, error) { return *h.s.state, nil })
		if err != nil {
			return err
		}
		if !now.Torn() {
			return nil
		}
		rebuilt, err := now.Rebuild(h.records(ctx))
		if err != nil {
			return err
		}
		err = h.s.post(ctx, func() error {
			if h.s.state.Seq != now.Seq {
				return nil
			}
			return h.adopt(rebuilt)
		})
		if err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "session.rebuild", h.s.id, "the session changed again and again while its history was read; try again")
}

// Keeping returns what selects, of the records that match, those that are still in the
// history. match may be nil, for all, and so may the result. A session that has left
// memory is no error: its log may still be read.
func (h History) Keeping(ctx context.Context, match func(eventlog.Record) bool) (func(eventlog.Record) bool, error) {
	if err := h.rebuild(ctx); err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	cuts := h.s.log.Cuts()
	if len(cuts) == 0 {
		return match, nil
	}
	return func(rec eventlog.Record) bool { return !cuts.Hold(rec.Pos) && (match == nil || match(rec)) }, nil
}

// Events returns the persisted events as the log holds them, oldest first, except for
// those that were removed from the history.
func (h History) Events(ctx context.Context) ([][]byte, error) {
	var events [][]byte
	for event, err := range h.All(ctx) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// All yields what Events returns, one event at a time. An error is the last pair yielded.
func (h History) All(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := h.rebuild(ctx); err != nil {
			yield(nil, err)
			return
		}
		cuts, err := mailbox.Ask(ctx, h.s.do, func() (state.Spans, error) { return h.s.state.Cuts(), nil })
		if err != nil {
			yield(nil, err)
			return
		}
		for rec, err := range cuts.Kept(h.s.log.Read(ctx, 1)) {
			if !yield(rec.JSON, err) || err != nil {
				return
			}
		}
	}
}

// unsend removes a message from the history, with what follows it. It reports false if there is none
// of that id, or the model has answered since.
func (h History) unsend(ctx context.Context, messageID string) (removed bool, err error) {
	event, err := h.unansweredMessage(ctx, messageID)
	if event == "" || err != nil {
		return false, err
	}
	_, err = h.Truncate(ctx, event)
	return err == nil, err
}

// unansweredMessage returns the id of the event that recorded a message, "" if the model has
// answered since.
func (h History) unansweredMessage(ctx context.Context, messageID string) (eventID string, err error) {
	cuts, err := mailbox.Ask(ctx, h.s.do, func() (state.Spans, error) { return h.s.state.Cuts(), nil })
	if err != nil {
		return "", err
	}
	for rec, err := range cuts.Kept(h.records(ctx)()) {
		if err != nil {
			return "", err
		}
		e, err := wire.ParseEvent(rec.JSON)
		switch {
		case err != nil:
		case e.Type == "user.message" && wire.Raw(e.Data).Get("messageId").Text() == messageID:
			eventID = e.ID
		case e.Type == "assistant.message":
			eventID = ""
		}
	}
	return eventID, nil
}
