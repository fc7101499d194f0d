package prompt

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// Compaction is a plan to replace the beginning of a conversation by a summary.
type Compaction struct {
	// Cut is the number of items to replace. The items after them stay unchanged.
	Cut int
	// Request has the messages to send, without tools: the system message, the items before
	// Cut, and the request for a summary.
	Request []model.Message
	// LeftOut counts the messages, the oldest, that did not fit into Request.
	LeftOut int

	said   []string
	window int64
}

// CompactOptions configures [NewCompaction].
type CompactOptions struct {
	// System is the system message.
	System string
	// Focus is what the user wants the summary to concentrate on; empty for none.
	Focus string
	// Window is the model's context window in tokens; 0 means unknown, and then all messages
	// are sent.
	Window int64
	// BytesPerToken is as for [Measure].
	BytesPerToken float64
}

// The summary may take one answerShare-th of the window, which is kept free for it.
const answerShare = 8

// budget returns how many bytes of messages fit into the request; 0 means no limit.
func (o CompactOptions) budget() int64 {
	if o.Window <= 0 {
		return 0
	}
	if !(o.BytesPerToken >= 1) {
		o.BytesPerToken = 4
	}
	room := float64(o.Window-o.Window/answerShare) * o.BytesPerToken
	return max(int64(room)-int64(len(o.System)+len(compactText)+len(o.Focus)+200), 1)
}

//go:embed sections/compact.md
var compactText string

// NewCompaction plans a summary of the whole conversation, except for calls at its end that
// have no result yet. The user's own messages are kept in addition to the summary, see
// [Kept]. If the request would not fit into the window, it loses old results first, then
// pictures, then all results, then the oldest messages.
//
// It returns an error if there is nothing to summarize, or not enough space to do so.
func NewCompaction(items []Item, o CompactOptions) (Compaction, error) {
	c := Compaction{Cut: closed(items), window: o.Window}
	before := items[:c.Cut]
	if !slices.ContainsFunc(before, func(it Item) bool { return it.Role != model.RoleUser }) {
		return c, fault.New(fault.Invalid, "prompt.NewCompaction", "", "there is nothing to summarize yet")
	}
	for _, it := range before {
		c.said = append(c.said, it.Earlier...)
		if it.Said != "" {
			c.said = append(c.said, it.Said)
		}
	}
	before, c.LeftOut = fit(before, o.budget())
	if len(before) == 0 {
		return c, &fault.Error{
			Op: "prompt.NewCompaction", Kind: fault.Unavailable,
			Err:  fmt.Errorf("the last message alone fills the context window"),
			Hint: "choose a model with a larger one, or send less at once",
		}
	}
	if o.System != "" {
		c.Request = append(c.Request, model.Message{Role: model.RoleSystem, Content: o.System})
	}
	for _, it := range before {
		c.Request = append(c.Request, it.Message)
	}
	c.Request = append(c.Request, model.Message{Role: model.RoleUser, Content: c.task(o.Focus)})
	return c, nil
}

// task returns the last message of the request. Recordings match its beginning.
func (c Compaction) task(focus string) string {
	text := strings.TrimSpace(compactText)
	if focus = strings.TrimSpace(focus); focus != "" {
		text += "\n\nThe person wants the summary to look at this above all: " + focus
	}
	if c.LeftOut > 0 {
		text += fmt.Sprintf("\n\nThe first %d messages are missing here, because there is no room for them.", c.LeftOut)
	}
	return text
}

// closed returns how many items at the beginning can be removed together: every call in them
// has its result, and every result after them has its call.
func closed(items []Item) int {
	for i := len(items) - 1; i >= 0; i-- {
		it := items[i]
		if it.Role != model.RoleAssistant || len(it.ToolCalls) == 0 {
			continue
		}
		answered := map[string]bool{}
		for _, r := range items[i+1:] {
			if r.Role == model.RoleTool {
				answered[r.ToolCallID] = true
			}
		}
		for _, call := range it.ToolCalls {
			if !answered[call.ID] {
				return i
			}
		}
		break // all calls before this message have results, otherwise it could not have been sent
	}
	return len(items)
}

// Apply replaces the first [Compaction.Cut] items by one message with the summary. The other
// items, also those added since the plan was made, stay unchanged. An empty answer is an
// error; the conversation must then stay as it is.
func (c Compaction) Apply(items []Item, answer string) ([]Item, error) {
	s := ParseSummary(answer)
	if s.Text == "" {
		return items, fault.New(fault.Unavailable, "prompt.Apply", "", "the model returned no summary")
	}
	kept := KeptMessages(c.said, c.window)
	first := Item{Message: model.Message{Role: model.RoleUser, Content: SummaryMessage(kept, s.Text)}, Earlier: kept}
	return append([]Item{first}, items[c.Cut:]...), nil
}

// SummaryMessage returns the message that replaces a conversation: the user's messages and
// the summary. Recordings match it.
func SummaryMessage(said []string, summary string) string {
	var b strings.Builder
	b.WriteString("Some of the conversation history has been summarized to free up context.\n\n")
	if len(said) > 0 {
		b.WriteString("You were originally given instructions from a user over one or more turns. Here were the user messages:\n")
		for _, text := range said {
			b.WriteString("<user_message>\n" + text + "\n</user_message>\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("Here is a summary of the prior context:\n<summary>\n" + summary + "\n</summary>")
	return b.String()
}
