package session

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// messagesDropped is the type of the session.info event that takes messages off the
// queue, the reverse of messageQueued: a process that resumes does not say them.
const messagesDropped = "messages_dropped"

// dropped is what the log holds of it, a field beside those that the protocol knows.
type dropped struct {
	MessageIDs []string `json:"messageIds"`
}

// Pending returns the messages that wait for the run to end, the next one first,
// and the texts of those that are to steer it.
func (s *Session) Pending(ctx context.Context) (p wire.QueuePending, err error) {
	err = s.do(ctx, func() error {
		for _, m := range s.pending {
			if m.steers() {
				p.SteeringMessages = append(p.SteeringMessages, m.shown())
				continue
			}
			p.Items = append(p.Items, wire.QueueItem{
				ID: m.id, Kind: "message", DisplayText: m.shown(), AgentMode: wire.QueueItemMode(cmp.Or(m.send.AgentMode, "interactive")),
			})
		}
		return nil
	})
	return p, err
}

// shown is a message as people see it.
func (m *message) shown() string { return cmp.Or(m.send.DisplayPrompt, m.send.Prompt) }

// RemoveLastPending takes back the message that came last, of those that nobody has
// said yet; it reports false if there is none. It does not come back after a crash.
func (s *Session) RemoveLastPending(ctx context.Context) (removed bool, err error) {
	err = s.do(ctx, func() error {
		if removed = len(s.pending) > 0; !removed {
			return nil
		}
		return s.takeBack(s.pending[len(s.pending)-1:])
	})
	return removed && err == nil, err
}

// ClearPending takes back all that waits.
func (s *Session) ClearPending(ctx context.Context) error {
	return s.do(ctx, func() error {
		if len(s.pending) == 0 {
			return nil
		}
		return s.takeBack(s.pending)
	})
}

func (s *Session) takeBack(messages []message) error {
	var d dropped
	for _, m := range messages {
		d.MessageIDs = append(d.MessageIDs, m.id)
	}
	kept, err := json.Marshal(d)
	if err != nil {
		return err
	}
	info := &wire.SessionInfo{InfoType: messagesDropped, Message: "A waiting message was taken back."}
	if len(messages) > 1 {
		info.Message = "The waiting messages were taken back."
	}
	if err := s.record(wire.WithField(info, "dropped", kept)); err != nil {
		return err
	}
	for _, id := range d.MessageIDs {
		delete(s.headers, id)
	}
	s.say(&wire.PendingMessages{}, false)
	return nil
}

// forgets folds in that messages were taken back.
func (h *history) forgets(data wire.Raw) {
	var d dropped
	if json.Unmarshal(data.Get("dropped"), &d) == nil {
		h.pending = slices.DeleteFunc(h.pending, func(m message) bool { return slices.Contains(d.MessageIDs, m.id) })
	}
}
