package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// message is a message of a client on its way into the conversation.
type message = queue.Message

// input is what users and clients write, on its way into the conversation. It belongs to
// the session's goroutine, but for attached.
type input struct{ s *Session }

func inputOf(s *Session) input { return input{s} }

// maxQueue bounds the messages that wait for a run to end. No user types so many; a
// program that sends more gets an error.
const maxQueue = 1000

// maxQueueSize bounds their texts, attachments and headers, in bytes: each waits in memory. One photo of a telephone
// has some 5 MB, and as text a third more; a message that waits alone may be larger.
const maxQueueSize = 16 << 20

// Send gives the session a message. An idle session records it and starts a run
// before Send returns. A busy one queues it, to be answered after the run, or,
// in mode "immediate", puts it before the next model call. The id returned is
// that of the message. If ctx ends early, the message may still be accepted: then a
// client sees it as user.message, and Send has returned its id with the error.
func (s *Session) Send(ctx context.Context, p wire.Send) (id string, err error) {
	m := message{Queued: state.Queued{ID: wire.NewID(), Send: p}}
	if p.Mode != "" && p.Mode != "enqueue" && p.Mode != "immediate" {
		return "", fault.New(fault.Invalid, "session.send", s.id, `mode is %q, want "enqueue" or "immediate"`, p.Mode)
	}
	if err := m.Valid("session.send", s.id); err != nil {
		return "", err
	}
	if err := m.CheckFormat(wrongForm); err != nil {
		return "", fault.New(fault.Invalid, "session.send", s.id, "%w", err)
	}
	if err := s.readHooksOnce(ctx); err != nil {
		return "", err
	}
	for range maxSendTries {
		var u *prompt.UserMessage
		if m.Send.Attachments != nil { // they may be files, which are read here
			var err error
			if m, err = inputOf(s).address(ctx, m); err != nil {
				return "", err
			}
			shown := inputOf(s).attached(m.Send.Prompt, m)
			u = &shown
		}
		accepted, err := mailbox.Ask(ctx, inputOf(s).change, func() (bool, error) { return inputOf(s).accept(m, u) })
		if accepted || err != nil {
			return m.ID, err
		}
	}
	return "", fault.New(fault.Unavailable, "session.send", s.id, "the session's model or tools changed again and again while the attachments were read; try again")
}

// change is [Session.change] for a command that starts a run. Its caller learns at once that the
// message was accepted, and not only after workspace.yaml has its title: the model may already
// be answering then.
func (i input) change(ctx context.Context, f func() error) error {
	return i.s.log.Begin(ctx, f)
}

// maxSendTries bounds how often the attachments of a message are read anew because the
// session changed to another model or lost tools meanwhile, which a message depends on.
const maxSendTries = 10

// belongTo makes a span of a client the parent of the runs whose messages name none.
func (c *configuration) belongTo(traceparent string) {
	if traceparent != "" && len(traceparent) <= queue.MaxTraceparent {
		c.traceparent = traceparent
	}
}

// address returns the message with what it depends on, as for runs that begin now.
func (i input) address(ctx context.Context, m message) (message, error) {
	return mailbox.Ask(ctx, i.s.do, func() (message, error) {
		m := m
		forExtension(i.s).address(&m)
		return m, nil
	})
}

// Abort stops the run: the model call is canceled at once, open tool calls and
// questions end as interrupted, and what waits in the queue is dropped. An idle
// session has nothing to abort; that is no error. An error after the run was stopped means that the
// log cannot be written.
func (s *Session) Abort(ctx context.Context, reason wire.AbortReason) error {
	if reason == "" {
		reason = "user_initiated"
	}
	return s.do(ctx, func() error {
		s.agents.Stop()
		if s.run == nil || !s.run.stop() {
			return nil
		}
		if len(s.state.Queue) > 0 {
			s.queue.headers = nil
			s.log.Notify("", &wire.PendingMessages{})
		}
		abort := s.run.abort(reason)
		if err := s.log.Record("", abort); err != nil {
			s.log.Emit("", abort)
			return fault.New(fault.KindOf(err), "session.abort", s.id, "the run was stopped, but the log does not say so: %w", err)
		}
		return nil
	})
}

// accept takes a message; u is the message with its attachments, nil for one without.
// It reports false, and has done nothing, if u was made for another model, or with other
// tools, than the session has now.
func (i input) accept(m message, u *prompt.UserMessage) (accepted bool, err error) {
	i.s.questions.Listened()
	if i.s.log.Broken() != nil {
		return false, i.s.log.Broken()
	}
	if err := formatted(i.s, m); err != nil {
		return false, fault.New(fault.Invalid, "session.send", i.s.id, "%w", err)
	}
	if err := i.s.queue.room(m.Queued); err != nil {
		return false, err
	}
	i.s.queue.stopped = false
	m.Send.Traceparent = cmp.Or(m.Send.Traceparent, i.s.config.traceparent)
	if i.s.state.Hold.Held {
		return true, i.s.queue.goOnWith(m)
	}
	if i.s.run == nil && (len(i.s.state.Queue) > 0 || i.s.queue.waits(&m.Queued)) { // it was paused
		if err := i.s.Queue().enqueue(m); err != nil {
			return false, err
		}
		i.s.queue.drain()
		return true, nil
	}
	if i.s.run != nil {
		if err := i.s.Queue().enqueue(m); err != nil {
			return false, err
		}
		return true, i.s.requests.WithdrawPersonal()
	}
	if i.s.hooks.Any() { // they see it first, on the goroutine of the run
		if err := i.s.Queue().enqueue(m); err != nil {
			return false, err
		}
		i.s.launch(m, "idle")
		return true, nil
	}
	before := m
	m.Begin(i.s.state, wire.NewID())
	forExtension(i.s).address(&m)
	if u != nil && !m.SameAddress(before) {
		return false, nil
	}
	if u == nil {
		plain := i.attached(m.Send.Prompt, m)
		u = &plain
	}
	if err := i.record(i.events(m, "idle", *u, "")...); err != nil {
		return false, err
	}
	i.s.home.Registrar.Publish(i.s.lifecycle(wire.LifecycleUpdated))
	i.s.launch(message{Interaction: m.Interaction, Queued: state.Queued{Send: wire.Send{
		Prompt: m.Send.Prompt, AgentMode: m.Send.AgentMode, RequestHeaders: m.Send.RequestHeaders, HeadersBy: m.Send.HeadersBy, ResponseFormat: m.Send.ResponseFormat, Traceparent: m.Send.Traceparent,
	}}}, "")
	i.s.run.begins = m.ID
	return true, nil
}

// record records what the user wrote, with the events that belong to it.
func (i input) record(events ...wire.Data) error {
	untitled := i.s.state.Label() == ""
	if err := i.s.log.Record("", events...); err != nil {
		return err
	}
	i.s.metrics.Ask()
	i.s.log.Notify("", &wire.PendingMessages{})
	if untitled && i.s.state.Label() != "" {
		i.s.Workspace().describe()
		i.s.log.Notify("", &wire.SessionTitleChanged{Title: i.s.state.Title})
	}
	return nil
}
