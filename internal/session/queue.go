package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// enqueue keeps a message until the run ends, or, if it is to steer the run, until the
// run's next turn. The sender was given its id, so it is recorded. Its headers may be
// credentials and stay in memory.
func (s *Session) enqueue(m message) error {
	why := "The message waits for the answer before it."
	switch {
	case s.run == nil:
		why = "The message is being prepared."
	case s.confirming() != nil:
		why = "The message is sent in place of a yes or a no."
	case m.Steers():
		why = "The message is sent with the next model call."
	}
	if err := s.record(m.Event(why)); err != nil {
		return err
	}
	if m.Send.RequestHeaders != nil {
		if s.headers == nil {
			s.headers = map[string]map[string]string{}
		}
		s.headers[m.ID] = m.Send.RequestHeaders
	}
	s.say(&wire.PendingMessages{}, false)
	return nil
}

// steer sends the messages that are to reach the model with the next call.
func (r *run) steer(ctx context.Context) error {
	for {
		m, ok := r.waiting((*state.Queued).Steers)
		if !ok {
			return nil
		}
		if _, err := r.say(ctx, m, "steering"); err != nil {
			return err
		}
	}
}

// next starts the loop for the first message that waits; one that was to steer the run
// that has ended comes before the others. It reports false if no message waits.
func (s *Session) next() bool {
	if len(s.state.Queue) == 0 {
		return false
	}
	q := s.state.Queue[max(slices.IndexFunc(s.state.Queue, func(q state.Queued) bool { return q.Steers() }), 0)]
	q.Send.RequestHeaders = s.headers[q.ID]
	s.launch(message{Queued: q}, "queued")
	return true
}

// sayPending records all messages that wait, without an answer: what a process that
// died had accepted is not lost, and the model reads it with the next message.
func (s *Session) sayPending() error {
	for _, q := range slices.Clone(s.state.Queue) {
		m := message{Queued: q}
		s.address(&m)
		err := s.record(m.events("queued", s.attached(m.Send.Prompt, m))...)
		if fault.KindOf(err) == fault.Invalid && err != nil { // too long: it must not keep the session from being opened
			s.logs.Warn("a message that waited cannot be recorded", "message", m.ID, "err", err)
			err = s.unqueue(q)
		}
		if err == nil && m.Send.AgentMode == state.ModeShell { // the model reads that it was not run
			err = s.closeOrphans()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Pending returns the messages that wait for the run to end, the next one first, and
// the texts of those that are to steer it.
func (s *Session) Pending(ctx context.Context) (p wire.QueuePending, err error) {
	err = s.do(ctx, func() error {
		for _, m := range s.state.Queue {
			if m.Steers() {
				p.SteeringMessages = append(p.SteeringMessages, m.Shown())
				continue
			}
			p.Items = append(p.Items, wire.QueueItem{
				ID: m.ID, Kind: "message", DisplayText: m.Shown(), AgentMode: wire.QueueItemMode(cmp.Or(m.Send.AgentMode, "interactive")),
			})
		}
		return nil
	})
	return p, err
}

// RemoveLastPending removes the message that came last from the queue; it reports false
// if none waits. The message does not come back after a crash.
func (s *Session) RemoveLastPending(ctx context.Context) (removed bool, err error) {
	err = s.do(ctx, func() error {
		if removed = len(s.state.Queue) > 0; !removed {
			return nil
		}
		return s.unqueue(s.state.Queue[len(s.state.Queue)-1:]...)
	})
	return removed && err == nil, err
}

// ClearPending removes all messages from the queue.
func (s *Session) ClearPending(ctx context.Context) error {
	return s.do(ctx, func() error {
		if len(s.state.Queue) == 0 {
			return nil
		}
		return s.unqueue(s.state.Queue...)
	})
}

// unqueue removes messages that wait, for good.
func (s *Session) unqueue(messages ...state.Queued) error {
	var d wire.DroppedMessages
	for _, m := range messages {
		d.MessageIDs = append(d.MessageIDs, m.ID)
	}
	info := &wire.SessionInfo{InfoType: wire.InfoMessagesDropped, Message: "A waiting message was removed."}
	if len(messages) > 1 {
		info.Message = "The waiting messages were removed."
	}
	if err := s.record(wire.WithJSON(info, wire.FieldDropped, d)); err != nil {
		return err
	}
	for _, id := range d.MessageIDs {
		delete(s.headers, id)
	}
	s.say(&wire.PendingMessages{}, false)
	return nil
}
