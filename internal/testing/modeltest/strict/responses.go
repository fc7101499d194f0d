package strict

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// responses is OpenAI's Responses.
type responses struct{ overSSE }

const gpt62 = "gpt-6.2-sol" // always reasons; refuses the effort "none"

var responsesModels = []modelOf{{id: gpt41}, {id: gpt56, reasons: true}, {id: gpt62, reasons: true}}

func (responses) call(r *http.Request) bool  { return strings.HasSuffix(r.URL.Path, "/responses") }
func (responses) lists(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/models") }

// key takes the header of Azure, too.
func (responses) key(r *http.Request) string {
	if key := r.Header.Get("Api-Key"); key != "" {
		return key
	}
	return bearer(r)
}

func (responses) failure(f Failure) *refusal { return openAIFailure(f) }
func (responses) body(r *refusal) string     { return r.openAIError() }
func (responses) models() string             { return openAIList(responsesModels) }

// responsesRequest has the members of a request that the fake knows.
// Source: developers.openai.com/api/reference/resources/responses/create.
type responsesRequest struct {
	Model             string            `json:"model"`
	Input             json.RawMessage   `json:"input"`
	Instructions      string            `json:"instructions"`
	Tools             []json.RawMessage `json:"tools"`
	ToolChoice        json.RawMessage   `json:"tool_choice"`
	Parallel          *bool             `json:"parallel_tool_calls"`
	Store             *bool             `json:"store"`
	Stream            bool              `json:"stream"`
	StreamOptions     json.RawMessage   `json:"stream_options"`
	MaxOutputTokens   *int              `json:"max_output_tokens"`
	Temperature       *float64          `json:"temperature"`
	TopP              *float64          `json:"top_p"`
	PromptCacheKey    string            `json:"prompt_cache_key"`
	PromptCacheOption json.RawMessage   `json:"prompt_cache_options"`
	Previous          *string           `json:"previous_response_id"`
	Include           []string          `json:"include"`
	Truncation        string            `json:"truncation"`
	ServiceTier       string            `json:"service_tier"`
	Metadata          map[string]string `json:"metadata"`
	Reasoning         *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Text *struct {
		Verbosity string          `json:"verbosity"`
		Format    json.RawMessage `json:"format"`
	} `json:"text"`
}

func (responses) check(_ *http.Request, body []byte, mem *memory) (*asked, error) {
	var r responsesRequest
	if err := exactly(body, &r); err != nil {
		if name := unknown(err); name != "" {
			return nil, coded("unknown_parameter", name, "Unknown parameter: '%s'.", name)
		}
		return nil, bad("We could not parse the JSON body of your request. %v", err)
	}
	m, ok := find(responsesModels, r.Model)
	if !ok {
		return nil, openAIFailure(NoSuchModel)
	}
	if err := r.parameters(m); err != nil {
		return nil, err
	}
	if err := openAITools(len(r.Tools)); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	in := responsesInput{model: m, memory: mem}
	in.prompt = append(in.prompt, r.Instructions)
	for i, raw := range r.Tools {
		if err := responsesTool(raw, i, names); err != nil {
			return nil, err
		}
		in.prompt = append(in.prompt, compact(raw))
	}
	if err := in.items(r.Input); err != nil {
		return nil, err
	}
	a := &asked{model: m, stream: r.Stream, prompt: in.prompt}
	a.shows = r.Reasoning != nil && r.Reasoning.Summary != ""
	return a, nil
}

// parameters checks what depends on the model.
// Source: developers.openai.com/api/docs/guides/reasoning, and .../models/gpt-6.2-sol.
func (r *responsesRequest) parameters(m modelOf) error {
	unsupported := func(name string) error {
		return coded("unsupported_parameter", name, "Unsupported parameter: '%s' is not supported with this model.", name)
	}
	switch {
	case r.Reasoning != nil && !m.reasons:
		return unsupported("reasoning.effort")
	case m.reasons && (r.Temperature != nil || r.TopP != nil):
		return unsupported("temperature")
	case len(r.PromptCacheKey) > 64:
		return coded("string_above_max_length", "prompt_cache_key", "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", len(r.PromptCacheKey))
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		return coded("integer_below_min_value", "max_output_tokens", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", *r.MaxOutputTokens)
	case r.Previous != nil:
		return coded("previous_response_not_found", "previous_response_id", "Previous response with id '%s' not found.", *r.Previous)
	case r.Store == nil || *r.Store:
		return bad("strict: this organization keeps nothing; send \"store\": false")
	}
	for _, name := range r.Include {
		if name != "reasoning.encrypted_content" {
			return coded("invalid_value", "include", "Invalid value: '%s'.", name)
		}
		if !m.reasons {
			return bad("Encrypted content is not supported with this model.")
		}
	}
	if r.Reasoning != nil {
		switch effort := r.Reasoning.Effort; {
		case effort != "" && !slices.Contains(openAIEfforts, effort),
			effort == "none" && m.id == gpt62, effort == "minimal" && m.id == gpt62:
			return coded("unsupported_value", "reasoning.effort", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: 'low', 'medium', 'high', 'xhigh', and 'max'.", effort, m.id)
		case !slices.Contains([]string{"", "auto", "concise", "detailed"}, r.Reasoning.Summary):
			return coded("invalid_value", "reasoning.summary", "Invalid value: '%s'. Supported values are: 'concise', 'detailed', and 'auto'.", r.Reasoning.Summary)
		}
	}
	return r.format()
}

func (r *responsesRequest) format() error {
	if r.Text == nil || r.Text.Format == nil {
		return nil
	}
	var f struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      *bool           `json:"strict"`
		Schema      json.RawMessage `json:"schema"`
	}
	if err := exactly(r.Text.Format, &f); err != nil || f.Type != "json_schema" {
		return coded("invalid_value", "text.format", "Invalid value for 'text.format'.")
	}
	return openAIFormat(f.Name, f.Schema, f.Strict, "text.format")
}

// responsesTool checks a tool. Its schema is strict unless it says that it is not.
// Source: developers.openai.com/api/docs/guides/function-calling ("Strict mode").
func responsesTool(raw json.RawMessage, i int, names map[string]bool) error {
	var t struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	}
	if err := exactly(raw, &t); err != nil || t.Type != "function" {
		return coded("invalid_type", "tools", "Invalid 'tools[%d]': %v", i, err)
	}
	if t.Parameters == nil {
		return coded("missing_required_parameter", "tools", "Missing required parameter: 'tools[%d].parameters'.", i)
	}
	return openAITool(i, t.Name, t.Parameters, t.Strict == nil || *t.Strict, "", names)
}
