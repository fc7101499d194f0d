package strict

import (
	"encoding/json"
	"slices"
	"strings"
)

// chatConversation checks the messages of a request in order.
type chatConversation struct {
	model  modelOf
	memory *memory
	open   []string // calls whose results have not come yet
	after  bool     // the message before is an answer with calls, or a result of one
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	Refusal    *string         `json:"refusal"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	Reasoning  *string         `json:"reasoning_content"` // DeepSeek's
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

// message checks one message.
// Source: developers.openai.com/api/reference/resources/chat/completions/create ("messages").
func (c *chatConversation) message(i int, raw json.RawMessage) error {
	var m chatMessage
	if err := exactly(raw, &m); err != nil {
		return bad("Additional properties are not allowed - 'messages.%d': %v", i, err)
	}
	if m.Reasoning != nil && (c.model.id != deepSeek || m.Role != "assistant") {
		return bad("Additional properties are not allowed ('reasoning_content' was unexpected) - 'messages.%d'", i)
	}
	if m.Role != "tool" {
		if err := c.complete(); err != nil {
			return err
		}
	}
	switch m.Role {
	case "system", "user":
		c.after = false
		return c.content(i, &m)
	case "developer":
		c.after = false
		if c.model.id == deepSeek {
			return bad("messages[%d].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`", i)
		}
		return c.content(i, &m)
	case "assistant":
		return c.assistant(i, &m)
	case "tool":
		return c.result(i, &m)
	}
	return coded("invalid_value", "messages", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
}

// complete reports calls without results.
func (c *chatConversation) complete() error {
	if len(c.open) == 0 {
		return nil
	}
	return bad("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(c.open, ", "))
}

func (c *chatConversation) assistant(i int, m *chatMessage) error {
	c.after = len(m.ToolCalls) > 0
	text, isString := isText(m.Content)
	null := m.Content == nil || string(m.Content) == "null"
	switch {
	case null && len(m.ToolCalls) == 0 && m.Refusal == nil:
		return coded("invalid_type", "messages", "Invalid value for 'content': expected a string, got null.")
	case !null && !isString:
		return bad("strict: 'messages.%d.content' of an answer is not a string; some models imitate lists", i)
	case text == "" && isString && len(m.ToolCalls) == 0 && c.model.id == deepSeek:
		return bad("Invalid assistant message: content or tool_calls must be set")
	}
	for j, call := range m.ToolCalls {
		f := &call.Function
		switch {
		case call.Type != "function" || f.Arguments == nil:
			return coded("missing_required_parameter", "messages", "Missing required parameter: 'messages[%d].tool_calls[%d].function.arguments'.", i, j)
		case call.ID == "" || len(call.ID) > 40: // vercel/ai#5171
			return coded("string_above_max_length", "messages", "Invalid 'messages[%d].tool_calls[%d].id': string too long. Expected a string with maximum length 40, but got a string with length %d instead.", i, j, len(call.ID))
		case !plain(f.Name, 64):
			return coded("invalid_value", "messages", "Invalid 'messages[%d].tool_calls[%d].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", i, j)
		case c.model.id == deepSeek && c.memory.thoughts[call.ID] != "" && (m.Reasoning == nil || *m.Reasoning != c.memory.thoughts[call.ID]):
			// Source: api-docs.deepseek.com/guides/thinking_mode ("Tool calls").
			return bad("The reasoning_content in the thinking mode must be passed back to the API. (messages[%d])", i)
		case slices.Contains(c.open, call.ID):
			return bad("strict: two calls of messages[%d] have the id %s", i, call.ID)
		}
		c.open = append(c.open, call.ID)
	}
	return nil
}

func (c *chatConversation) result(i int, m *chatMessage) error {
	at := slices.Index(c.open, m.ToolCallID)
	if !c.after || at < 0 {
		return bad("Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. (messages[%d])", i)
	}
	c.open = slices.Delete(c.open, at, at+1)
	if _, ok := isText(m.Content); !ok {
		return coded("invalid_type", "messages", "Invalid value for 'messages[%d].content': expected a string.", i)
	}
	return nil
}

// content checks what a user, or the system, says.
func (c *chatConversation) content(i int, m *chatMessage) error {
	if len(m.ToolCalls) > 0 || m.ToolCallID != "" || m.Refusal != nil {
		return bad("Additional properties are not allowed - 'messages.%d'", i)
	}
	if _, ok := isText(m.Content); ok {
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0 {
		return coded("invalid_type", "messages", "Invalid type for 'messages[%d].content': expected one of a string or array of objects.", i)
	}
	for _, raw := range parts {
		if err := c.part(raw, m.Role); err != nil {
			return err
		}
	}
	return nil
}

func (c *chatConversation) part(raw json.RawMessage, role string) error {
	var p struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
		File *struct {
			Name string `json:"filename"`
			Data string `json:"file_data"`
		} `json:"file"`
		Image *struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
	}
	if err := exactly(raw, &p); err != nil {
		return coded("unknown_parameter", "messages", "Unknown parameter: %v", err)
	}
	switch {
	case p.Type == "text" && p.Text != nil && *p.Text != "" && p.File == nil && p.Image == nil:
		return nil
	case p.Type == "text":
		return coded("invalid_value", "messages", "Invalid content part: text content blocks must be non-empty.")
	case role != "user" || c.model.id == deepSeek:
		return coded("invalid_value", "messages", "Invalid content type: %s is not supported in %s messages by this model.", p.Type, role)
	case p.Type == "image_url" && p.Image != nil:
		return openAIImage(p.Image.URL, "messages")
	case p.Type == "file" && p.File != nil:
		return openAIFile(p.File.Name, p.File.Data, "messages.file")
	}
	return coded("invalid_value", "messages", "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", p.Type)
}
