package strict

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
)

// The answers of Converse: frames of Amazon Event Stream.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, and the
// Smithy specification, "Amazon Event Stream".

func (bedrock) media() string { return "application/vnd.amazon.eventstream" }

// failing is the name of events that are exceptions, before their own.
const failing = "exception "

func (bedrock) frame(e event) string {
	kind, name, header := "event", e.name, ":event-type"
	if rest, ok := bytes.CutPrefix([]byte(e.name), []byte(failing)); ok {
		kind, name, header = "exception", string(rest), ":exception-type"
	}
	var headers bytes.Buffer
	for _, h := range [][2]string{{header, name}, {":content-type", "application/json"}, {":message-type", kind}} {
		headers.WriteByte(byte(len(h[0])))
		headers.WriteString(h[0])
		headers.WriteByte(7) // a text
		headers.Write(binary.BigEndian.AppendUint16(nil, uint16(len(h[1]))))
		headers.WriteString(h[1])
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(12+headers.Len()+len(e.data)+4))
	b = binary.BigEndian.AppendUint32(b, uint32(headers.Len()))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers.Bytes()...), e.data...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func (bedrock) stop(r *Reply) string {
	switch {
	case r.Word != "":
		return r.Word
	case r.End == Length:
		return "max_tokens"
	case r.End == Filtered:
		return "content_filtered"
	case r.calls():
		return "tool_use"
	}
	return "end_turn"
}

// usage has each token of the prompt once.
func (bedrock) usage(u Usage) map[string]any {
	out := u.Output + u.Reasoning
	return map[string]any{
		"inputTokens": u.Input, "outputTokens": out, "totalTokens": u.Input + u.CacheRead + u.CacheWrite + out,
		"cacheReadInputTokens": u.CacheRead, "cacheWriteInputTokens": u.CacheWrite,
	}
}

// blocks are the parts of an answer that its model has: others than Claude show no reasoning here.
func (bedrock) blocks(r *Reply, a *asked, m *memory) (blocks []map[string]any) {
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
			blocks = append(blocks, map[string]any{"toolUse": map[string]any{"toolUseId": m.id("tooluse_"), "name": p.Call.Name, "input": json.RawMessage(p.Call.Arguments)}})
		case p.Reasoning == "":
			blocks = append(blocks, map[string]any{"text": p.Text})
		case a.model.reasons:
			shown := ""
			if a.shows {
				shown = p.Reasoning
			}
			signature := m.sign(given{model: a.model.id, content: shown, answer: answer, of: signed, before: len(a.prompt), prefix: digest(a.prompt)})
			blocks = append(blocks, map[string]any{"reasoningContent": map[string]any{"reasoningText": map[string]any{"text": shown, "signature": signature}}})
		}
	}
	return blocks
}

func (k bedrock) events(r *Reply, a *asked, m *memory) (out []event) {
	add := func(name string, members map[string]any) {
		members["p"] = "abcdefghij" // padding
		out = append(out, event{name: name, data: encode(members)})
	}
	add("messageStart", map[string]any{"role": "assistant"})
	for i, b := range k.blocks(r, a, m) {
		delta := func(d map[string]any) { add("contentBlockDelta", map[string]any{"contentBlockIndex": i, "delta": d}) }
		switch {
		case b["toolUse"] != nil:
			use := b["toolUse"].(map[string]any)
			add("contentBlockStart", map[string]any{"contentBlockIndex": i, "start": map[string]any{"toolUse": map[string]any{"toolUseId": use["toolUseId"], "name": use["name"]}}})
			for _, piece := range pieces(compact(use["input"].(json.RawMessage))) {
				delta(map[string]any{"toolUse": map[string]any{"input": piece}})
			}
		case b["reasoningContent"] != nil:
			t := b["reasoningContent"].(map[string]any)["reasoningText"].(map[string]any)
			for _, piece := range pieces(t["text"].(string)) {
				delta(map[string]any{"reasoningContent": map[string]any{"text": piece}})
			}
			delta(map[string]any{"reasoningContent": map[string]any{"signature": t["signature"]}})
		default:
			for _, piece := range pieces(b["text"].(string)) {
				delta(map[string]any{"text": piece})
			}
		}
		add("contentBlockStop", map[string]any{"contentBlockIndex": i})
	}
	add("messageStop", map[string]any{"stopReason": k.stop(r)})
	add("metadata", map[string]any{"usage": k.usage(r.Usage), "metrics": map[string]any{"latencyMs": 1}})
	return out
}

func (k bedrock) whole(r *Reply, a *asked, m *memory) string {
	return encode(map[string]any{
		"output":     map[string]any{"message": map[string]any{"role": "assistant", "content": k.blocks(r, a, m)}},
		"stopReason": k.stop(r), "usage": k.usage(r.Usage), "metrics": map[string]any{"latencyMs": 1},
	})
}

func (k bedrock) during() event {
	f := k.failure(Overloaded)
	return event{name: failing + "serviceUnavailableException", data: k.body(f)}
}
