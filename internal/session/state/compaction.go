package state

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Items returns a thread in the form that package prompt shortens: message by message, in
// the order of [Transcript].
func Items(messages []Message) []prompt.Item {
	var out []prompt.Item
	for i := range messages {
		m := messages[i].following(messages[i+1:])
		results := 0
		for _, sent := range m.append(nil) {
			item := prompt.Item{Message: sent, Said: m.Typed, Earlier: m.Earlier}
			if sent.Role == model.RoleTool {
				item.Exit = m.Calls[results].Exit
				results++
			}
			out = append(out, item)
		}
	}
	return out
}

// shortenResults applies a session.truncation of this program: old results of tools are no
// longer sent in full. A replay gives the same result, because it depends only on the thread. The released messages are shortened when [Thread.All] reads them:
// for that it has to read this event too.
func (t *Thread) shortenResults(s *State, data wire.Raw) {
	if data.Get("performedBy").Text() != wire.TruncatedByUs {
		return
	}
	if t.Released > 0 {
		t.releasedAt = s.Seq
	}
	short, freed := prompt.Trim(Items(t.Messages))
	if freed == 0 {
		return
	}
	at := 0
	t.Messages = slices.Clone(t.Messages) // copies of the thread may be in use
	for i := range t.Messages {
		m := &t.Messages[i]
		m.Calls = slices.Clone(m.Calls)
		sent := len(m.following(t.Messages[i+1:]).append(nil))
		results := 0
		for n := range sent {
			if it := short[at+n]; it.Role == model.RoleTool {
				m.Calls[results].Result = it.Content
				results++
			}
		}
		at += sent
	}
	t.weigh()
}

func (s *State) applySummary(data wire.Raw, _ time.Time) { s.Summarizing = false }

// compact replaces messages by their summary. In a log of another runtime the summary
// replaces all messages before it.
func (t *Thread) compact(s *State, data wire.Raw) {
	t.Summarizing = false
	if !data.Get("success").True() {
		return
	}
	c := wire.Condensed{Entries: t.Len()}
	if ours := data.Get(wire.FieldCondensed); ours != nil && (json.Unmarshal(ours, &c) != nil || c.Entries < 0 || c.Entries > t.Len()) {
		return // ignore it: keeping too much is safer than dropping the wrong messages
	}
	summary := prompt.ParseSummary(data.Get("summaryContent").Text()).Text
	t.replace(c.Entries, Message{FromUser: true, Text: prompt.SummaryMessage(c.Said, summary), Earlier: c.Said}, s.Seq)
	t.Summaries++
	if t.AgentID == "" {
		s.Epoch++
	}
}

// replace puts one message in the place of the first n. seq is the position of the
// event of the summary.
func (t *Thread) replace(n int, with Message, seq uint64) {
	t.Instructed = nil
	t.LeftOut, t.answeredWithout = wire.LeftOut{}, wire.LeftOut{} // they count from the last summary
	if n < t.Released {                                           // released messages follow the new one: release it too, and drop those that it replaces
		t.Released, t.releasedAt = t.Released-n+1, seq
		return
	}
	t.Messages = append([]Message{with}, t.Messages[n-t.Released:]...)
	t.Released, t.releasedAt = 0, 0
	t.weigh()
}

// attemptOf is the id of the compaction that an event begins.
func attemptOf(data wire.Raw) string {
	return strings.Clone(data.Get("compactionAttemptId").Text())
}
