package model

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The request as it goes over the wire, written out by hand: it repeats the whole
// conversation with each turn, so this is what a turn late in a long session costs
// more than an early one. The order of keys is fixed, because providers cache
// prompts by prefix.

// noParameters is sent for a tool without a schema; providers insist on one.
const noParameters = `{"type":"object","properties":{}}`

// encode returns the body of one call. It fails only on a tool whose Parameters
// are not JSON.
func encode(e *Endpoint, r *Request) ([]byte, error) {
	b := make([]byte, 0, r.size())
	b = wire.AppendString(append(b, `{"model":`...), r.modelAt(e))
	b = append(b, `,"messages":`...)
	b = appendList(b, r.Messages, appendMessage)
	if len(r.Tools) > 0 {
		for i := range r.Tools {
			if err := r.Tools[i].check(); err != nil {
				return nil, err
			}
		}
		b = append(b, `,"tools":`...)
		b = appendList(b, r.Tools, appendTool)
	}
	if r.Stream {
		b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	}
	limit := r.MaxOutputTokens
	if limit == 0 {
		limit = e.MaxOutputTokens
	}
	if limit != 0 {
		b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(limit), 10)
	}
	if r.ReasoningEffort != "" {
		b = wire.AppendString(append(b, `,"reasoning_effort":`...), r.ReasoningEffort)
	}
	return append(b, '}'), nil
}

// size is about how long the body gets, so that it is rarely moved as it grows.
func (r *Request) size() int {
	n := 256
	for i := range r.Messages {
		m := &r.Messages[i]
		n += 64 + len(m.Content) + len(m.Content)/16
		for _, c := range m.ToolCalls {
			n += 96 + len(c.Arguments) + len(c.Arguments)/8
		}
	}
	for i := range r.Tools {
		n += 96 + len(r.Tools[i].Description) + len(r.Tools[i].Parameters)
	}
	return n
}

func (r *Request) modelAt(e *Endpoint) string {
	if e.WireModel != "" {
		return e.WireModel
	}
	return r.Model
}

// appendList appends a JSON list of what each appends.
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

func appendMessage(b []byte, m *Message) []byte {
	b = wire.AppendString(append(b, `{"role":`...), string(m.Role))
	b = m.appendContent(append(b, `,"content":`...))
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":`...)
		b = appendList(b, m.ToolCalls, appendToolCall)
	}
	if m.ToolCallID != "" {
		b = wire.AppendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	return append(b, '}')
}

// appendContent appends null only beside tool calls: elsewhere providers want a
// string, and of a tool's result they take nothing else.
func (m *Message) appendContent(b []byte) []byte {
	switch {
	case m.Parts != nil:
		return appendList(b, m.Parts, appendPart)
	case m.Content == "" && len(m.ToolCalls) > 0:
		return append(b, "null"...)
	}
	return wire.AppendString(b, m.Content)
}

func appendPart(b []byte, p *Part) []byte {
	if p.ImageURL != "" {
		b = wire.AppendString(append(b, `{"type":"image_url","image_url":{"url":`...), p.ImageURL)
		return append(b, "}}"...)
	}
	b = wire.AppendString(append(b, `{"type":"text","text":`...), p.Text)
	return append(b, '}')
}

func appendToolCall(b []byte, c *ToolCall) []byte {
	b = wire.AppendString(append(b, `{"id":`...), c.ID)
	b = wire.AppendString(append(b, `,"type":"function","function":{"name":`...), c.Name)
	b = wire.AppendString(append(b, `,"arguments":`...), c.Arguments)
	return append(b, "}}"...)
}

func (t *Tool) check() error {
	if t.encoded == nil && len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
		return fmt.Errorf("the parameters of the tool %s are not JSON", t.Name)
	}
	return nil
}

func appendTool(b []byte, t *Tool) []byte {
	if t.encoded != nil {
		return append(b, t.encoded...)
	}
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
