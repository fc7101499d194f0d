package chat

import (
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/schema"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The request is written out by hand because it repeats the whole conversation with
// each turn, which is what makes late turns of a long session slower than early ones.
// The order of keys is fixed, because providers cache prompts by prefix.

// encode implements [model.Protocol.Encode]. It fails only on a tool that cannot be sent.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) (b []byte, err error) {
	how := mannersOf(e)
	b = body.Own()
	b = wire.AppendString(append(b, `{"model":`...), r.ModelAt(e))
	b = append(b, `,"messages":`...)
	messages := model.TextResults(r.Messages)
	b = appendMessages(b, messages, readerOf(e, r), &how, marksOf(e, r, messages))
	if len(r.Tools) > 0 {
		form, appendOne := Name, appendTool
		if how.smallSchemas {
			form, appendOne = Name+" with small schemas", appendSmallTool
		}
		b = append(b, `,"tools":[`...)
		if b, err = body.AppendTools(b, r.Tools, form, appendOne); err != nil {
			return nil, err
		}
		b = append(b, ']')
	}
	if r.Stream {
		b = append(b, `,"stream":true`...)
		if !how.noUsageOption {
			b = append(b, `,"stream_options":{"include_usage":true}`...)
		}
		if e.PromptProgress {
			b = append(b, `,"return_progress":true`...)
		}
	}
	limit := r.OutputLimit(e)
	if limit == 0 && how.lowLimit {
		limit = e.LongestAnswer
	}
	if limit != 0 {
		name := `,"max_tokens":`
		if how.newLimit || e.CompletionTokens {
			name = `,"max_completion_tokens":`
		}
		b = strconv.AppendInt(append(b, name...), int64(limit), 10)
	}
	if r.ReasoningEffort != "" {
		b = wire.AppendString(append(b, `,"reasoning_effort":`...), r.ReasoningEffort)
	}
	if r.Format != nil {
		b = appendFormat(b, r.Format)
	}
	b = appendCacheKey(b, e, r)
	return append(b, '}'), nil
}

func appendFormat(b []byte, f *model.ResponseFormat) []byte {
	b = f.Append(append(b, `,"response_format":{"type":"json_schema","json_schema":{`...))
	return append(b, "}}"...)
}

func appendTool(b []byte, t *model.Tool) []byte {
	b = append(append(appendFunction(b, t), `,"parameters":`...), t.Parameters...)
	return append(b, "}}"...)
}

// appendSmallTool leaves the schema of a tool without parameters out, which is refused.
func appendSmallTool(b []byte, t *model.Tool) []byte {
	b = appendFunction(b, t)
	if parameters := schema.OpenAPI(t.Parameters); parameters != nil {
		b = append(append(b, `,"parameters":`...), parameters...)
	}
	return append(b, "}}"...)
}

func appendFunction(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"type":"function","function":{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	return b
}
