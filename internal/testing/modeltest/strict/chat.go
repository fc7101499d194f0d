package strict

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// chat is OpenAI's chat completions. Models of DeepSeek's are answered as DeepSeek does, which is
// the best known of the vendors that return reasoning in this dialect.
type chat struct{ overSSE }

const (
	gpt41    = "gpt-4.1"         // does not reason
	gpt51    = "gpt-5.1"         // reasons, and takes tools
	gpt56    = "gpt-5.6-sol"     // takes no tools together with an effort
	deepSeek = "deepseek-v4-pro" // returns its reasoning
)

var chatModels = []modelOf{{id: gpt41}, {id: gpt51, reasons: true}, {id: gpt56, reasons: true, responsesOnly: true}, {id: deepSeek, reasons: true}}

func (chat) call(r *http.Request) bool  { return strings.HasSuffix(r.URL.Path, "/chat/completions") }
func (chat) lists(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/models") }
func (chat) key(r *http.Request) string { return bearer(r) }

// bearer returns the key of an Authorization header.
func bearer(r *http.Request) string {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return key
}

func (chat) failure(f Failure) *refusal { return openAIFailure(f) }
func (chat) body(r *refusal) string     { return r.openAIError() }
func (chat) models() string             { return openAIList(chatModels) }

// openAIList is OpenAI's list of models.
func openAIList(models []modelOf) string {
	var list []any
	for _, m := range models {
		list = append(list, map[string]any{"id": m.id, "object": "model", "created": 1, "owned_by": "system"})
	}
	return encode(map[string]any{"object": "list", "data": list})
}

// chatRequest has the members of a request that the fake knows.
// Source: developers.openai.com/api/reference/resources/chat/completions/create.
type chatRequest struct {
	Model               string            `json:"model"`
	Messages            []json.RawMessage `json:"messages"`
	Tools               []json.RawMessage `json:"tools"`
	Stream              bool              `json:"stream"`
	StreamOptions       *streamOptions    `json:"stream_options"`
	MaxTokens           *int              `json:"max_tokens"`
	MaxCompletionTokens *int              `json:"max_completion_tokens"`
	ReasoningEffort     string            `json:"reasoning_effort"`
	ResponseFormat      json.RawMessage   `json:"response_format"`
	Temperature         *float64          `json:"temperature"`
	TopP                *float64          `json:"top_p"`
	Stop                json.RawMessage   `json:"stop"`
	Store               *bool             `json:"store"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	Parallel            *bool             `json:"parallel_tool_calls"`
	CacheKey            string            `json:"prompt_cache_key"`
	Verbosity           string            `json:"verbosity"`
	N                   *int              `json:"n"`
	Seed                *int64            `json:"seed"`
	PresencePenalty     *float64          `json:"presence_penalty"`
	FrequencyPenalty    *float64          `json:"frequency_penalty"`
	Metadata            json.RawMessage   `json:"metadata"`
}

type streamOptions struct {
	IncludeUsage       bool  `json:"include_usage"`
	IncludeObfuscation *bool `json:"include_obfuscation"`
}

func (chat) check(_ *http.Request, body []byte, mem *memory) (*asked, error) {
	var r chatRequest
	if err := exactly(body, &r); err != nil {
		if name := unknown(err); name != "" {
			return nil, coded("unknown_parameter", name, "Unrecognized request argument supplied: %s", name)
		}
		return nil, bad("We could not parse the JSON body of your request. %v", err)
	}
	m, ok := find(chatModels, r.Model)
	if !ok {
		return nil, openAIFailure(NoSuchModel)
	}
	if err := r.parameters(m); err != nil {
		return nil, err
	}
	if len(r.Messages) == 0 {
		return nil, coded("empty_array", "messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	if err := openAITools(len(r.Tools)); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for i, raw := range r.Tools {
		if err := chatTool(raw, i, names); err != nil {
			return nil, err
		}
	}
	c := chatConversation{model: m, memory: mem}
	for i, raw := range r.Messages {
		if err := c.message(i, raw); err != nil {
			return nil, err
		}
	}
	a := &asked{model: m, stream: r.Stream, shows: m.id == deepSeek}
	a.usage = r.StreamOptions != nil && r.StreamOptions.IncludeUsage
	return a, c.complete()
}

// parameters checks what depends on the model.
// Source: developers.openai.com/api/docs/guides/reasoning ("Limitations"), itzcrazykns/vane#1173.
func (r *chatRequest) parameters(m modelOf) error {
	openAI := m.id != deepSeek
	unsupported := func(name, instead string) error {
		return coded("unsupported_parameter", name, "Unsupported parameter: '%s' is not supported with this model.%s", name, instead)
	}
	switch {
	case r.StreamOptions != nil && !r.Stream:
		return coded("invalid_value", "stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case r.Tools != nil && len(r.Tools) == 0:
		return coded("empty_array", "tools", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case m.reasons && openAI && r.MaxTokens != nil:
		return unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
	case !openAI && (r.MaxCompletionTokens != nil || r.Store != nil || r.Verbosity != ""):
		return bad("Failed to deserialize the JSON body into the target type: unknown field")
	case m.reasons && openAI && (r.Temperature != nil || r.TopP != nil || r.Stop != nil):
		return unsupported("temperature", " Only the default value is supported.")
	case !m.reasons && r.ReasoningEffort != "":
		return coded("unknown_parameter", "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
	case m.responsesOnly && len(r.Tools) > 0 && r.ReasoningEffort != "" && r.ReasoningEffort != "none":
		return bad("Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. Please use /v1/responses instead.", m.id)
	case r.ReasoningEffort != "" && !slices.Contains(openAIEfforts, r.ReasoningEffort):
		return coded("invalid_value", "reasoning_effort", "Invalid value: '%s'.", r.ReasoningEffort)
	}
	return chatFormat(r.ResponseFormat)
}

// openAIEfforts are the words of reasoning.effort and reasoning_effort.
var openAIEfforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// chatFormat checks response_format.
// Source: developers.openai.com/api/docs/guides/structured-outputs.
func chatFormat(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var f struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Strict      *bool           `json:"strict"`
			Schema      json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	if err := exactly(raw, &f); err != nil || f.Type != "json_schema" {
		return coded("invalid_value", "response_format", "Invalid value for 'response_format'.")
	}
	return openAIFormat(f.JSONSchema.Name, f.JSONSchema.Schema, f.JSONSchema.Strict, "response_format.json_schema")
}

func openAIFormat(name string, of json.RawMessage, strict *bool, param string) error {
	if !plain(name, 64) {
		return coded("invalid_value", param+".name", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", param)
	}
	if err := openAISchema(of, strict != nil && *strict); err != nil {
		return coded("invalid_json_schema", param+".schema", "Invalid schema for response_format '%s': %v", name, err)
	}
	return nil
}

func chatTool(raw json.RawMessage, i int, names map[string]bool) error {
	var t struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
			Strict      *bool           `json:"strict"`
		} `json:"function"`
	}
	if err := exactly(raw, &t); err != nil || t.Type != "function" {
		return coded("invalid_type", "tools", "Invalid 'tools[%d]': %v", i, err)
	}
	f := &t.Function
	return openAITool(i, f.Name, f.Parameters, f.Strict != nil && *f.Strict, "function.", names)
}

// openAITools checks the number of tools.
// Source: the words of the answers in musistudio/claude-code-router#686, vishalmysore/Tools4AI#16.
func openAITools(n int) error {
	const most = 128
	if n > most {
		return coded("array_above_max_length", "tools", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", most, n)
	}
	return nil
}

// openAITool checks a tool.
// Source: developers.openai.com/api/docs/guides/function-calling ("Defining functions").
func openAITool(i int, name string, parameters json.RawMessage, strict bool, where string, names map[string]bool) error {
	switch {
	case !plain(name, 64):
		return coded("invalid_value", "tools", "Invalid 'tools[%d].%sname': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$', at most 64 long.", i, where)
	case names[name]:
		return bad("Tool names must be unique: %s", name)
	}
	names[name] = true
	if parameters == nil {
		return nil
	}
	if err := openAISchema(parameters, strict); err != nil {
		return coded("invalid_function_parameters", "tools", "Invalid schema for function '%s': %v", name, err)
	}
	return nil
}
