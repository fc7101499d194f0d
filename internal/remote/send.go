package remote

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Send sends a message. A held queue goes on after it. ctx should have a deadline: hooks may keep the
// message waiting.
func (s *Session) Send(ctx context.Context, m wire.Send) error {
	return s.do(ctx, "session.send", message(m), nil)
}

// message is a message as the parameters of session.send.
func message(m wire.Send) map[string]any {
	p := map[string]any{"prompt": m.Prompt}
	for name, value := range map[string]string{"displayPrompt": m.DisplayPrompt, "mode": m.Mode, "agentMode": m.AgentMode} {
		if value != "" {
			p[name] = value
		}
	}
	if len(m.Attachments) > 0 {
		p["attachments"] = m.Attachments
	}
	return p
}

// Interrupt ends the run. Queued messages are held until a user sends something, or hands the queue
// over.
func (s *Session) Interrupt(ctx context.Context) error {
	var done wire.TurnInterrupted
	err := s.do(ctx, "session.interruptMainTurn", map[string]any{"flushQueued": true, "holdQueued": true}, &done)
	if err != nil || done.Interrupted {
		return err
	}
	return s.do(ctx, "session.abort", map[string]any{"reason": "user_initiated"}, nil) // of a message that hooks still see
}

// SetMode makes a mode that of the session.
func (s *Session) SetMode(ctx context.Context, mode string) error {
	return s.do(ctx, "session.mode.set", map[string]any{"mode": mode}, nil)
}

// Queue lists what waits.
func (s *Session) Queue(ctx context.Context) (waiting wire.QueueListed, err error) {
	err = s.do(ctx, "session.queue.pendingItems", nil, &waiting)
	return waiting, err
}

// Unqueue takes a message out of the queue; false if it has begun.
func (s *Session) Unqueue(ctx context.Context, id string) (removed bool, err error) {
	var done wire.QueueItemRemoved
	err = s.do(ctx, "session.queue.removeAt", map[string]any{"id": id}, &done)
	return done.Removed, err
}

// HandOver is session.Queue.HandOver over the protocol, which has no call for it.
func (s *Session) HandOver(ctx context.Context) error {
	waiting, err := s.Queue(ctx)
	if err != nil {
		return err
	}
	if waiting.Held || waiting.Interrupted {
		return s.unpause(ctx)
	}
	for i, item := range waiting.Items {
		steered := false
		if !wire.RunsAlone(item) {
			steered, err = s.SendNow(ctx, item.ID)
		}
		if err == nil && !steered && i == 0 {
			err = s.unpause(ctx)
		}
		if err != nil || !steered {
			return err
		}
	}
	return nil
}

func (s *Session) unpause(ctx context.Context) error {
	return s.do(ctx, "session.queue.setDrainPaused", map[string]any{"paused": false}, nil)
}

// SendNow sends one item of the queue to the run in progress. If the queue is held, it goes on with the
// item. sent is false if no run is in progress that the item could reach.
func (s *Session) SendNow(ctx context.Context, id string) (sent bool, err error) {
	var done wire.QueueSteered
	err = s.do(ctx, "session.queue.sendNow", map[string]any{"id": id}, &done)
	return done.Steered, err
}

// Move moves an item of the queue to a position, from 0.
func (s *Session) Move(ctx context.Context, id string, position int) error {
	return s.do(ctx, "session.queue.moveItem", map[string]any{"id": id, "toPosition": position}, nil)
}

// Shell runs a command of the user, and returns at its end, or when ctx ends.
func (s *Session) Shell(ctx context.Context, command string) error {
	ctx, cancel := context.WithTimeout(ctx, shellTime)
	defer cancel()
	return s.do(ctx, "session.shell.executeUserRequested", map[string]any{"requestId": wire.NewID(), "command": command}, nil)
}

// Todos is the list of what the agent has to do.
func (s *Session) Todos(ctx context.Context) (wire.Todos, error) {
	var list wire.Todos
	err := s.do(ctx, "session.plan.readSqlTodos", nil, &list)
	return list, err
}
