package strict

import (
	"encoding/json"
	"strings"
)

// The answers of the Gemini API.
// Source: ai.google.dev/api/generate-content ("GenerateContentResponse"), and
// ai.google.dev/gemini-api/docs/thought-signatures.

// parts are those of an answer, a list for each event. A signature is on the first call, or else on
// an empty text at the end.
func (gemini) parts(r *Reply, a *asked, m *memory) (lists [][]any) {
	sign := func(content string) string {
		return m.sign(given{model: a.model.id, content: content, before: len(a.prompt), prefix: digest(a.prompt)})
	}
	var calls []any
	thought := false
	for _, p := range r.Parts {
		for _, piece := range pieces(p.Text) {
			lists = append(lists, []any{map[string]any{"text": piece}})
		}
		if p.Reasoning != "" {
			thought = true
			if a.shows {
				lists = append(lists, []any{map[string]any{"text": p.Reasoning, "thought": true}})
			}
		}
		if p.Call == nil {
			continue
		}
		args := json.RawMessage(compact(json.RawMessage(p.Call.Arguments)))
		part := map[string]any{"functionCall": map[string]any{"id": m.name(p.Call.Name), "name": p.Call.Name, "args": args}}
		if len(calls) == 0 && a.model.reasons {
			part["thoughtSignature"] = sign("call " + p.Call.Name + string(args))
		}
		calls = append(calls, part)
	}
	switch {
	case len(calls) > 0:
		lists = append(lists, calls)
	case thought && a.model.reasons:
		lists = append(lists, []any{map[string]any{"text": "", "thoughtSignature": sign("text")}})
	}
	return lists
}

func (gemini) finish(r *Reply) string {
	switch {
	case r.Word != "":
		return strings.ToUpper(r.Word)
	case r.End == Length:
		return "MAX_TOKENS"
	case r.End == Filtered:
		return "SAFETY"
	}
	return "STOP" // also after calls
}

func (gemini) usage(u Usage) map[string]any {
	in := u.Input + u.CacheRead + u.CacheWrite // writes are not told apart
	return map[string]any{
		"promptTokenCount": in, "candidatesTokenCount": u.Output, "thoughtsTokenCount": u.Reasoning, "cachedContentTokenCount": u.CacheRead,
		"totalTokenCount": in + u.Output + u.Reasoning, "promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": in}},
	}
}

func (g gemini) piece(a *asked, parts []any, finish string, usage map[string]any) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return map[string]any{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": a.model.id, "responseId": "strict"}
}

// blocked is the answer to a prompt that is refused.
// Source: ai.google.dev/api/generate-content ("PromptFeedback").
func (g gemini) blocked(r *Reply) string {
	return encode(map[string]any{"promptFeedback": map[string]any{"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": g.usage(r.Usage), "modelVersion": flash38})
}

func (g gemini) events(r *Reply, a *asked, m *memory) (out []event) {
	if r.Fail == Flagged {
		return []event{{data: g.blocked(r)}}
	}
	lists := g.parts(r, a, m)
	usage := g.usage(r.Usage)
	growing := map[string]any{"promptTokenCount": usage["promptTokenCount"], "totalTokenCount": usage["promptTokenCount"]}
	for _, parts := range append([][]any{{map[string]any{"text": ""}}}, lists...) {
		out = append(out, event{data: encode(g.piece(a, parts, "", growing))})
	}
	last := g.piece(a, []any{map[string]any{"text": ""}}, g.finish(r), usage)
	return append(out, event{data: encode(last)})
}

func (g gemini) whole(r *Reply, a *asked, m *memory) string {
	if r.Fail == Flagged {
		return g.blocked(r)
	}
	all := []any{}
	for _, parts := range g.parts(r, a, m) {
		all = append(all, parts...)
	}
	return encode(g.piece(a, all, g.finish(r), g.usage(r.Usage)))
}

func (g gemini) during() event { return event{data: g.body(g.failure(Overloaded))} }
