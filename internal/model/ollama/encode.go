package ollama

import (
	"cmp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// noParameters is sent for a tool without a schema; the root must be an object.
const noParameters = `{"type":"object","properties":{}}`

// encode implements [model.Protocol.Encode]. It fails only on a tool whose Parameters are not JSON.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) (b []byte, err error) {
	b = wire.AppendString(append(body.Own(), `{"model":`...), r.ModelAt(e))
	b = appendMessages(append(b, `,"messages":`...), r.Messages, model.OriginAt(e, r))
	if len(r.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		if b, err = body.AppendTools(b, r.Tools, Name, appendTool); err != nil {
			return nil, err
		}
		b = append(b, ']')
	}
	b = strconv.AppendBool(append(b, `,"stream":`...), r.Stream)
	b = append(b, `,"truncate":false,"shift":false`...)
	if think := thinkOf(r.ReasoningEffort); think != "" {
		b = append(append(b, `,"think":`...), think...)
	}
	if r.Format != nil {
		b = append(append(b, `,"format":`...), r.Format.Schema...)
	}
	b = strconv.AppendInt(append(b, `,"options":{"num_ctx":`...), int64(cmp.Or(e.MaxPromptTokens, Window)), 10)
	if limit := r.OutputLimit(e); limit != 0 {
		b = strconv.AppendInt(append(b, `,"num_predict":`...), int64(limit), 10)
	}
	b = e.Params.Append(b, params(), ",", "")
	return append(b, "}}"...), nil
}

// params are the names of the sampling parameters, within options.
// Source: docs/modelfile.md and api/types.go, Options, of github.com/ollama/ollama, 2026-11.
func params() *model.ParamNames {
	return &model.ParamNames{
		Temperature: "temperature", TopP: "top_p", TopK: "top_k", MinP: "min_p", Seed: "seed", PresencePenalty: "presence_penalty",
		FrequencyPenalty: "frequency_penalty", RepeatPenalty: []string{"repeat_penalty"},
	}
}

// EffortOf is the word that stands for an effort in requests. The server refuses words that it does
// not know.
func EffortOf(effort string) string {
	switch effort {
	case "minimal":
		return "low"
	case "xhigh":
		return "max"
	}
	return effort
}

// thinkOf is the value of think for an effort; "" leaves it to the server, which has a model
// think if it can.
func thinkOf(effort string) string {
	switch effort {
	case "":
		return ""
	case "none":
		return "false"
	}
	return string(wire.AppendString(nil, EffortOf(effort)))
}

func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"type":"function","function":{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"parameters":`...)
	if len(t.Parameters) == 0 {
		b = append(b, noParameters...)
	}
	return append(append(b, t.Parameters...), "}}"...)
}
