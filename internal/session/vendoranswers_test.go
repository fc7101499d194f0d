package session_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// answer is the n-th answer as a stream of events. cached and total are tokens of the prompt.
func (a *asked) answer(n int, s said, cached, total int) string {
	switch a.vendor.dialect {
	case responses.Name:
		return responsesAnswer(n, s, cached, total)
	case anthropic.Name:
		return anthropicAnswer(n, s, cached, total)
	case gemini.Name:
		return geminiAnswer(n, s, cached, total)
	}
	return chatAnswer(n, s, cached, total, a.vendor.sealed)
}

// object is JSON.
type object map[string]any

func stream(events ...object) string {
	var b strings.Builder
	for _, e := range events {
		raw, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "data: %s\n\n", raw)
	}
	return b.String()
}

func chatAnswer(n int, s said, cached, total int, opaque bool) string {
	field := "reasoning_content"
	if opaque {
		field = "reasoning_text"
	}
	half := len(thought(n)) / 2
	events := []object{
		{"choices": []object{{"delta": object{field: thought(n)[:half]}}}},
		{"choices": []object{{"delta": object{field: thought(n)[half:]}}}},
	}
	if opaque {
		events = append(events, object{"choices": []object{{"delta": object{"reasoning_opaque": sign(n)}}}})
	}
	events = append(events, object{"choices": []object{{"delta": object{"content": s.text}}}})
	finish := "stop"
	for i, c := range s.calls {
		finish = "tool_calls"
		events = append(events, object{"choices": []object{{"delta": object{"tool_calls": []object{{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments},
		}}}}}})
	}
	return stream(append(events, object{"choices": []object{{"delta": object{}, "finish_reason": finish}}}, object{
		"choices": []object{}, "usage": object{
			"prompt_tokens": total, "completion_tokens": 20, "prompt_tokens_details": object{"cached_tokens": cached},
			"completion_tokens_details": object{"reasoning_tokens": 7},
		},
	})...) + "data: [DONE]\n\n"
}

func responsesAnswer(n int, s said, cached, total int) string {
	half := len(thought(n)) / 2
	summary := object{"type": "summary_text", "text": thought(n)}
	output := []object{{"type": "reasoning", "id": fmt.Sprint("rs_", n), "summary": []object{summary}, "encrypted_content": sign(n)}}
	if s.text != "" {
		output = append(output, object{
			"type": "message", "id": fmt.Sprint("m_", n), "role": "assistant", "phase": "commentary",
			"content": []object{{"type": "output_text", "text": s.text}},
		})
	}
	for _, c := range s.calls {
		output = append(output, object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Arguments})
	}
	events := []object{
		{"type": "response.created", "response": object{"id": "r"}},
		{"type": "response.output_item.added", "output_index": 0, "item": object{"type": "reasoning", "summary": []object{}}},
		{"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": thought(n)[:half]},
		{"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": thought(n)[half:]},
	}
	for i, item := range output {
		events = append(events, object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	return stream(append(events, object{"type": "response.completed", "response": object{
		"status": "completed", "output": output, "usage": object{
			"input_tokens": total, "output_tokens": 20, "input_tokens_details": object{"cached_tokens": cached},
			"output_tokens_details": object{"reasoning_tokens": 7},
		},
	}})...)
}

func anthropicAnswer(n int, s said, cached, total int) string {
	half := len(thought(n)) / 2
	events := []object{
		{"type": "message_start", "message": object{"id": "msg", "usage": object{
			"input_tokens": 0, "cache_read_input_tokens": cached, "cache_creation_input_tokens": total - cached,
		}}},
		{"type": "content_block_start", "index": 0, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}},
		{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": thought(n)[:half]}},
		{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": thought(n)[half:]}},
		{"type": "content_block_delta", "index": 0, "delta": object{"type": "signature_delta", "signature": sign(n)}},
	}
	at := 1
	if s.text != "" {
		events = append(events, object{"type": "content_block_start", "index": at, "content_block": object{"type": "text", "text": s.text}})
		at++
	}
	reason := "end_turn"
	for _, c := range s.calls {
		reason = "tool_use"
		events = append(events, object{"type": "content_block_start", "index": at, "content_block": object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}},
			object{"type": "content_block_delta", "index": at, "delta": object{"type": "input_json_delta", "partial_json": c.Arguments}})
		at++
	}
	return stream(append(events, object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": object{
		"output_tokens": 20, "output_tokens_details": object{"thinking_tokens": 7},
	}}, object{"type": "message_stop"})...)
}

func geminiAnswer(n int, s said, cached, total int) string {
	half := len(thought(n)) / 2
	parts := []object{{"text": thought(n)[:half], "thought": true}, {"text": thought(n)[half:], "thought": true}}
	if s.text != "" {
		parts = append(parts, object{"text": s.text})
	}
	for i, c := range s.calls {
		call := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if i == 0 {
			call["thoughtSignature"] = sign(n)
		}
		parts = append(parts, call)
	}
	if len(s.calls) == 0 {
		parts = append(parts, object{"text": "", "thoughtSignature": sign(n)})
	}
	return stream(object{
		"candidates": []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{
			"promptTokenCount": total, "cachedContentTokenCount": cached, "candidatesTokenCount": 13, "thoughtsTokenCount": 7,
		},
	})
}
