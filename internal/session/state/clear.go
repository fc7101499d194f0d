package state

import (
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// clearConversation starts a new conversation. A message whose calls are still running stays
// until they have ended, because their results must belong to a call; the model does not see
// it. Threads of sub-agents, the system message and open requests stay.
func (s *State) clearConversation(data wire.Raw, _ time.Time) {
	s.Conversation = s.cleared()
	s.Epoch++
	s.Queue = slices.DeleteFunc(slices.Clone(s.Queue), func(q Queued) bool { return q.First })
	if first := data.Get("initialMessage").Text(); first != "" {
		s.Queue = slices.Insert(s.Queue, 0, Queued{ID: s.LastID, First: true, Send: wire.Send{Prompt: first, Mode: "immediate"}})
	}
}

// cleared is the conversation without the messages of the main thread and their
// consequences.
func (c *Conversation) cleared() Conversation {
	left := *c
	left.SkillRules, left.OfferedTools = nil, nil
	main := Thread{System: c.Main.System, SystemBytes: c.Main.SystemBytes, Found: c.Main.Found, OpenTurn: c.Main.OpenTurn, Permissions: c.Main.Permissions, External: c.Main.External, keepAll: c.Main.keepAll}
	if calls, at := c.Main.LastCalls(); len(OpenCalls(calls)) > 0 {
		main.add(Message{Cleared: true, Calls: slices.Clone(c.Main.Messages[at].Calls)})
	}
	left.Main = main
	return left
}

// dropCleared removes the message of a cleared conversation once its calls have ended.
func (t *Thread) dropCleared() {
	t.Messages = slices.DeleteFunc(slices.Clone(t.Messages), func(m Message) bool {
		return m.Cleared && len(OpenCalls(m.Calls)) == 0
	})
	t.weigh()
}

// Visible returns the number of messages of a thread as the model sees them; pending results
// do not count.
func Visible(messages []Message) (n int64) {
	for i := range messages {
		n += int64(len(messages[i].append(nil)))
		if !messages[i].Cleared {
			n -= int64(len(OpenCalls(messages[i].Calls)))
		}
	}
	return n
}
