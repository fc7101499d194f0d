package session

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// forkBatch is how many records are copied at a time.
const forkBatch = 256

// Fork makes a session that begins with the history of another, which may be in use
// and is not changed, and returns its id. With until, the history ends before the
// event of that id. What was taken back and what waits in a queue is left out, as
// are files. name may be empty.
//
// [fault.NotFound] if there is no such session or event; [fault.Invalid] if the name
// is longer than 100 characters.
func (r *Registry) Fork(_ context.Context, source, until, name string) (id string, err error) {
	const op = "sessions.fork"
	if n := utf8.RuneCountInString(name); n > maxName {
		return "", fault.New(fault.Invalid, op, source, "the name has %d characters, want %d at most", n, maxName)
	}
	cuts, end, err := state.ReadCuts(until, func() iter.Seq2[eventlog.Record, error] { return r.opts.Store.Scan(source) })
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Invalid) {
		return "", fault.New(fault.NotFound, op, "", "Session %s not found or has no persisted events", source)
	}
	if err != nil {
		return "", err
	}
	if end == 0 {
		return "", fault.New(fault.NotFound, op, source, "Event %s not found", until)
	}
	id = wire.NewSessionID()
	stream, err := r.opts.Store.Create(id)
	if err != nil {
		return "", err
	}
	f := fork{id: id, stream: stream}
	for rec, err := range cuts.Kept(r.opts.Store.Scan(source)) {
		if err == nil && rec.Seq < end {
			err = f.copy(rec)
		}
		if err != nil {
			return "", errors.Join(err, stream.Close(), r.opts.Store.Delete(id))
		}
	}
	if err := errors.Join(f.rename(name), f.flush(true), stream.Close()); err != nil {
		return "", errors.Join(err, r.opts.Store.Delete(id))
	}
	r.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: id})
	return id, nil
}

// fork is a log being copied.
type fork struct {
	id     string
	stream eventlog.Stream
	parent string // id of the last event
	lines  [][]byte
}

// copy takes an event over, under a chain of its own.
func (f *fork) copy(rec eventlog.Record) error {
	e, err := wire.ParseEvent(rec.JSON)
	if err != nil {
		return nil // no event; the source keeps it
	}
	switch {
	case !wire.KindOf(e.Type, wire.Raw(e.Data)).Forked():
		return nil
	case e.Type == "session.start":
		if e.Data, err = withID(e.Data, f.id); err != nil {
			return err
		}
	}
	return f.add(&e)
}

func (f *fork) add(e *wire.Event) error {
	e.ParentID, f.parent = f.parent, e.ID
	f.lines = append(f.lines, wire.AppendEvent(nil, e))
	if len(f.lines) < forkBatch {
		return nil
	}
	return f.flush(false)
}

func (f *fork) flush(durable bool) error {
	if len(f.lines) == 0 {
		return nil
	}
	if err := f.stream.Claim(); err != nil {
		return err
	}
	err := f.stream.Append(f.stream.Len(), f.lines, durable)
	f.lines = nil
	return err
}

// rename gives the fork a name.
func (f *fork) rename(name string) error {
	if name = strings.TrimSpace(name); name == "" {
		return nil
	}
	body, err := wire.Marshal(nameEvent(wire.SessionName{Name: name, User: true}))
	if err != nil {
		return err
	}
	return f.add(&wire.Event{Header: wire.Header{ID: wire.NewID(), Time: time.Now(), Type: "session.info"}, Data: body})
}

// withID returns the data of a session.start for another session.
func withID(data json.RawMessage, id string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	fields["sessionId"] = wire.AppendString(nil, id)
	return json.Marshal(fields)
}
