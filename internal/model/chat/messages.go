package chat

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// appendMessages appends the conversation, for the model to. It is a loop of its own
// because it takes nearly all of the time.
func appendMessages(b []byte, list []model.Message, to model.Origin, how *manners, cache *marks) []byte {
	b = append(b, '[')
	for i := range list {
		m := &list[i]
		if i > 0 {
			b = append(b, ',')
			if how.replyAfterResults && m.Role == model.RoleUser && list[i-1].Role == model.RoleTool {
				b = append(b, `{"role":"assistant","content":"Done."},`...)
			}
		}
		start := len(b)
		b = appendMessage(b, m, &to, how)
		if cache.at(i) {
			b = mark(b, start, m)
		}
	}
	return append(b, ']')
}

func appendMessage(b []byte, m *model.Message, to *model.Origin, how *manners) []byte {
	b = wire.AppendString(append(b, `{"role":`...), string(m.Role))
	b = append(b, `,"content":`...)
	if len(m.Reasoning) > 0 {
		b = appendAnswer(b, m, *to, how)
	} else {
		b = appendContent(b, m, how)
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i := range m.ToolCalls {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendToolCall(b, m, i, to, how)
		}
		b = append(b, ']')
	}
	if m.ToolCallID != "" {
		b = wire.AppendString(append(b, `,"tool_call_id":`...), how.ids.callID(m.ToolCallID))
	}
	return append(b, '}')
}

// appendContent appends null only if there are tool calls: otherwise providers want a
// string, and as a tool's result they take nothing else.
func appendContent(b []byte, m *model.Message, how *manners) []byte {
	switch {
	case m.Parts != nil && m.Role != model.RoleTool:
		return appendParts(b, m.Parts, how)
	case m.Content == "" && len(m.ToolCalls) > 0:
		return append(b, "null"...)
	}
	return wire.AppendString(b, m.Content)
}

// appendParts leaves out texts that are empty, which some providers refuse.
func appendParts(b []byte, parts []model.Part, how *manners) []byte {
	b = append(b, '[')
	n := 0
	for i := range parts {
		p := &parts[i]
		if p.ImageURL == "" && p.Document == nil && p.Text == "" && len(parts) > 1 {
			continue
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = appendPart(b, p, how)
	}
	return append(b, ']')
}

func appendPart(b []byte, p *model.Part, how *manners) []byte {
	switch d := p.Document; {
	case d != nil && how.files:
		b = wire.AppendString(append(b, `{"type":"file","file":{"filename":`...), d.Name)
		b = wire.AppendString(append(b, `,"file_data":`...), "data:"+d.MediaType+";base64,"+d.Data)
		return append(b, "}}"...)
	case d != nil:
		b = wire.AppendString(append(b, `{"type":"text","text":`...), "[The document "+d.Name+" cannot be sent to this model.]")
		return append(b, '}')
	case p.ImageURL != "":
		b = wire.AppendString(append(b, `{"type":"image_url","image_url":{"url":`...), p.ImageURL)
		return append(b, "}}"...)
	}
	b = wire.AppendString(append(b, `{"type":"text","text":`...), p.Text)
	return append(b, '}')
}

func appendToolCall(b []byte, m *model.Message, at int, to *model.Origin, how *manners) []byte {
	c := &m.ToolCalls[at]
	b = wire.AppendString(append(b, `{"id":`...), how.ids.callID(c.ID))
	b = wire.AppendString(append(b, `,"type":"function","function":{"name":`...), c.Name)
	b = wire.AppendString(append(b, `,"arguments":`...), c.Arguments)
	b = append(b, '}')
	if how.signsCalls {
		b = appendSignature(b, m, at, to)
	}
	return append(b, '}')
}
