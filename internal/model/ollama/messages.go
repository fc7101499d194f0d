package ollama

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// field is where thinking is in messages.
const field = "thinking"

// appendMessages appends a conversation, for the model to. A result names the tool that was
// called.
func appendMessages(b []byte, list []model.Message, to model.Origin) []byte {
	names := map[string]string{} // of calls, by their ids
	b = append(b, '[')
	first := len(b)
	for i := range list {
		m := &list[i]
		if m.Role == model.RoleAssistant && m.Content == "" && len(m.ToolCalls) == 0 {
			continue
		}
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
		if len(b) > first {
			b = append(b, ',')
		}
		b = appendMessage(b, m, to, names[m.ToolCallID])
	}
	return append(b, ']')
}

func appendMessage(b []byte, m *model.Message, to model.Origin, tool string) []byte {
	text, images := contentOf(m)
	b = wire.AppendString(append(b, `{"role":`...), string(m.Role))
	b = wire.AppendString(append(b, `,"content":`...), text)
	if thoughts := thoughtsOf(m, to); thoughts != "" {
		b = wire.AppendString(append(b, `,"thinking":`...), thoughts)
	}
	for i, image := range images {
		b = append(b, [...]string{`,"images":[`, `,`}[min(i, 1)]...)
		b = wire.AppendString(b, image)
	}
	if len(images) > 0 {
		b = append(b, ']')
	}
	for i := range m.ToolCalls {
		b = append(b, [...]string{`,"tool_calls":[`, `,`}[min(i, 1)]...)
		b = appendCall(b, i, &m.ToolCalls[i])
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, ']')
	}
	if m.ToolCallID != "" {
		b = wire.AppendString(append(b, `,"tool_name":`...), tool)
		b = wire.AppendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	return append(b, '}')
}

func appendCall(b []byte, index int, c *model.ToolCall) []byte {
	b = wire.AppendString(append(b, `{"id":`...), c.ID)
	b = strconv.AppendInt(append(b, `,"function":{"index":`...), int64(index), 10)
	b = wire.AppendString(append(b, `,"name":`...), c.Name)
	return append(append(append(b, `,"arguments":`...), c.Object()...), "}}"...)
}

// contentOf returns the text of a message, and its images as base64. Only data can be sent;
// models get a note about anything else.
func contentOf(m *model.Message) (text string, images []string) {
	if m.Parts == nil {
		return m.Content, nil
	}
	var texts []string
	for _, p := range m.Parts {
		_, data, inline := strings.Cut(strings.TrimPrefix(p.ImageURL, "data:"), ";base64,")
		switch {
		case p.Document != nil:
			texts = append(texts, "(The file "+p.Document.Name+", of the type "+p.Document.MediaType+", that you cannot read.)")
		case p.ImageURL == "":
			texts = append(texts, p.Text)
		case inline:
			images = append(images, data)
		default:
			texts = append(texts, "(An image at "+p.ImageURL+" that you cannot see.)")
		}
	}
	return strings.Join(texts, "\n"), images
}

// thoughtsOf is the thinking of an answer that goes back to the model to.
func thoughtsOf(m *model.Message, to model.Origin) string {
	var b strings.Builder
	for i := range m.Reasoning {
		if r := &m.Reasoning[i]; r.Origin == to && r.Field == field {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}
