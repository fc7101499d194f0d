package bedrock

import (
	"cmp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// noParameters is sent for a tool without a schema; the root must be an object.
const noParameters = `{"type":"object","properties":{}}`

// cachePoint has the provider keep everything before it for five minutes; each use renews that.
const cachePoint = `{"cachePoint":{"type":"default"}}`

// encode implements [model.Protocol.Encode]. It fails only on a tool whose Parameters are not JSON.
func encode(e *model.Endpoint, r *model.Request, body *model.Body) ([]byte, error) {
	name, limit := r.ModelAt(e), r.OutputLimit(e)
	b := append(body.Own(), '{')
	messages := r.Messages
	if len(messages) > 0 && messages[0].Role == model.RoleSystem {
		if !blank(messages[0].Content) {
			b = wire.AppendString(append(b, `"system":[{"text":`...), messages[0].Content)
			b = append(b, '}')
			if caches(name) {
				b = append(append(b, ','), cachePoint...)
			}
			b = append(b, `],`...)
		}
		messages = messages[1:]
	}
	b = appendConversation(append(b, `"messages":`...), messages, model.OriginAt(e, r), r.Citations)
	if limit == 0 && thinkingBudget(r, name, limit) > 0 {
		limit = cmp.Or(e.LongestAnswer, budgetLimit)
	}
	start := len(b)
	b = append(b, `,"inferenceConfig":{`...)
	if limit != 0 {
		b = append(strconv.AppendInt(append(b, `"maxTokens":`...), int64(limit), 10), ',')
	}
	b = e.Params.Append(b, params(), "", ",")
	if b[len(b)-1] == ',' {
		b[len(b)-1] = '}'
	} else {
		b = b[:start] // there is nothing to configure
	}
	b, err := appendTools(b, body, r.Tools, messages)
	if err != nil {
		return nil, err
	}
	b = appendFamily(b, r, name, limit)
	b = appendOutput(b, r, name)
	return append(b, '}'), nil
}

// params are the names of the sampling parameters, within inferenceConfig.
// Source: AWS's page on InferenceConfiguration, 2026-11.
func params() *model.ParamNames {
	return &model.ParamNames{Temperature: "temperature", TopP: "topP"}
}

// appendTools appends the tools. A conversation with calls is refused without any, so that it gets
// those that it has called.
func appendTools(b []byte, body *model.Body, tools []model.Tool, messages []model.Message) (_ []byte, err error) {
	if len(tools) == 0 {
		tools = called(messages)
	}
	if len(tools) == 0 {
		return b, nil
	}
	b = append(b, `,"toolConfig":{"tools":[`...)
	if b, err = body.AppendTools(b, tools, Name, appendTool); err != nil {
		return nil, err
	}
	return append(b, "]}"...), nil
}

// called are the tools that a conversation has called.
func called(messages []model.Message) (tools []model.Tool) {
	known := map[string]bool{}
	for i := range messages {
		for _, c := range messages[i].ToolCalls {
			if !known[c.Name] {
				known[c.Name] = true
				tools = append(tools, model.Tool{Name: c.Name, Description: "This tool is not available any more; do not call it."})
			}
		}
	}
	return tools
}

func appendTool(b []byte, t *model.Tool) []byte {
	b = wire.AppendString(append(b, `{"toolSpec":{"name":`...), t.Name)
	if t.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"inputSchema":{"json":`...)
	if len(t.Parameters) == 0 {
		b = append(b, noParameters...)
	}
	return append(append(b, t.Parameters...), "}}}"...)
}

// appendOutput says how much effort an answer of a newer Claude model is worth, and the form of
// an answer. The schema is text within the JSON.
func appendOutput(b []byte, r *model.Request, name string) []byte {
	effort := r.ReasoningEffort
	if !isClaude(name) || model.ClaudeOf(name) < model.ClaudeAdaptive || effort == "none" {
		effort = ""
	}
	if effort == "" && r.Format == nil {
		return b
	}
	b = append(b, `,"outputConfig":{`...)
	if effort != "" {
		b = append(wire.AppendString(append(b, `"effort":`...), effort), ',')
	}
	if f := r.Format; f != nil {
		b = wire.AppendString(append(b, `"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":`...), f.Name)
		if f.Description != "" {
			b = wire.AppendString(append(b, `,"description":`...), f.Description)
		}
		schema := f.Schema
		if isClaude(name) {
			schema = model.ClaudeFormat(schema)
		}
		b = wire.AppendString(append(b, `,"schema":`...), string(schema))
		b = append(b, "}}},"...)
	}
	b[len(b)-1] = '}'
	return b
}
