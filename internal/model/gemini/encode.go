package gemini

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// encode implements [model.Protocol.Encode]. It fails only on a tool that cannot be sent.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) (b []byte, err error) {
	name := r.ModelAt(e)
	b = append(body.Own(), '{')
	messages := r.Messages
	if len(messages) > 0 && messages[0].Role == model.RoleSystem {
		if messages[0].Content != "" {
			b = wire.AppendString(append(b, `"systemInstruction":{"parts":[{"text":`...), messages[0].Content)
			b = append(b, "}]},"...)
		}
		messages = messages[1:]
	}
	if len(r.Tools) > 0 {
		b = append(b, `"tools":[{"functionDeclarations":[`...)
		if b, err = body.AppendTools(b, r.Tools, Name, appendTool); err != nil {
			return nil, err
		}
		b = append(b, "]}],"...)
	}
	recent := versionOf(name) >= levels
	if !recent { // only newer models take files in results
		messages = model.TextResults(messages)
	}
	b = append(b, `"contents":`...)
	b = appendContents(b, messages, model.OriginAt(e, r), recent)
	b = append(b, `,"generationConfig":{`...)
	b = appendThinking(b, r, name)
	if limit := r.OutputLimit(e); limit != 0 {
		b = append(strconv.AppendInt(append(b, `"maxOutputTokens":`...), int64(limit), 10), ',')
	}
	b = e.Params.Append(b, params(), "", ",")
	if r.Format != nil {
		b = append(append(append(b, `"responseMimeType":"application/json","responseJsonSchema":`...), r.Format.Schema...), ',')
	}
	return append(bytes.TrimSuffix(b, []byte(",")), "}}"...), nil
}

// params are the names of the sampling parameters, within generationConfig.
// Source: ai.google.dev/api/generate-content#generationconfig, 2026-11.
func params() *model.ParamNames {
	return &model.ParamNames{
		Temperature: "temperature", TopP: "topP", TopK: "topK", Seed: "seed", PresencePenalty: "presencePenalty", FrequencyPenalty: "frequencyPenalty",
	}
}

// appendTool leaves the schema of a tool without parameters out: an object without properties
// is refused.
func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.Parameters, &schema); err != nil || len(schema.Properties) > 0 {
		b = append(append(b, `,"parametersJsonSchema":`...), t.Parameters...)
	}
	return append(b, '}')
}
