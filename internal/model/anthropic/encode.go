package anthropic

import (
	"cmp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/schema"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// DefaultLimit bounds an answer if nothing else does and it is not known how long an answer of the
// model can be, because the protocol wants a bound. All models since Claude 4.5 accept it.
// Source: Anthropic's model pages, 2026-11.
const DefaultLimit = 32_000

// encode implements [model.Protocol.Encode]. It fails only on a tool that cannot be sent.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) (b []byte, err error) {
	name, limit := r.ModelAt(e), r.OutputLimit(e)
	if limit == 0 {
		limit = cmp.Or(e.LongestAnswer, DefaultLimit)
	}
	b = wire.AppendString(append(body.Own(), `{"model":`...), name)
	b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(limit), 10)
	if len(r.Tools) > 0 { // tools come before the system text in the prompt that is cached
		b = append(b, `,"tools":[`...)
		if b, err = body.AppendTools(b, r.Tools, Name, appendTool); err != nil {
			return nil, err
		}
		b = append(b, ']')
	}
	messages := r.Messages
	if len(messages) > 0 && messages[0].Role == model.RoleSystem {
		if messages[0].Content != "" {
			b = appendText(append(b, `,"system":[`...), messages[0].Content, cached)
			b = append(b, ']')
		}
		messages = messages[1:]
	}
	if !resultsHaveParts(e) {
		messages = model.TextResults(messages)
	}
	b = append(b, `,"messages":`...)
	b = appendConversation(b, messages, model.OriginAt(e, r), r.Citations)
	if g := model.ClaudeOf(name); g == 0 || g >= model.ClaudeAdaptive || !unthought(messages, model.OriginAt(e, r)) {
		b = appendThinking(b, r, name, limit)
	}
	b = appendOutput(b, r, name)
	if r.Stream {
		b = append(b, `,"stream":true`...)
	}
	return append(b, '}'), nil
}

func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"input_schema":`...)
	return append(append(b, schema.PlainNames(t.Parameters)...), '}')
}
