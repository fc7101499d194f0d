package strict

// The answers of Responses.
// Source: developers.openai.com/api/reference/resources/responses/streaming-events.

const responseID = "resp_strict"

// responsesItem is an item of the output.
func responsesItem(p *Part, a *asked, m *memory) map[string]any {
	switch {
	case p.Call != nil:
		return map[string]any{
			"type": "function_call", "id": m.id("fc_"), "call_id": m.id("call_"), "name": p.Call.Name, "arguments": p.Call.Arguments, "status": "completed",
		}
	case p.Reasoning != "":
		summary := []any{}
		if a.shows {
			summary = append(summary, map[string]any{"type": "summary_text", "text": p.Reasoning})
		}
		return map[string]any{
			"type": "reasoning", "id": m.id("rs_"), "summary": summary,
			"encrypted_content": m.sign(given{model: a.model.id, content: compact([]byte(encode(summary))), before: len(a.prompt), prefix: digest(a.prompt)}),
		}
	}
	return map[string]any{
		"type": "message", "id": m.id("msg_"), "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": p.Text, "annotations": []any{}, "logprobs": []any{}}},
	}
}

func (responses) usage(u Usage) map[string]any {
	in, out := u.Input+u.CacheRead+u.CacheWrite, u.Output+u.Reasoning
	return map[string]any{
		"input_tokens": in, "output_tokens": out, "total_tokens": in + out,
		"input_tokens_details":  map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

// document is the answer as one object, ended or not.
func (s responses) document(r *Reply, a *asked, status string, output []any) map[string]any {
	d := map[string]any{
		"id": responseID, "object": "response", "created_at": 1, "model": a.model.id, "status": status, "output": output, "error": nil,
		"incomplete_details": nil, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{}, "usage": nil,
		"instructions": nil, "metadata": map[string]any{}, "temperature": nil, "top_p": nil,
	}
	if status == "in_progress" {
		return d
	}
	d["usage"] = s.usage(r.Usage)
	switch {
	case r.Word == "completed", r.Word == "incomplete", r.Word == "cancelled": // of a status
		d["status"] = r.Word
	case r.Word != "":
		d["status"], d["incomplete_details"] = "incomplete", map[string]any{"reason": r.Word}
	case r.End == Length:
		d["status"], d["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case r.End == Filtered:
		d["status"], d["incomplete_details"] = "incomplete", map[string]any{"reason": "content_filter"}
	}
	return d
}

// sequence numbers events.
type sequence struct{ out []event }

func (s *sequence) add(kind string, members map[string]any) {
	members["type"], members["sequence_number"] = kind, len(s.out)
	s.out = append(s.out, event{name: kind, data: encode(members)})
}

func (s responses) events(r *Reply, a *asked, m *memory) []event {
	var q sequence
	q.add("response.created", map[string]any{"response": s.document(r, a, "in_progress", []any{})})
	q.add("response.in_progress", map[string]any{"response": s.document(r, a, "in_progress", []any{})})
	q.add("response.something_new", map[string]any{"delta": "ignore unknown events"})
	output := []any{}
	for i := range r.Parts {
		item := responsesItem(&r.Parts[i], a, m)
		q.item(i, item, &r.Parts[i], a)
		output = append(output, item)
	}
	end := s.document(r, a, "completed", output)
	q.add("response."+end["status"].(string), map[string]any{"response": end})
	return q.out
}

// item sends one item in pieces. The first copy of reasoning lacks what is encrypted.
func (s *sequence) item(index int, item map[string]any, p *Part, a *asked) {
	begun := map[string]any{}
	for name, value := range item {
		begun[name] = value
	}
	id := item["id"]
	at := func(members map[string]any) map[string]any {
		members["output_index"], members["item_id"] = index, id
		return members
	}
	switch item["type"] {
	case "function_call":
		begun["arguments"], begun["status"] = "", "in_progress"
		s.add("response.output_item.added", map[string]any{"output_index": index, "item": begun})
		for _, piece := range pieces(p.Call.Arguments) {
			s.add("response.function_call_arguments.delta", at(map[string]any{"delta": piece, "obfuscation": "xyz"}))
		}
		s.add("response.function_call_arguments.done", at(map[string]any{"arguments": p.Call.Arguments, "name": p.Call.Name}))
	case "reasoning":
		begun["summary"] = []any{}
		delete(begun, "encrypted_content")
		s.add("response.output_item.added", map[string]any{"output_index": index, "item": begun})
		if a.shows {
			s.summary(at, p.Reasoning)
		}
	default:
		begun["content"], begun["status"] = []any{}, "in_progress"
		s.add("response.output_item.added", map[string]any{"output_index": index, "item": begun})
		s.text(at, p.Text)
	}
	s.add("response.output_item.done", map[string]any{"output_index": index, "item": item})
}

func (s *sequence) summary(at func(map[string]any) map[string]any, text string) {
	part := map[string]any{"type": "summary_text", "text": text}
	s.add("response.reasoning_summary_part.added", at(map[string]any{"summary_index": 0, "part": map[string]any{"type": "summary_text", "text": ""}}))
	for _, piece := range pieces(text) {
		s.add("response.reasoning_summary_text.delta", at(map[string]any{"summary_index": 0, "delta": piece, "obfuscation": "xyz"}))
	}
	s.add("response.reasoning_summary_text.done", at(map[string]any{"summary_index": 0, "text": text}))
	s.add("response.reasoning_summary_part.done", at(map[string]any{"summary_index": 0, "part": part}))
}

func (s *sequence) text(at func(map[string]any) map[string]any, text string) {
	s.add("response.content_part.added", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}}))
	for _, piece := range pieces(text) {
		s.add("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": piece, "logprobs": []any{}, "obfuscation": "xyz"}))
	}
	s.add("response.output_text.done", at(map[string]any{"content_index": 0, "text": text, "logprobs": []any{}}))
	s.add("response.content_part.done", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}))
}

func (s responses) whole(r *Reply, a *asked, m *memory) string {
	output := []any{}
	for i := range r.Parts {
		output = append(output, responsesItem(&r.Parts[i], a, m))
	}
	return encode(s.document(r, a, "completed", output))
}

func (s responses) during() event {
	d := s.document(&Reply{}, &asked{}, "failed", []any{})
	d["error"] = map[string]any{"code": "server_error", "message": "The server had an error while processing your request. Sorry about that!"}
	return event{name: "response.failed", data: encode(map[string]any{"type": "response.failed", "sequence_number": 1, "response": d})}
}
