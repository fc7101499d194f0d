package rewind

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

// Log is the interface of a [History] to its session. Any goroutine may call Read, Cuts and Files; the other
// methods beside those of the Recorder are called on the session's goroutine, or while the session is opened.
type Log interface {
	state.Recorder
	// Claim claims the log and reads what other processes have recorded, or returns why it cannot.
	Claim() error
	// Read reads the log from the record of that position on, with the records that were removed from the history.
	Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error]
	// Cuts is what was removed from the history, as ShareCuts has published it last.
	Cuts() state.Spans
	ShareCuts()
	// SetUnfinished says that something may be open in the log which Finish closes.
	SetUnfinished(on bool)
	// Finish closes what a process that died, or removed history, has left open.
	Finish() error
	// Working reports whether a run is under way.
	Working() bool
	// Resumed reports whether the next run finishes the calls that an earlier process left open.
	Resumed() bool
	// WithdrawPersonal ends the wait for a yes or a no that only the user can give.
	WithdrawPersonal() error
	// Files returns the files that the built-in tools of the session change.
	Files() *Files
}

// History is the recorded events that are still part of a session, as clients read and
// change them. It reads the log on the caller's goroutine. Its methods are safe for concurrent use, and not called
// on the session's goroutine, except for Rebuild, which is called while the session is opened.
type History struct {
	s  Log
	id string // of the session
}

// NewHistory returns the history of the session of that id.
func NewHistory(s Log, id string) History { return History{s, id} }

// Files returns the files that the built-in tools of the session change.
func (h History) Files() *Files { return h.s.Files() }

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
	return 0, fault.New(fault.Unavailable, opTruncate, h.id, "the session changed again and again while its history was read; try again")
}

const opTruncate = "session.history.truncate"

// truncate prepares a rewind beside the session and records it if the session has not
// changed meanwhile; done reports whether it has not.
func (h History) truncate(ctx context.Context, eventID string) (removed int64, done bool, err error) {
	if err := h.s.Do(ctx, h.mayRewind); err != nil {
		return 0, false, err
	}
	if err := h.Current(ctx); err != nil {
		return 0, false, err
	}
	now, err := mailbox.Ask(ctx, h.s.Do, func() (state.State, error) { return *h.s.State(), nil })
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
	rebuilt, err := now.Rebuild(h.Records(ctx))
	if err != nil {
		return 0, false, err
	}
	done, err = mailbox.Ask(ctx, h.s.Do, func() (bool, error) {
		if err := errors.Join(h.mayRewind(), h.s.Claim()); err != nil {
			return false, err
		}
		if h.s.State().Seq != seq {
			return false, nil
		}
		if err := h.s.Record("", event); err != nil {
			return true, err
		}
		if err := errors.Join(h.adopt(rebuilt), h.s.Finish()); err != nil {
			return true, err
		}
		h.s.Emit("", &wire.SessionSnapshotRewind{UpToEventID: t.EventID, EventsRemoved: t.Removed})
		return true, nil
	})
	return t.Removed, done, err
}

func (h History) mayRewind() error {
	if !h.s.Working() {
		return nil
	}
	return &fault.Error{
		Op: opTruncate, On: h.id, Kind: fault.Conflict, Hint: "abort the run, or wait for its end",
		Err: errors.New("the session is working"),
	}
}

// removal looks the event up in the log and counts what follows it.
func (h History) removal(ctx context.Context, cuts state.Spans, eventID string) (t wire.Truncation, err error) {
	t.EventID = eventID
	for rec, err := range cuts.Kept(h.Records(ctx)()) {
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
		return t, fault.New(fault.NotFound, opTruncate, h.id, "Event %s not found", eventID)
	case 1:
		return t, fault.New(fault.Invalid, opTruncate, h.id, "the first event cannot be removed; delete the session instead")
	}
	return t, nil
}

