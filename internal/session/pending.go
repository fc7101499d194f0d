package session

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// messageQueued is the type of the session.info event that keeps a message which
// came while the session was busy. Its id is told to the sender, so it has to
// survive until it is said: by then it is a user.message with the same id, and an
// abort drops it.
const messageQueued = "message_queued"

// queued is a pending message as the log holds it, a field of its event beside
// those that the protocol knows.
type queued struct {
	MessageID     string          `json:"messageId"`
	Prompt        string          `json:"prompt"`
	DisplayPrompt string          `json:"displayPrompt,omitempty"`
	Attachments   json.RawMessage `json:"attachments,omitempty"`
	Mode          string          `json:"mode,omitempty"`
	AgentMode     string          `json:"agentMode,omitempty"`
	Source        string          `json:"source,omitempty"`
}

// parseQueued reads what enqueue has recorded.
func parseQueued(data wire.Raw) (message, bool) {
	var q queued
	if json.Unmarshal(data.Get("queued"), &q) != nil || q.MessageID == "" {
		return message{}, false
	}
	return message{id: q.MessageID, send: wire.Send{
		Prompt: q.Prompt, DisplayPrompt: q.DisplayPrompt, Attachments: q.Attachments, Mode: q.Mode, AgentMode: q.AgentMode, Source: q.Source,
	}}, true
}

// enqueue keeps a message until the run ends, or, if it is to steer the run, until
// its next turn. Its headers may be credentials and stay in memory.
func (s *Session) enqueue(m message) error {
	kept, err := json.Marshal(queued{
		MessageID: m.id, Prompt: m.send.Prompt, DisplayPrompt: m.send.DisplayPrompt, Attachments: m.send.Attachments,
		Mode: m.send.Mode, AgentMode: m.send.AgentMode, Source: m.send.Source,
	})
	if err != nil {
		return err
	}
	info := &wire.SessionInfo{InfoType: messageQueued, Message: "The message waits for the answer before it."}
	switch {
	case s.run == nil:
		info.Message = "The message is being prepared."
	case s.confirming() != nil:
		info.Message = "The message is said in place of a yes or a no."
	case m.steers():
		info.Message = "The message is put in with the next model call."
	}
	if err := s.record(wire.WithField(info, "queued", kept)); err != nil {
		return err
	}
	if m.send.RequestHeaders != nil {
		if s.headers == nil {
			s.headers = map[string]map[string]string{}
		}
		s.headers[m.id] = m.send.RequestHeaders
	}
	s.say(&wire.PendingMessages{}, false)
	return nil
}

// steers reports whether a message is to reach the model during the run. A command
// does not: it is run, and that is a run of its own.
func (m *message) steers() bool { return m.send.Mode == "immediate" && m.send.AgentMode != modeShell }

// said takes a message off the pending ones. What begins a cleared conversation is
// known by its text, too: other runtimes give it an id of its own.
func (h *history) said(id, text string) {
	h.pending = slices.DeleteFunc(h.pending, func(m message) bool { return m.id == id || m.seed && m.send.Prompt == text })
}

// dropPending forgets what waits, for an abort or because nothing can be recorded
// any more.
func (s *Session) dropPending() {
	if len(s.pending) > 0 {
		s.pending, s.headers = nil, nil
		s.say(&wire.PendingMessages{}, false)
	}
}

// steer says the messages that are to reach the model with the next call.
func (r *run) steer(ctx context.Context) error {
	for {
		m, ok := r.waiting((*message).steers)
		if !ok {
			return nil
		}
		if _, err := r.say(ctx, m, "steering"); err != nil {
			return err
		}
	}
}

// next starts the loop for the first message that waits, one that was to steer
// the run that has ended before the others. It reports false if none does.
func (s *Session) next() bool {
	if len(s.pending) == 0 {
		return false
	}
	m := s.pending[max(slices.IndexFunc(s.pending, func(m message) bool { return m.steers() }), 0)]
	m.send.RequestHeaders = s.headers[m.id]
	s.launch(m, "queued")
	return true
}

// sayPending records all that waits, without an answer: what a process that died
// had accepted is not lost, and the model reads it with the next message.
func (s *Session) sayPending() error {
	for _, m := range slices.Clone(s.pending) {
		s.address(&m)
		err := s.record(m.events("queued", s.attached(m.send.Prompt, m))...)
		if fault.KindOf(err) == fault.Invalid && err != nil { // too long: it must not keep the session from being opened
			s.logs.Warn("a message that waited cannot be recorded", "message", m.id, "err", err)
			err = s.takeBack([]message{m})
		}
		if err == nil && m.send.AgentMode == modeShell { // and what the model reads says that it was not run
			err = s.closeOrphans()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
