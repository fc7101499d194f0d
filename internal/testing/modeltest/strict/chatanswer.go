package strict

// The answers of chat completions.
// Source: developers.openai.com/api/reference/resources/chat/completions/streaming-events, and for
// DeepSeek api-docs.deepseek.com/guides/thinking_mode.

const chatID = "chatcmpl-strict"

func (chat) finish(r *Reply) string {
	switch {
	case r.Word != "":
		return r.Word
	case r.End == Length:
		return "length"
	case r.End == Filtered:
		return "content_filter"
	case r.calls():
		return "tool_calls"
	}
	return "stop"
}

// usage has totals with everything in them.
func (chat) usage(u Usage, m modelOf) map[string]any {
	in, out := u.Input+u.CacheRead+u.CacheWrite, u.Output+u.Reasoning
	if m.id == deepSeek {
		return map[string]any{
			"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out, "prompt_cache_hit_tokens": u.CacheRead,
			"prompt_cache_miss_tokens": in - u.CacheRead, "completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
		}
	}
	return map[string]any{
		"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// events sends pieces as OpenAI does, with padding that means nothing, and DeepSeek's comments.
func (c chat) events(r *Reply, a *asked, m *memory) []event {
	var out []event
	chunk := func(choices []any, usage any) {
		out = append(out, event{data: encode(map[string]any{
			"id": chatID, "object": "chat.completion.chunk", "created": 1, "model": a.model.id, "service_tier": "default",
			"system_fingerprint": "fp_1", "choices": choices, "usage": usage, "obfuscation": "xyz",
		})})
	}
	delta := func(d map[string]any, finish any) {
		chunk([]any{map[string]any{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
	if a.model.id == deepSeek {
		out = append(out, event{comment: "keep-alive"})
	} else {
		out = append(out, event{data: `{"type":"keepalive"}`})
	}
	calls, thought := 0, ""
	for _, p := range r.Parts {
		thought += p.Reasoning
		for _, piece := range pieces(p.Text) {
			delta(map[string]any{"content": piece}, nil)
		}
		if a.shows {
			for _, piece := range pieces(p.Reasoning) {
				delta(map[string]any{"content": nil, "reasoning_content": piece}, nil)
			}
		}
		if p.Call != nil {
			id := m.id("call_")
			if a.shows {
				m.think(id, thought)
			}
			chatCallPieces(p.Call, calls, id, delta)
			calls++
		}
	}
	delta(map[string]any{}, c.finish(r))
	if a.usage {
		chunk([]any{}, c.usage(r.Usage, a.model))
	}
	return append(out, event{data: "[DONE]"})
}

// chatCallPieces sends id and name first, then the arguments alone.
func chatCallPieces(call *Call, index int, id string, delta func(map[string]any, any)) {
	delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": id, "type": "function", "function": map[string]any{"name": call.Name, "arguments": ""},
	}}}, nil)
	for _, piece := range pieces(call.Arguments) {
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": index, "function": map[string]any{"arguments": piece}}}}, nil)
	}
}

func (c chat) whole(r *Reply, a *asked, m *memory) string {
	text, reasoning, calls := "", "", []any{}
	for _, p := range r.Parts {
		text += p.Text
		reasoning += p.Reasoning
		if p.Call != nil {
			id := m.id("call_")
			if a.shows {
				m.think(id, reasoning)
			}
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": p.Call.Name, "arguments": p.Call.Arguments}})
		}
	}
	message := map[string]any{"role": "assistant", "content": text, "refusal": nil, "annotations": []any{}}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	if a.shows {
		message["reasoning_content"] = reasoning
	}
	return encode(map[string]any{
		"id": chatID, "object": "chat.completion", "created": 1, "model": a.model.id, "usage": c.usage(r.Usage, a.model),
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": c.finish(r)}},
	})
}

// during is an error within a stream. Source: openrouter.ai/docs/api/errors; OpenAI sends the same
// form.
func (chat) during() event {
	return event{data: openAIFailure(Broken).openAIError()}
}
