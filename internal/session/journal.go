package session

import (
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// journal is the log of a session, as its goroutine writes it: it claims the log,
// records events and applies them to the state, and sends ephemeral ones. The fields
// belong to the session's goroutine, except for out.
type journal struct {
	*eventlog.Log
	s      *Session
	out    outlet
	own    ownership
	broken error // why nothing can be recorded any more; nil if it can
}

// record appends events to the log, sends them to the clients once they are stored, and
// applies them to the state. After a failure of the log nothing more can be recorded: the
// session stays readable, and each command returns the reason. When its clients have left,
// a resume opens it anew.
func (j *journal) record(data ...wire.Data) error { return j.recordFor("", data...) }

// recordFor is record for events of a thread: agentID is that of the sub-agent, "" for
// the main agent and for events of the session as a whole.
func (j *journal) recordFor(agentID string, data ...wire.Data) error {
	return j.recordAfter(func() {}, agentID, data...)
}

// mayRecord claims the log, or returns why nothing can be recorded in it.
func (j *journal) mayRecord() error {
	if j.broken != nil {
		return j.broken
	}
	return j.claim()
}

// recordAfter is recordFor that calls stored once the events are stored, and before any
// client is sent them. stored must not write to the log. Without events it does nothing.
func (j *journal) recordAfter(stored func(), agentID string, data ...wire.Data) error {
	if len(data) == 0 {
		return nil
	}
	if err := j.mayRecord(); err != nil {
		return err
	}
	batch, lines, err := j.encode(agentID, data)
	if err != nil {
		return err
	}
	if err := j.store(batch, lines, stored); err != nil {
		return err
	}
	for _, e := range batch {
		j.s.state.Apply(j.s.state.Seq+1, e)
		if e.Type == "tool.execution_complete" {
			j.s.external.Recorded(e.AgentID, wire.Raw(e.Data).Get("toolCallId").Text())
		}
	}
	j.s.shareCwd()
	j.s.updateLists()
	if j.s.run == nil && batch[0].Type != "session.start" { // of which lists learn as created
		j.s.home.Registrar.Publish(j.s.lifecycle(wire.LifecycleUpdated))
	}
	return nil
}

// encode makes events that follow the last one, and their lines in the log. The
// fold reads the same bytes of data that the log holds.
func (j *journal) encode(agentID string, data []wire.Data) (batch []wire.Event, lines [][]byte, err error) {
	now, parent := time.Now(), j.s.state.LastID
	for _, d := range data {
		body, err := wire.Marshal(d)
		body = j.redacted(d.Type(), body)
		if err == nil && !wire.KindOf(d.Type(), wire.Raw(body)).Persisted() {
			err = errors.New("events of this type are not persisted")
		}
		if err != nil {
			return nil, nil, fault.New(fault.Internal, "session.record", j.s.id, "a %s event: %w", d.Type(), err)
		}
		e := wire.Event{Header: wire.Header{ID: j.newID(d.Type(), body), ParentID: parent, Time: now, AgentID: agentID, Type: d.Type()}, Data: body}
		parent = e.ID
		batch = append(batch, e)
		lines = append(lines, wire.AppendEvent(nil, &e))
	}
	return batch, lines, nil
}

// newID returns the id of an event. That of session.start shows that this machine has made the
// session; see [approval.Grants.StartID].
func (j *journal) newID(t wire.EventType, body []byte) string {
	if t != "session.start" {
		return wire.NewID()
	}
	o := state.OriginOf("", wire.Raw(body))
	id, err := j.s.home.Grants.StartID(j.s.id, o.Started, o.Cwd)
	if err != nil {
		j.s.logs.Warn("a resume will not know that this machine has made the session", "err", err)
		return wire.NewID()
	}
	return id
}

// store appends lines to the log. An ephemeral event that is sent after them has the last
// of them as its parent, and none has before they are stored. No context cancels it: what
// is recorded does not depend on a caller that still waits for it. After a failure nothing more
// is stored, and a run ends, because the event that it waits for could not be recorded.
func (j *journal) store(batch []wire.Event, lines [][]byte, stored func()) error {
	ctx, done := bounded(j.Log.Keeping().AppendWait)
	defer done()
	err := j.Log.AppendWith(ctx, j.Log.Len(), mustSync(batch), func(publish func()) {
		j.out.mu.Lock()
		defer j.out.mu.Unlock()
		stored()
		publish()
		j.out.last = batch[len(batch)-1].ID
	}, lines...)
	err = j.late(err, "resume the session again when no client is attached to it")
	switch {
	case err == nil || fault.KindOf(err) == fault.Invalid: // an event that is too long harms no other
	case j.own.hold.Err() != nil: // the next command claims again
		j.loseClaim()
	default:
		j.broken = err
		j.s.logs.Error("the session's log cannot be written", "err", err)
		if j.s.run != nil {
			j.s.run.cancel(err)
		}
	}
	return err
}

// mustSync reports whether one of the events must be on disk before it is sent to clients.
func mustSync(batch []wire.Event) bool {
	for i := range batch {
		if wire.KindOf(batch[i].Type, wire.Raw(batch[i].Data)).Synced() {
			return true
		}
	}
	return false
}

// recordOrEmit records an event. If the log cannot be written any more, it sends the event
// to the clients all the same, because they wait for it.
func (j *journal) recordOrEmit(data wire.Data) { j.recordOrEmitFor("", data) }

// recordOrEmitFor is recordOrEmit for an event of a thread, as [journal.recordFor] describes.
func (j *journal) recordOrEmitFor(agentID string, data wire.Data) {
	if j.recordFor(agentID, data) != nil {
		j.emitFor(agentID, data)
	}
}

// emit sends an ephemeral event to the clients, and returns its id. A client that is far
// behind gets it too, because programs wait for it.
func (j *journal) emit(data wire.Data) string { return j.emitFor("", data) }

// emitFor is emit for an event of a thread, as [journal.recordFor] describes.
func (j *journal) emitFor(agentID string, data wire.Data) string {
	return j.send(agentID, data, true)
}

// notify sends an ephemeral event that a client far behind may miss.
func (j *journal) notify(data wire.Data) { j.notifyFor("", data) }

// notifyFor is notify for an event of a thread.
func (j *journal) notifyFor(agentID string, data wire.Data) { j.send(agentID, data, false) }

// send sends an ephemeral event of a thread; keep says whether a client that is far behind
// must get it.
func (j *journal) send(agentID string, data wire.Data, keep bool) (id string) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	line, id := j.ephemeral(agentID, data)
	if line != nil {
		j.Log.Emit(line, keep)
	}
	return id
}

// ephemeral makes an ephemeral event of a thread; nil if it cannot be encoded. The caller
// holds s.log.out.mu until it has sent the event.
func (j *journal) ephemeral(agentID string, data wire.Data) (line []byte, id string) {
	body, err := wire.Marshal(data)
	if err != nil {
		j.s.logs.Error("an event cannot be encoded", "type", data.Type(), "err", err)
		return nil, ""
	}
	body = j.redacted(data.Type(), body)
	e := wire.Event{
		Header: wire.Header{ID: wire.NewID(), ParentID: j.out.last, Time: time.Now(), Ephemeral: true, AgentID: agentID, Type: data.Type()}, Data: body,
	}
	return wire.AppendEvent(nil, &e), e.ID
}

// emitTo sends an ephemeral event of a thread to one client.
func (j *journal) emitTo(c *Client, agentID string, data wire.Data) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	if line, _ := j.ephemeral(agentID, data); line != nil {
		c.tail.Emit(line)
	}
}
