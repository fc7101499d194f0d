package strict

import (
	"encoding/json"
	"slices"
	"strings"
)

// anthropicConversation checks the messages of a request in order.
type anthropicConversation struct {
	model  modelOf
	memory *memory
	prompt []string // what came so far
	marks  int      // of the cache
	role   string   // of the message before
	open   []string // the calls of the answer before
	ids    []string // of all calls
	// thinkingFirst is that the last turn begins with thinking, atEnd that the last message has
	// results of calls, within that it has nothing else, so that the turn goes on.
	thinkingFirst, atEnd, within bool
	signed                       map[int]int // how many signed blocks of each answer have come back
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Citations json.RawMessage `json:"citations"`
	Cache     json.RawMessage `json:"cache_control"`
	Thinking  *string         `json:"thinking"`
	Signature *string         `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Title     string          `json:"title"`
	Context   string          `json:"context"`
	Source    *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
}

// message checks one message.
// Source: platform.claude.com/docs/en/api/messages/create ("messages"), and
// .../agents-and-tools/tool-use/implement-tool-use ("Handling results").
func (c *anthropicConversation) message(i int, raw json.RawMessage) error {
	var m struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := exactly(raw, &m); err != nil {
		return bad("messages.%d.%s: Extra inputs are not permitted", i, unknown(err))
	}
	switch {
	case m.Role != "user" && m.Role != "assistant":
		return bad("messages.%d.role: Input should be 'user' or 'assistant'", i)
	case i == 0 && m.Role != "user":
		return bad("messages: first message must use the \"user\" role")
	case m.Role == c.role:
		return bad("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", m.Role)
	}
	c.role, c.atEnd = m.Role, false
	blocks := []json.RawMessage{}
	if text, ok := isText(m.Content); ok {
		blocks = append(blocks, json.RawMessage(encode(map[string]string{"type": "text", "text": text})))
	} else if json.Unmarshal(m.Content, &blocks) != nil || len(blocks) == 0 {
		return bad("messages.%d: all messages must have non-empty content", i)
	}
	if err := c.results(i, blocks); err != nil {
		return err
	}
	if m.Role == "assistant" && !c.within {
		c.thinkingFirst = kindOf(blocks[0]) == "thinking"
	}
	c.within = m.Role == "user" && kindOf(blocks[len(blocks)-1]) == "tool_result"
	for j, block := range blocks {
		if err := c.block(i, j, block); err != nil {
			return err
		}
		c.prompt = append(c.prompt, m.Role+withoutCache(block))
	}
	return nil
}

// results checks that a message begins with the results of all calls of the answer before, and has
// no others.
func (c *anthropicConversation) results(i int, blocks []json.RawMessage) error {
	open := c.open
	c.open = nil
	results := true
	for _, raw := range blocks {
		var b struct {
			Type string `json:"type"`
			ID   string `json:"tool_use_id"`
		}
		_ = json.Unmarshal(raw, &b) // the block is checked later
		if b.Type != "tool_result" {
			results = false
			continue
		}
		at := slices.Index(open, b.ID)
		switch {
		case at < 0:
			return bad("messages.%d.content.0: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, b.ID)
		case !results:
			return bad("messages.%d: `tool_result` blocks must come first in the content", i)
		}
		open = slices.Delete(slices.Clone(open), at, at+1)
		c.atEnd = true
	}
	return c.unanswered(i, open)
}

func (c *anthropicConversation) unanswered(i int, open []string) error {
	if len(open) == 0 {
		return nil
	}
	return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(open, ", "))
}

func (c *anthropicConversation) block(i, j int, raw json.RawMessage) error {
	var b anthropicBlock
	if err := exactly(raw, &b); err != nil {
		return bad("messages.%d.content.%d.%s: Extra inputs are not permitted", i, j, unknown(err))
	}
	c.cached(b.Cache)
	ofAnswer := c.role == "assistant"
	switch {
	case b.Type == "text" && b.Text != nil:
		if blank(*b.Text) {
			return bad("messages: text content blocks must contain non-whitespace text")
		}
		return nil
	case (b.Type == "image" || b.Type == "document") && !ofAnswer:
		return b.media(i, j)
	case b.Type == "tool_result" && !ofAnswer:
		return b.result(i, j)
	case b.Type == "tool_use" && ofAnswer:
		return c.call(i, j, &b)
	case (b.Type == "thinking" || b.Type == "redacted_thinking") && ofAnswer:
		if b.Cache != nil {
			return bad("messages.%d.content.%d.%s.cache_control: Extra inputs are not permitted", i, j, b.Type)
		}
		return c.thinking(i, j, &b)
	}
	return bad("messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, j, b.Type)
}

// text checks a block of the system text.
func (c *anthropicConversation) text(raw json.RawMessage, where string, i int) error {
	var b anthropicBlock
	if err := exactly(raw, &b); err != nil || b.Type != "text" || b.Text == nil {
		return bad("%s.%d: Input should be a text block", where, i)
	}
	c.cached(b.Cache)
	if *b.Text == "" {
		return bad("%s: text content blocks must be non-empty", where)
	}
	return nil
}

// media checks an image or a document.
// Source: platform.claude.com/docs/en/build-with-claude/vision, and .../pdf-support.
func (b *anthropicBlock) media(i, j int) error {
	s := b.Source
	switch {
	case s == nil:
		return bad("messages.%d.content.%d.%s.source: Field required", i, j, b.Type)
	case s.Type == "url" && strings.HasPrefix(s.URL, "https://"):
		return nil
	case s.Type != "base64":
		return bad("messages.%d.content.%d.%s.source: Input tag '%s' found using 'type' does not match any of the expected tags", i, j, b.Type, s.Type)
	}
	_, data, ok := dataURL("data:" + s.MediaType + ";base64," + s.Data)
	switch {
	case !ok:
		return bad("messages.%d.content.%d.%s.source.base64.data: The image was specified using invalid base64", i, j, b.Type)
	case b.Type == "document" && (s.MediaType != "application/pdf" || !isPDF(data)):
		return bad("messages.%d.content.%d.document.source.base64: The PDF specified was not valid.", i, j)
	case b.Type == "image" && !isImage(s.MediaType, data):
		return bad("messages.%d.content.%d.image.source.base64.media_type: Image does not match the provided media type %s", i, j, s.MediaType)
	}
	return nil
}

func (b *anthropicBlock) result(i, j int) error {
	if text, ok := isText(b.Content); ok || b.Content == nil {
		if text == "" && b.IsError {
			return bad("messages.%d.content.%d.tool_result: content cannot be empty if `is_error` is true", i, j)
		}
		return nil
	}
	var blocks []json.RawMessage
	if json.Unmarshal(b.Content, &blocks) != nil {
		return bad("messages.%d.content.%d.tool_result.content: Input should be a valid list", i, j)
	}
	for _, raw := range blocks {
		var in anthropicBlock
		if err := exactly(raw, &in); err != nil {
			return bad("messages.%d.content.%d.tool_result.content.%s: Extra inputs are not permitted", i, j, unknown(err))
		}
		switch {
		case in.Type == "text" && in.Text != nil && *in.Text != "":
		case in.Type == "image" || in.Type == "document":
			if err := in.media(i, j); err != nil {
				return err
			}
		default:
			return bad("messages.%d.content.%d.tool_result.content: text content blocks must be non-empty", i, j)
		}
	}
	return nil
}

func (c *anthropicConversation) call(i, j int, b *anthropicBlock) error {
	switch {
	case !plain(b.ID, 64):
		return bad("messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", i, j)
	case !plain(b.Name, 200):
		return bad("messages.%d.content.%d.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'", i, j)
	case slices.Contains(c.ids, b.ID):
		return bad("messages.%d.content.%d: `tool_use` ids must be unique", i, j)
	case !isObject(b.Input):
		return bad("messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, j)
	}
	c.open, c.ids = append(c.open, b.ID), append(c.ids, b.ID)
	return nil
}

// thinking checks that a block is as it was given out. Newer models also want the prompt before it
// unchanged.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking ("Preserving thinking
// blocks"), and .../build-with-claude/preserved-thinking.
func (c *anthropicConversation) thinking(i, j int, b *anthropicBlock) error {
	if b.Type == "redacted_thinking" || b.Thinking == nil || b.Signature == nil {
		return bad("messages.%d.content.%d.thinking.signature: Field required", i, j)
	}
	g, ok := c.memory.given[*b.Signature]
	switch {
	case !ok || g.content != *b.Thinking: // anthropics/claude-code#10627
		return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
	case g.model != c.model.id:
		c.memory.note("thinking of another model is dropped")
		return nil
	case c.model.id == opus55 && !g.unchanged(c.prompt):
		return bad("messages.%d.content.%d: `thinking` block is bound to a different conversation", i, j)
	}
	if c.signed == nil {
		c.signed = map[int]int{}
	}
	c.signed[g.answer]++
	return nil
}

// end checks what only the whole conversation shows.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking ("Extended thinking with
// tool use"), n8n-io/n8n#22550; .../prompt-caching ("up to 4 cache breakpoints").
func (c *anthropicConversation) end(budget bool) error {
	if err := c.unanswered(len(c.prompt), c.open); err != nil {
		return err
	}
	for _, g := range c.memory.given {
		if n := c.signed[g.answer]; n > 0 && n < g.of {
			return bad("messages: `thinking` blocks of one answer were left out between others")
		}
	}
	switch {
	case c.role == "assistant":
		return bad("This model does not support assistant message prefill. The conversation must end with a user message.")
	case budget && c.atEnd && !c.thinkingFirst:
		return bad("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).")
	case c.marks > 4:
		return bad("A maximum of 4 blocks with cache_control may be provided. Found %d.", c.marks)
	}
	return nil
}