// Records returns a function that reads the whole log.
func (h History) Records(ctx context.Context) func() iter.Seq2[eventlog.Record, error] {
	return func() iter.Seq2[eventlog.Record, error] { return h.s.Read(ctx, 1) }
}

// adopt puts a rebuilt conversation in force. The calls whose results were removed are
// closed by [Log].Finish.
func (h History) adopt(rebuilt state.Rebuilt) error {
	if !h.s.State().Adopt(rebuilt) {
		return fault.New(fault.Conflict, "session.rebuild", h.id, "the session changed while its history was read")
	}
	h.s.ShareCuts()
	if !h.s.Resumed() { // else the run finishes the open calls
		h.s.SetUnfinished(true)
	}
	return nil
}

// Rebuild brings the conversation up to date of a session that is being opened and has no goroutine yet.
func (h History) Rebuild() error {
	if !h.s.State().Torn() {
		return nil
	}
	rebuilt, err := h.s.State().Rebuild(h.Records(context.Background()))
	if err != nil {
		return err
	}
	h.s.State().Adopt(rebuilt)
	h.s.ShareCuts()
	return nil
}

// Current reads the events that other processes have recorded, and closes the calls that
// they have left open.
// It reads the log on the caller's goroutine, which is never the session's. It is called
// before the conversation is sent to a model or changed. [fault.Conflict] names another
// process that is at work.
func (h History) Current(ctx context.Context) error {
	for range maxRewindTries {
		torn, err := mailbox.Ask(ctx, h.s.Post, func() (bool, error) {
			err := h.s.Claim()
			if err == nil && !h.s.Resumed() { // else the run finishes the open calls
				err = h.s.Finish()
			}
			return h.s.State().Torn(), err
		})
		if err != nil || !torn {
			return err
		}
		if err := h.Refresh(ctx); err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "session.rebuild", h.id, "other processes changed the session again and again; try again")
}

// Refresh brings the conversation up to date after another process has removed history.
// It reads the log on the caller's goroutine, which is never the session's, and records
// nothing.
func (h History) Refresh(ctx context.Context) error {
	for range maxRewindTries {
		now, err := mailbox.Ask(ctx, h.s.Post, func() (state.State, error) { return *h.s.State(), nil })
		if err != nil {
			return err
		}
		if !now.Torn() {
			return nil
		}
		rebuilt, err := now.Rebuild(h.Records(ctx))
		if err != nil {
			return err
		}
		err = h.s.Post(ctx, func() error {
			if h.s.State().Seq != now.Seq {
				return nil
			}
			return h.adopt(rebuilt)
		})
		if err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "session.rebuild", h.id, "the session changed again and again while its history was read; try again")
}

// Keeping returns what selects, of the records that match, those that are still in the
// history. match may be nil, for all, and so may the result. A session that has left
// memory is no error: its log may still be read.
func (h History) Keeping(ctx context.Context, match func(eventlog.Record) bool) (func(eventlog.Record) bool, error) {
	if err := h.Refresh(ctx); err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	cuts := h.s.Cuts()
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
		if err := h.Refresh(ctx); err != nil {
			yield(nil, err)
			return
		}
		cuts, err := mailbox.Ask(ctx, h.s.Do, func() (state.Spans, error) { return h.s.State().Cuts(), nil })
		if err != nil {
			yield(nil, err)
			return
		}
		for rec, err := range cuts.Kept(h.s.Read(ctx, 1)) {
			if !yield(rec.JSON, err) || err != nil {
				return
			}
		}
	}
}

// Unsend removes a message from the history, with what follows it. It reports false if there is none
// of that id, or the model has answered since.
func (h History) Unsend(ctx context.Context, messageID string) (removed bool, err error) {
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
	cuts, err := mailbox.Ask(ctx, h.s.Do, func() (state.Spans, error) { return h.s.State().Cuts(), nil })
	if err != nil {
		return "", err
	}
	for rec, err := range cuts.Kept(h.Records(ctx)()) {
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
