package strict

import (
	"cmp"
	"encoding/json"
)

// The answers of Ollama: lines of JSON.
// Source: docs/api.md of ollama/ollama v0.30.0, and api/types.go.

func (ollama) media() string        { return "application/x-ndjson" }
func (ollama) frame(e event) string { return e.data + "\n" }

func (ollama) line(a *asked, message map[string]any, more map[string]any) string {
	message["role"] = "assistant"
	l := map[string]any{"model": a.model.id, "created_at": "2026-11-22T00:00:00Z", "message": message, "done": false}
	for name, value := range more {
		l[name] = value
	}
	return encode(l)
}

// call comes whole; its id is optional, and its arguments are an object.
func (ollama) calling(c *Call, index int) any {
	return map[string]any{"function": map[string]any{"index": index, "name": c.Name, "arguments": json.RawMessage(c.Arguments)}}
}

// done has the counts; those of the cache and of thinking are not told apart, and what was cached
// is not counted.
func (ollama) done(r *Reply) map[string]any {
	reason := cmp.Or(r.Word, "stop")
	if r.End == Length {
		reason = "length"
	}
	return map[string]any{
		"done": true, "done_reason": reason, "total_duration": 1, "load_duration": 1, "prompt_eval_duration": 1, "eval_duration": 1,
		"prompt_eval_count": r.Usage.Input + r.Usage.CacheWrite, "eval_count": r.Usage.Output + r.Usage.Reasoning,
	}
}

func (o ollama) events(r *Reply, a *asked, _ *memory) (out []event) {
	add := func(message, more map[string]any) { out = append(out, event{data: o.line(a, message, more)}) }
	add(map[string]any{"content": ""}, nil)
	calls := 0
	for _, p := range r.Parts {
		for _, piece := range pieces(p.Text) {
			add(map[string]any{"content": piece}, nil)
		}
		if a.shows {
			for _, piece := range pieces(p.Reasoning) {
				add(map[string]any{"content": "", "thinking": piece}, nil)
			}
		}
		if p.Call != nil {
			add(map[string]any{"content": "", "tool_calls": []any{o.calling(p.Call, calls)}}, nil)
			calls++
		}
	}
	add(map[string]any{"content": ""}, o.done(r))
	return out
}

func (o ollama) whole(r *Reply, a *asked, _ *memory) string {
	text, thinking, calls := "", "", []any{}
	for _, p := range r.Parts {
		text += p.Text
		thinking += p.Reasoning
		if p.Call != nil {
			calls = append(calls, o.calling(p.Call, len(calls)))
		}
	}
	message := map[string]any{"content": text}
	if thinking != "" && a.shows {
		message["thinking"] = thinking
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return o.line(a, message, o.done(r))
}

func (o ollama) during() event { return event{data: o.body(o.failure(Broken))} }
