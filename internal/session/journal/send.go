package journal

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// This file sends events that the log does not hold, and keeps secrets that the program knows
// out of all events: they pass redacted, pieces of an answer [obs.Redactor.RedactPiece]. The
// messages to the model are computed from the events, so they have no such secrets either.

// Emit implements [state.Recorder].
func (j *Journal) Emit(agentID string, data wire.Data) { j.Send(agentID, data, true) }

// Notify implements [state.Recorder].
func (j *Journal) Notify(agentID string, data wire.Data) { j.Send(agentID, data, false) }

// Send sends an ephemeral event of a thread and returns its id, "" if the event cannot be
// encoded. keep says whether a client that is far behind must get it. Any goroutine may call
// it.
func (j *Journal) Send(agentID string, data wire.Data, keep bool) (id string) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	line, id := j.ephemeral(agentID, data)
	if line != nil {
		j.log.Emit(line, keep)
	}
	return id
}

// EmitTo sends an ephemeral event of a thread to one client, whose tail it is. Any goroutine
// may call it.
func (j *Journal) EmitTo(tail *eventlog.Tail, agentID string, data wire.Data) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	if line, _ := j.ephemeral(agentID, data); line != nil {
		tail.Emit(line)
	}
}

// ephemeral makes an ephemeral event of a thread; nil if it cannot be encoded. The caller
// holds j.out.mu until it has sent the event.
func (j *Journal) ephemeral(agentID string, data wire.Data) (line []byte, id string) {
	body, err := wire.Marshal(data)
	if err != nil {
		j.opts.Logger.Error("an event cannot be encoded", "type", data.Type(), "err", err)
		return nil, ""
	}
	body = j.redacted(data.Type(), body)
	e := wire.Event{
		Header: wire.Header{ID: wire.NewID(), ParentID: j.out.last, Time: time.Now(), Ephemeral: true, AgentID: agentID, Type: data.Type()}, Data: body,
	}
	return wire.AppendEvent(nil, &e), e.ID
}

// Delta sends a piece of an answer: key says to which message, reasoning or call it belongs, and
// name is that of a tool. Any goroutine may call it.
func (j *Journal) Delta(kind wire.EventType, agentID, key, text, name string) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	secrets := j.opts.Secrets
	d := wire.NewDelta(kind, j.out.last, secrets.RedactPiece(key), secrets.RedactPiece(text))
	d.AgentID, d.Name = agentID, secrets.RedactPiece(name)
	j.log.EmitDelta(d)
}

// Progress sends how many bytes of an answer have come. Any goroutine may call it.
func (j *Journal) Progress(agentID string, bytes int64) {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	d := wire.NewDelta(wire.StreamingDelta, j.out.last, "", "")
	d.AgentID, d.Size = agentID, bytes
	j.log.EmitDelta(d)
}

// Cuts returns the history that was removed, as of the last ShareCuts. Any goroutine may call
// it.
func (j *Journal) Cuts() state.Spans {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	return j.out.cuts
}

// ShareCuts makes the history that the state knows to be removed known to other goroutines. It
// is called on the session's goroutine, or while the session is opened.
func (j *Journal) ShareCuts() {
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	j.out.cuts = j.state.Cuts()
}

// verbatim are the events that are settings of the session and nothing else. A resume needs
// them as they are, and they contain only what a client has chosen.
var verbatim = lazy.Value[map[wire.EventType]bool]{Make: func() map[wire.EventType]bool {
	return map[wire.EventType]bool{
		"session.start": true, "session.resume": true, "session.model_change": true, "session.context_changed": true,
		"session.permissions_changed": true, "permission.completed": true,
	}
}}

// diagnostic are the events that report failures and belong to no conversation.
var diagnostic = lazy.Value[map[wire.EventType]bool]{Make: func() map[wire.EventType]bool {
	return map[wire.EventType]bool{
		"session.error": true, "session.warning": true, "hook.end": true, "model.call_failure": true,
	}
}}

// redacted returns the data of an event without known secrets.
func (j *Journal) redacted(t wire.EventType, data []byte) []byte {
	if verbatim.Get()[t] {
		return data
	}
	return j.opts.Secrets.RedactData(data, !diagnostic.Get()[t])
}
