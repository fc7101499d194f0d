package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func pendingItems(ctx context.Context, s *session.Session, _ named) (any, error) {
	pending, err := s.Queue().Pending(ctx)
	if err != nil {
		return nil, err
	}
	return encode(pending)
}

func removeMostRecent(ctx context.Context, s *session.Session, _ named) (any, error) {
	removed, err := s.Queue().RemoveLast(ctx)
	return wire.QueueRemoved{Removed: removed}, err
}

func clearQueue(ctx context.Context, s *session.Session, _ named) (any, error) {
	return none{}, s.Queue().Clear(ctx)
}

func insertAt(ctx context.Context, c *conn, a *attachment, p struct {
	Message  *wire.Send `json:"message" sent:"SendItem"`
	Position int64      `json:"position"`
},
) (any, error) {
	if p.Message == nil {
		return nil, missing("message")
	}
	p.Message.HeadersBy = string(c.owner())
	id, err := a.client.Session().Queue().Insert(ctx, *p.Message, p.Position)
	return wire.QueueInserted{ID: id}, err
}

func moveItem(ctx context.Context, s *session.Session, p wire.QueueMove) (any, error) {
	changed, err := s.Queue().Move(ctx, p.ID, p.ToPosition)
	return wire.QueueMoved{Changed: changed}, err
}

func updateText(ctx context.Context, s *session.Session, p wire.QueueEdit) (any, error) {
	changed, err := s.Queue().Edit(ctx, p.ID, p.Prompt, p.DisplayPrompt)
	return wire.QueueEdited{Updated: changed}, err
}

func removeAt(ctx context.Context, s *session.Session, p wire.QueueItemNamed) (any, error) {
	removed, err := s.Queue().Remove(ctx, p.ID)
	return wire.QueueItemRemoved{Removed: removed}, err
}

func duplicateAt(ctx context.Context, s *session.Session, p wire.QueueItemNamed) (any, error) {
	id, err := s.Queue().Duplicate(ctx, p.ID)
	return wire.QueueDuplicated{ID: id}, err
}

func sendNow(ctx context.Context, s *session.Session, p wire.QueueItemNamed) (any, error) {
	steered, err := s.Queue().SendNow(ctx, p.ID)
	return wire.QueueSteered{Steered: steered}, err
}

func setDrainPaused(ctx context.Context, s *session.Session, p wire.QueuePause) (any, error) {
	return none{}, s.Queue().Pause(ctx, p.Paused)
}

func withdrawMessage(ctx context.Context, s *session.Session, p wire.QueueWithdraw) (any, error) {
	if p.MessageID == "" {
		return nil, missing("messageId")
	}
	return s.Queue().Withdraw(ctx, p.MessageID, p.ExpectedPrompt)
}

func appendSteering(ctx context.Context, s *session.Session, p wire.QueueAppend) (any, error) {
	if p.MessageID == "" {
		return nil, missing("messageId")
	}
	updated, err := s.Queue().Append(ctx, p)
	return wire.QueueEdited{Updated: updated}, err
}

func sendMessages(ctx context.Context, c *conn, a *attachment, p wire.SendMessages) (any, error) {
	s := a.client.Session()
	p.HeadersBy, p.Mode = string(c.owner()), delivery(ctx, s, p.Mode)
	ids, err := s.Queue().SendAll(ctx, "session.sendMessages", p)
	if err != nil {
		return nil, err
	}
	return encode(wire.MessagesSent{MessageIDs: ids})
}

// awaitsRun reports whether a call of session.send or session.sendMessages is answered at the end of the run.
// The commands behind it do not wait for that.
func awaitsRun(params json.RawMessage) bool { return wire.Raw(params).Get("wait").True() }

func interruptMainTurn(ctx context.Context, s *session.Session, p wire.TurnInterrupt) (any, error) {
	how := queue.Drop
	switch {
	case p.HoldQueued:
		how = queue.Hold
	case is(p.FlushQueued):
		how = queue.Send
	}
	interrupted, err := s.Queue().InterruptRun(ctx, how)
	return wire.TurnInterrupted{Interrupted: interrupted}, err
}
