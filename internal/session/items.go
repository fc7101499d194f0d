package session

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// items is a conversation as package prompt shortens it: message by message, in the
// order of transcript.
func items(entries []entry) []prompt.Item {
	var out []prompt.Item
	for i := range entries {
		e := &entries[i]
		for _, m := range e.append(nil) {
			out = append(out, prompt.Item{Message: m, Said: e.said, Earlier: e.earlier})
		}
	}
	return out
}

// trimmed folds a session.truncation of ours in: results of tools that are old are
// not read again in full. It does the same on replay as it did live, because it
// depends on the conversation alone.
func (h *history) trimmed(data wire.Raw, _ time.Time) {
	if data.Get("performedBy").Text() != performedByUs {
		return
	}
	short, freed := prompt.Trim(items(h.entries))
	if freed == 0 {
		return
	}
	at := 0
	h.entries = slices.Clone(h.entries) // others may be reading them; see [run.draft]
	for i := range h.entries {
		e := &h.entries[i]
		e.calls = slices.Clone(e.calls)
		results := 0
		for n := range e.append(nil) {
			if m := short[at+n]; m.Role == model.RoleTool {
				e.calls[results].result = m.Content
				results++
			}
		}
		at += len(e.append(nil))
	}
	h.weigh()
}

// condensed is what we add to session.compaction_complete, so that a replay comes to
// the same conversation: how many entries of it the summary stands for, and what of
// people's words is kept beside it.
type condensed struct {
	Entries int      `json:"entries"`
	Said    []string `json:"said"`
}

// compacted folds a summary in. In a log of another runtime it stands for all that
// was said before.
func (h *history) compacted(data wire.Raw, _ time.Time) {
	h.summarizing = false
	if !data.Get("success").True() {
		return
	}
	all := h.gone + len(h.entries)
	c := condensed{Entries: all}
	if ours := data.Get("condensed"); ours != nil && (json.Unmarshal(ours, &c) != nil || c.Entries < 0 || c.Entries > all) {
		return // better a conversation that is long than one that is not what it was
	}
	summary := prompt.ParseSummary(data.Get("summaryContent").Text()).Text
	first := entry{user: true, text: prompt.SummaryMessage(c.Said, summary), earlier: c.Said}
	h.replace(c.Entries, first, h.seq)
	h.epoch++
}

// replace puts one message in the place of the first n. seq is the position of the
// event that says so.
func (c *conversation) replace(n int, with entry, seq uint64) {
	if n < c.gone { // of what came after them, a part was let go, too; the message goes with it
		c.gone, c.goneSeq = c.gone-n+1, seq
		return
	}
	c.entries = append([]entry{with}, c.entries[n-c.gone:]...)
	c.gone, c.goneSeq = 0, 0
	c.weigh()
}

// weigh counts what is held anew.
func (c *conversation) weigh() {
	c.held = 0
	for i := range c.entries {
		c.held += c.entries[i].size()
	}
}
