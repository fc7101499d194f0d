package responses

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The request is written out by hand, as that of chat completions is: it repeats the whole
// conversation with each turn, and the order of keys is fixed because providers cache prompts
// by prefix.

// encode implements [model.Protocol.Encode]. It fails only on a tool that cannot be sent.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) (b []byte, err error) {
	b = append(body.Own(), '{')
	if e.WebSocket {
		b = append(b, `"type":"response.create",`...)
	}
	b = wire.AppendString(append(b, `"model":`...), r.ModelAt(e))
	b = append(b, `,"input":`...)
	messages := r.Messages
	if !resultsHaveParts(e) {
		messages = model.TextResults(messages)
	}
	b = appendInput(b, messages, model.OriginAt(e, r))
	if len(r.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		if b, err = body.AppendTools(b, r.Tools, Name, appendTool); err != nil {
			return nil, err
		}
		b = append(b, ']')
	}
	b = append(b, `,"store":false`...)
	if r.Stream && !e.WebSocket { // messages always come in pieces
		b = append(b, `,"stream":true`...)
	}
	if limit := r.OutputLimit(e); limit != 0 {
		b = strconv.AppendInt(append(b, `,"max_output_tokens":`...), int64(limit), 10)
	}
	b = appendReasoning(b, r)
	if r.Format != nil {
		b = appendFormat(b, r.Format)
	}
	if r.Thread != "" {
		b = wire.AppendString(append(b, `,"prompt_cache_key":`...), short(r.Thread))
	}
	return append(b, '}'), nil
}

// appendReasoning asks for reasoning if the request names an effort or a summary: models that
// do not reason refuse the parameter. Encrypted reasoning is asked for by name, because older
// servers send it only then.
func appendReasoning(b []byte, r *model.Request) []byte {
	summary := cmp.Or(r.ReasoningSummary, "auto")
	if r.ReasoningEffort == "" && (r.ReasoningSummary == "" || summary == "none") {
		return b
	}
	b = append(b, `,"reasoning":`...)
	separator := byte('{')
	member := func(name, value string) {
		b = append(append(append(append(b, separator, '"'), name...), '"'), ':')
		b = wire.AppendString(b, value)
		separator = ','
	}
	if r.ReasoningEffort != "" {
		member("effort", r.ReasoningEffort)
	}
	if summary != "none" {
		member("summary", summary)
	}
	b = append(b, '}')
	if r.ReasoningEffort != "none" {
		b = append(b, `,"include":["reasoning.encrypted_content"]`...)
	}
	return b
}

func appendFormat(b []byte, f *model.ResponseFormat) []byte {
	b = f.Append(append(b, `,"text":{"format":{"type":"json_schema",`...))
	return append(b, "}}"...)
}

// appendTool says that the schema is not strict: it is so unless the request says otherwise,
// and then most schemas are refused.
func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"type":"function","name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"parameters":`...)
	return append(append(b, t.Parameters...), `,"strict":false}`...)
}

// maxID is the longest id of a call, or key of a cache, that OpenAI accepts, in bytes.
// Source: openai/codex#14355.
const maxID = 64

// short returns an id as the server gets it: those of other providers and of clients may be
// too long.
func short(id string) string {
	if len(id) <= maxID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "id_" + hex.EncodeToString(sum[:])[:48]
}
