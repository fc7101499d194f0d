package chat

import (
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The request is written out by hand because it repeats the whole conversation with
// each turn, which is what makes late turns of a long session slower than early ones.
// The order of keys is fixed, because providers cache prompts by prefix.

// noParameters is sent for a tool without a schema; providers insist on one.
const noParameters = `{"type":"object","properties":{}}`

// encode returns the body of one call. It fails only on a tool whose Parameters
// are not JSON.
func encode(e *model.Endpoint, r *model.Request) (b []byte, err error) {
	b = make([]byte, 0, r.EncodedSize())
	b = wire.AppendString(append(b, `{"model":`...), r.ModelAt(e))
	b = append(b, `,"messages":`...)
	b = appendMessages(b, r.Messages, readerOf(e, r), marksOf(e, r))
	if len(r.Tools) > 0 {
		b = append(b, `,"tools":`...)
		b = appendList(b, r.Tools, func(b []byte, t *model.Tool) []byte {
			b, failed := t.AppendEncoding(b, Name, appendTool)
			if err == nil {
				err = failed
			}
			return b
		})
	}
	if r.Stream {
		b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	}
	if limit := r.OutputLimit(e); limit != 0 {
		name := `,"max_tokens":`
		if e.CompletionTokens {
			name = `,"max_completion_tokens":`
		}
		b = strconv.AppendInt(append(b, name...), int64(limit), 10)
	}
	if r.ReasoningEffort != "" {
		b = wire.AppendString(append(b, `,"reasoning_effort":`...), r.ReasoningEffort)
	}
	if r.Format != nil {
		b = appendFormat(b, r.Format)
	}
	b = appendCacheKey(b, e, r)
	return append(b, '}'), err
}

func appendFormat(b []byte, f *model.ResponseFormat) []byte {
	b = wire.AppendString(append(b, `,"response_format":{"type":"json_schema","json_schema":{"name":`...), f.Name)
	if f.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), f.Description)
	}
	if f.Strict != nil {
		b = strconv.AppendBool(append(b, `,"strict":`...), *f.Strict)
	}
	b = append(append(b, `,"schema":`...), f.Schema...)
	return append(b, "}}"...)
}

// appendList appends a JSON list, of which each appends one element.
func appendList[T any](b []byte, list []T, each func([]byte, *T) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = each(b, &list[i])
	}
	return append(b, ']')
}

// appendMessages appends the conversation, for the model to. It is a loop of its own
// because it takes nearly all of the time.
func appendMessages(b []byte, list []model.Message, to model.Origin, cache *marks) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		start := len(b)
		b = appendMessage(b, &list[i], &to)
		if cache.at(i) {
			b = mark(b, start, &list[i])
		}
	}
	return append(b, ']')
}

func appendMessage(b []byte, m *model.Message, to *model.Origin) []byte {
	b = wire.AppendString(append(b, `{"role":`...), string(m.Role))
	b = appendContent(append(b, `,"content":`...), m)
	if len(m.Reasoning) > 0 {
		b = appendReasoning(b, m.Reasoning, *to)
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":`...)
		b = appendList(b, m.ToolCalls, appendToolCall)
	}
	if m.ToolCallID != "" {
		b = wire.AppendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	return append(b, '}')
}

// appendContent appends null only if there are tool calls: otherwise providers want a
// string, and as a tool's result they take nothing else.
func appendContent(b []byte, m *model.Message) []byte {
	switch {
	case m.Parts != nil:
		return appendList(b, m.Parts, appendPart)
	case m.Content == "" && len(m.ToolCalls) > 0:
		return append(b, "null"...)
	}
	return wire.AppendString(b, m.Content)
}

func appendPart(b []byte, p *model.Part) []byte {
	if p.ImageURL != "" {
		b = wire.AppendString(append(b, `{"type":"image_url","image_url":{"url":`...), p.ImageURL)
		return append(b, "}}"...)
	}
	b = wire.AppendString(append(b, `{"type":"text","text":`...), p.Text)
	return append(b, '}')
}

func appendToolCall(b []byte, c *model.ToolCall) []byte {
	b = wire.AppendString(append(b, `{"id":`...), c.ID)
	b = wire.AppendString(append(b, `,"type":"function","function":{"name":`...), c.Name)
	b = wire.AppendString(append(b, `,"arguments":`...), c.Arguments)
	return append(b, "}}"...)
}

func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"type":"function","function":{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"parameters":`...)
	if len(t.Parameters) == 0 {
		b = append(b, noParameters...)
	}
	b = append(b, t.Parameters...)
	return append(b, "}}"...)
}
