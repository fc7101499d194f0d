package session

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// message is what a client sent and nobody has answered yet.
type message struct {
	id   string
	send wire.Send
}

// maxQueue bounds the messages that wait for a run to end. Nobody types so many;
// a program that does is told.
const maxQueue = 1000

// Send gives the session a message. An idle session records it and starts a run
// before Send returns. A busy one queues it, to be answered after the run, or,
// in mode "immediate", puts it before the next model call. The id returned is
// that of the message.
func (s *Session) Send(ctx context.Context, p wire.Send) (id string, err error) {
	m := message{id: wire.NewID(), send: p}
	if p.Mode != "" && p.Mode != "enqueue" && p.Mode != "immediate" {
		return "", fault.New(fault.Invalid, "session.send", s.id, `mode is %q, want "enqueue" or "immediate"`, p.Mode)
	}
	if err := m.check(); err != nil {
		return "", fault.New(fault.Invalid, "session.send", s.id, "%w", err)
	}
	return m.id, s.do(ctx, func() error { return s.accept(m) })
}

// check makes sure that something is said, and that the attachments are a list of
// objects, which is all that must hold to keep them.
func (m *message) check() error {
	if string(m.send.Attachments) == "null" {
		m.send.Attachments = nil
	}
	if m.send.Attachments == nil {
		if m.send.Prompt == "" {
			return errors.New("the prompt is empty")
		}
		return nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(m.send.Attachments, &list) != nil {
		return errors.New("attachments is not a list of objects")
	}
	return nil
}

func (s *Session) accept(m message) error {
	if s.broken != nil {
		return s.broken
	}
	if len(s.pending) >= maxQueue {
		return fault.New(fault.Unavailable, "session.send", s.id, "%d messages are waiting already", maxQueue)
	}
	if s.run != nil {
		return s.enqueue(m)
	}
	untitled := s.label() == ""
	if err := s.utter(m, "idle"); err != nil {
		return err
	}
	s.say(&wire.PendingMessages{}, false)
	if untitled && s.title != "" {
		s.describeWorkspace()
		s.say(&wire.SessionTitleChanged{Title: s.title}, false)
	}
	s.reg.watchers.tell(s.lifecycle(wire.LifecycleUpdated))
	s.launch(m.send.RequestHeaders)
	return nil
}

// event is the message as the log holds it: what the person wrote, and what the
// model reads. The time is the one thing added; it is recorded with the message,
// so that later requests repeat it to the letter and providers' caches hold.
func (m *message) event(delivery string) wire.Data {
	shown := m.send.Prompt
	if m.send.DisplayPrompt != "" {
		shown = m.send.DisplayPrompt
	}
	transformed := "<current_datetime>" + time.Now().Format(time.RFC3339) + "</current_datetime>\n\n" + m.send.Prompt
	how := wire.Delivery(delivery)
	u := &wire.UserMessage{
		Content: shown, TransformedContent: &transformed,
		Source: optional(m.send.Source), Delivery: &how, MessageID: &m.id,
	}
	if m.send.AgentMode != "" {
		mode := wire.AgentMode(m.send.AgentMode)
		u.AgentMode = &mode
	}
	return wire.WithField(u, "attachments", m.send.Attachments)
}

// utter records a message as said. Attachments are kept in the log as they came,
// and a warning says that the model does not get to see them in this version.
func (s *Session) utter(m message, delivery string) error {
	events := []wire.Data{m.event(delivery)}
	if len(m.send.Attachments) > 0 && string(m.send.Attachments) != "[]" {
		events = append(events, &wire.SessionWarning{
			WarningType: "attachments_not_shown",
			Message:     "The attachments are kept with the message, but this version does not show them to the model. Put what matters into the prompt.",
		})
	}
	if err := s.record(events...); err != nil {
		return err
	}
	s.totals.asked++
	return nil
}

// Abort stops the run: the model call is canceled at once, open tool calls and
// questions end as interrupted, and what waits in the queue is dropped. An idle
// session has nothing to abort; that is no error.
func (s *Session) Abort(ctx context.Context, reason wire.AbortReason) error {
	if reason == "" {
		reason = "user_initiated"
	}
	return s.do(ctx, func() error {
		if s.run == nil || !s.run.stop() {
			return nil
		}
		s.dropPending()
		s.tell(&wire.Abort{Reason: reason})
		return nil
	})
}

// turnID numbers turns over the whole life of a session, so that the count of
// turns is the count of model calls.
func turnID(n int) string { return strconv.Itoa(n) }
