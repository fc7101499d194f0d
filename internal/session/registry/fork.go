package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// forkBatch is how many records are copied at a time.
const forkBatch = 256

// Fork makes a session that begins with the history of another, which may be in use
// and is not changed, and returns its id. With until, the history ends before the
// event of that id. Removed history, queued messages and files
// are left out. name may be empty.
//
// [fault.NotFound] if there is no such session or event; [fault.Invalid] if the name
// is longer than 100 characters.
func (r *Registry) Fork(ctx context.Context, source, until, name string) (id string, err error) {
	const op = "sessions.fork"
	if n := utf8.RuneCountInString(name); n > wire.MaxName {
		return "", fault.New(fault.Invalid, op, source, "the name has %d characters, want %d at most", n, wire.MaxName)
	}
	if s := r.loaded(source); s != nil {
		if s.Kept() != nil {
			return "", fault.New(fault.Invalid, op, source, "a client keeps the session, and it cannot be asked to keep a copy of it")
		}
		s.Permissions().Store()
	}
	cuts, end, err := state.ReadCuts(until, func() iter.Seq2[eventlog.Record, error] { return eventlog.Scan(ctx, r.opts.Store, source) })
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
	stream, err := r.opts.Store.Create(ctx, id)
	if err != nil {
		return "", err
	}
	f := fork{source: source, id: id, grants: r.home.Grants, log: eventlog.NewLog(stream, eventlog.Options{})}
	err = fault.Guard(op, func() error { return f.copyAll(ctx, eventlog.Scan(ctx, r.opts.Store, source), cuts, end, name) })
	if err = errors.Join(err, f.log.Close()); err != nil {
		return "", errors.Join(err, r.opts.Store.Delete(context.WithoutCancel(ctx), id))
	}
	if err := r.home.Grants.Copy(source, id); err != nil {
		r.opts.Logger.Warn("a fork has no grants; the user is asked again", "session", id, "err", err)
	}
	r.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: id})
	return id, nil
}

