package strict

import "encoding/json"

// The answers of Messages.
// Source: platform.claude.com/docs/en/build-with-claude/streaming, and .../api/messages.

const messageID = "msg_strict"

// content are the blocks of an answer.
func (anthropic) content(r *Reply, a *asked, m *memory) (blocks []map[string]any) {
	signed := 0
	for _, p := range r.Parts {
		if p.Reasoning != "" {
			signed++
		}
	}
	m.ids++
	answer := m.ids
	for _, p := range r.Parts {
		switch {
		case p.Call != nil:
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": m.id("toolu_"), "name": p.Call.Name, "input": json.RawMessage(p.Call.Arguments)})
		case p.Reasoning != "":
			shown := ""
			if a.shows {
				shown = p.Reasoning
			}
			signature := m.sign(given{model: a.model.id, content: shown, answer: answer, of: signed, before: len(a.prompt), prefix: digest(a.prompt)})
			blocks = append(blocks, map[string]any{"type": "thinking", "thinking": shown, "signature": signature})
		default:
			blocks = append(blocks, map[string]any{"type": "text", "text": p.Text})
		}
	}
	return blocks
}

func (anthropic) stop(r *Reply) string {
	switch {
	case r.Word != "":
		return r.Word
	case r.End == Length:
		return "max_tokens"
	case r.End == Filtered:
		return "refusal"
	case r.calls():
		return "tool_use"
	}
	return "end_turn"
}

// usage has each token of the prompt once; thinking is in the output.
func (anthropic) usage(u Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output + u.Reasoning,
		"output_tokens_details": map[string]any{"thinking_tokens": u.Reasoning}, "service_tier": "standard",
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": 0},
	}
}

func (n anthropic) message(r *Reply, a *asked, content any, usage any, stop any) map[string]any {
	return map[string]any{
		"id": messageID, "type": "message", "role": "assistant", "model": a.model.id, "content": content, "stop_reason": stop,
		"stop_sequence": nil, "usage": usage,
	}
}

func (n anthropic) events(r *Reply, a *asked, m *memory) []event {
	var out []event
	add := func(kind string, members map[string]any) {
		members["type"] = kind
		out = append(out, event{name: kind, data: encode(members)})
	}
	begun := n.usage(r.Usage)
	begun["output_tokens"] = 1
	delete(begun, "output_tokens_details")
	add("message_start", map[string]any{"message": n.message(r, a, []any{}, begun, nil)})
	add("ping", map[string]any{})
	for i, b := range n.content(r, a, m) {
		delta := func(d map[string]any) { add("content_block_delta", map[string]any{"index": i, "delta": d}) }
		switch b["type"] {
		case "text":
			add("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "text", "text": ""}})
			for _, piece := range pieces(b["text"].(string)) {
				delta(map[string]any{"type": "text_delta", "text": piece})
			}
		case "thinking":
			add("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "thinking", "thinking": "", "signature": ""}})
			for _, piece := range pieces(b["thinking"].(string)) {
				delta(map[string]any{"type": "thinking_delta", "thinking": piece})
			}
			delta(map[string]any{"type": "signature_delta", "signature": b["signature"]})
		case "tool_use":
			add("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}})
			delta(map[string]any{"type": "input_json_delta", "partial_json": ""})
			for _, piece := range pieces(compact(b["input"].(json.RawMessage))) {
				delta(map[string]any{"type": "input_json_delta", "partial_json": piece})
			}
		}
		add("content_block_stop", map[string]any{"index": i})
		add("something_new", map[string]any{"index": i})
	}
	ended := n.usage(r.Usage)
	delete(ended, "input_tokens") // only what has changed since
	add("message_delta", map[string]any{"delta": map[string]any{"stop_reason": n.stop(r), "stop_sequence": nil}, "usage": ended})
	add("message_stop", map[string]any{})
	return out
}

func (n anthropic) whole(r *Reply, a *asked, m *memory) string {
	return encode(n.message(r, a, n.content(r, a, m), n.usage(r.Usage), n.stop(r)))
}

func (n anthropic) during() event {
	return event{name: "error", data: n.body(n.failure(Overloaded))}
}
