package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// message is what a client sent and nobody has answered yet.
type message struct {
	id   string
	send wire.Send
	gone []string // tools that have left since the message before, once it is to be said
	to   string   // the agent that it goes to, once it is to be said; "" is a model
	seed bool     // the first of a conversation that was cleared
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
	if !slices.Contains([]string{"", modeInteractive, modePlan, modeAutopilot, modeShell}, p.AgentMode) {
		return "", fault.New(fault.Invalid, "session.send", s.id, `agentMode is %q, want "interactive", "plan", "autopilot" or "shell"`, p.AgentMode)
	}
	if err := m.check(); err != nil {
		return "", fault.New(fault.Invalid, "session.send", s.id, "%w", err)
	}
	if err := s.prepareHooks(ctx); err != nil {
		return "", err
	}
	var u *prompt.UserMessage
	if m.send.Attachments != nil { // they may be files, which are read here
		if err := s.do(ctx, func() error { s.address(&m); return nil }); err != nil {
			return "", err
		}
		shown := s.attached(m.send.Prompt, m)
		u = &shown
	}
	return m.id, s.do(ctx, func() error { return s.accept(m, u) })
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

// accept takes a message; u is what is made of it with its attachments, nil for one
// without.
func (s *Session) accept(m message, u *prompt.UserMessage) error {
	if s.broken != nil {
		return s.broken
	}
	if len(s.pending) >= maxQueue {
		return fault.New(fault.Unavailable, "session.send", s.id, "%d messages are waiting already", maxQueue)
	}
	if s.run != nil {
		if err := s.enqueue(m); err != nil {
			return err
		}
		return s.talkOver()
	}
	if s.hooksNow() != nil { // they see it first, beside this goroutine
		if err := s.enqueue(m); err != nil {
			return err
		}
		s.launch(m, "idle")
		return nil
	}
	s.address(&m)
	if u == nil {
		plain := s.attached(m.send.Prompt, m)
		u = &plain
	}
	if err := s.utter(s.saying(m, "idle", *u, "")...); err != nil {
		return err
	}
	s.reg.watchers.tell(s.lifecycle(wire.LifecycleUpdated))
	s.launch(message{send: wire.Send{Prompt: m.send.Prompt, AgentMode: m.send.AgentMode, RequestHeaders: m.send.RequestHeaders}}, "")
	return nil
}

// event is the message as the log holds it: what the person wrote, and what the
// model reads.
func (m *message) event(delivery, transformed string) wire.Data {
	shown := m.send.Prompt
	if m.send.DisplayPrompt != "" {
		shown = m.send.DisplayPrompt
	}
	how := wire.Delivery(delivery)
	u := &wire.UserMessage{
		Content: shown, TransformedContent: &transformed,
		Source: optional(m.send.Source), Delivery: &how, MessageID: &m.id,
	}
	if m.send.AgentMode != "" {
		mode := wire.AgentMode(m.send.AgentMode)
		u.AgentMode = &mode
	}
	return withNames(wire.WithField(u, "attachments", m.send.Attachments), fieldGoneTools, m.gone)
}

// utter records what a person said, and what is said with it.
func (s *Session) utter(events ...wire.Data) error {
	untitled := s.label() == ""
	if err := s.record(events...); err != nil {
		return err
	}
	s.totals.asked++
	s.say(&wire.PendingMessages{}, false)
	if untitled && s.label() != "" {
		s.describeWorkspace()
		s.say(&wire.SessionTitleChanged{Title: s.title}, false)
	}
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