// Conversation yields the events of a stored session without those that were removed from its history,
// oldest first. The session may be in use, and nothing is written. An error is the last pair yielded:
// [fault.NotFound] if there is no such session.
func Conversation(ctx context.Context, r *Registry, id string) iter.Seq2[json.RawMessage, error] {
	records := func() iter.Seq2[eventlog.Record, error] { return eventlog.Scan(ctx, r.opts.Store, id) }
	return func(yield func(json.RawMessage, error) bool) {
		cuts, _, err := state.ReadCuts("", records)
		if fault.KindOf(err) == fault.NotFound {
			err = wire.SessionNotFound(id)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for rec, err := range cuts.Kept(records()) {
			if !yield(rec.JSON, err) {
				return
			}
		}
	}
}

// fork is a log being copied.
type fork struct {
	source, id string
	grants     *approval.Grants
	log        *eventlog.Log
	parent     string // id of the last event
	lines      [][]byte

	// settings are those of the source where the copy ends, copied those that the copied
	// events have led to.
	settings, copied state.Settings
}

// copyAll copies the records before the one at position end that cuts do not hold, adds what
// settings the fork would lose, and names it.
func (f *fork) copyAll(ctx context.Context, records iter.Seq2[eventlog.Record, error], cuts state.Spans, end uint64, name string) error {
	if _, err := f.log.Claim(ctx, eventlog.ThisProcess()); err != nil {
		return err
	}
	for rec, err := range records {
		if err == nil && rec.Pos < end {
			err = f.copy(ctx, rec, cuts.Hold(rec.Pos))
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(f.settle(ctx), f.rename(ctx, name), f.flush(ctx, true))
}

// copy adds an event of the source, with a parentId that is right in the fork. Of an event
// that was removed from the history, only the settings are noted.
func (f *fork) copy(ctx context.Context, rec eventlog.Record, removed bool) error {
	e, err := wire.ParseEvent(rec.JSON)
	if err != nil {
		return nil // no event; the source keeps it
	}
	f.settings.ApplySettings(e)
	switch {
	case removed, !wire.KindOf(e.Type, wire.Raw(e.Data)).Forked():
		return nil
	case e.Type == "session.start":
		if err := f.begin(&e); err != nil {
			return err
		}
	case e.Data == nil: // another program wrote it
		e.Data = json.RawMessage("{}")
	}
	f.copied.ApplySettings(e)
	return f.add(ctx, &e)
}

func (f *fork) add(ctx context.Context, e *wire.Event) error {
	e.ParentID, f.parent = f.parent, e.ID
	f.lines = append(f.lines, wire.AppendEvent(nil, e))
	if len(f.lines) < forkBatch {
		return nil
	}
	return f.flush(ctx, false)
}

func (f *fork) flush(ctx context.Context, durable bool) error {
	if len(f.lines) == 0 {
		return nil
	}
	err := f.log.Append(ctx, f.log.Len(), durable, f.lines...)
	f.lines = nil
	return err
}

// rename gives the fork a name.
func (f *fork) rename(ctx context.Context, name string) error {
	if name = strings.TrimSpace(name); name == "" {
		return nil
	}
	return f.record(ctx, wire.NamedEvent(wire.SessionName{Name: name, User: true}))
}

// record adds events that the source does not have.
func (f *fork) record(ctx context.Context, events ...wire.Data) error {
	for _, data := range events {
		body, err := wire.Marshal(data)
		if err != nil {
			return err
		}
		if err := f.add(ctx, &wire.Event{Header: wire.Header{ID: wire.NewID(), Time: time.Now(), Type: data.Type()}, Data: body}); err != nil {
			return err
		}
	}
	return nil
}

// settle gives the copy the settings that the source has where the copy ends. They differ
// if history was removed from the source, because that does not change settings: an
// approval that was revoked there must not hold here.
func (f *fork) settle(ctx context.Context) error {
	now, was := &f.settings, &f.copied
	var events []wire.Data
	if now.ClientProvider != was.ClientProvider || now.Model != was.Model || now.ReasoningEffort != was.ReasoningEffort || now.ReasoningSummary != was.ReasoningSummary {
		summary := wire.ReasoningSummary(now.ReasoningSummary)
		change := &wire.SessionModelChange{
			NewModel: now.Model, PreviousModel: wire.Optional(was.Model), ReasoningEffort: &now.ReasoningEffort, ReasoningSummary: &summary,
		}
		var data wire.Data = change
		switch {
		case now.ClientProvider == was.ClientProvider:
		case now.ClientProvider:
			data = wire.WithJSON(change, wire.FieldProvidedBy, wire.ByClient)
		default:
			data = wire.WithJSON(change, wire.FieldProvidedBy, wire.ByServer)
		}
		events = append(events, data)
	}
	if now.Cwd != was.Cwd || now.GitRoot != was.GitRoot || now.Repository != was.Repository || now.Branch != was.Branch {
		events = append(events, &wire.SessionContextChanged{
			Cwd: now.Cwd, GitRoot: wire.Optional(now.GitRoot), Repository: wire.Optional(now.Repository), Branch: wire.Optional(now.Branch),
		})
	}
	if now.SessionMode() != was.SessionMode() {
		events = append(events, &wire.SessionModeChanged{PreviousMode: was.SessionMode(), NewMode: now.SessionMode()})
	}
	if now.PermissionMode != was.PermissionMode || !slices.EqualFunc(now.Approved, was.Approved, permit.Rule.Same) {
		approved := permit.ToWire(now.Approved)
		events = append(events, wire.PermissionsChanged(cmp.Or(was.PermissionMode, wire.ModeManual), cmp.Or(now.PermissionMode, wire.ModeManual), &approved))
	}
	if now.SkipsInstructions != was.SkipsInstructions {
		events = append(events, wire.InstructionsSkipped(now.SkipsInstructions))
	}
	if !slices.Equal(now.DisabledServers, was.DisabledServers) {
		events = append(events, servers.Disabled(now.DisabledServers))
	}
	if now.Name != was.Name {
		events = append(events, wire.NamedEvent(now.Name))
	}
	return f.record(ctx, events...)
}

// begin makes the source's session.start event that of the fork. The fork of a session of
// this machine is one, too.
func (f *fork) begin(e *wire.Event) (err error) {
	own := f.grants.Own(f.source, state.OriginOf(e.ID, wire.Raw(e.Data)))
	if e.Data, err = withID(e.Data, f.id); err != nil || !own {
		return err
	}
	o := state.OriginOf("", wire.Raw(e.Data))
	e.ID, err = f.grants.StartID(f.id, o.Started, o.Cwd)
	return err
}

// withID returns the data of a session.start for another session. Data that is not an object,
// which another program wrote, has no fields.
func withID(data json.RawMessage, id string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	fields["sessionId"] = wire.AppendString(nil, id)
	return json.Marshal(fields)
}
