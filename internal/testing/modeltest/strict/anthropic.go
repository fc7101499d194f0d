package strict

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// anthropic is Anthropic's Messages.
type anthropic struct{ overSSE }

const (
	sonnet45 = "claude-sonnet-4-5" // thinks by a budget
	opus47   = "claude-opus-4-7"   // adaptive; silent unless asked to show its thinking
	opus55   = "claude-opus-5-5"   // always thinks; its thinking is bound to the prompt before it
)

var anthropicModels = []modelOf{{id: sonnet45}, {id: opus47, reasons: true}, {id: opus55, reasons: true}}

func (anthropic) call(r *http.Request) bool  { return strings.HasSuffix(r.URL.Path, "/v1/messages") }
func (anthropic) lists(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/v1/models") }

func (anthropic) key(r *http.Request) string {
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return bearer(r)
}

// failure is Anthropic's error. Source: platform.claude.com/docs/en/api/errors.
func (anthropic) failure(f Failure) *refusal {
	switch f {
	case WrongKey:
		return &refusal{status: 401, kind: "authentication_error", message: "invalid x-api-key"}
	case NoAccess:
		return &refusal{status: 403, kind: "permission_error", message: "Your API key does not have permission to use the specified resource."}
	case NoCredit:
		return &refusal{status: 400, message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}
	case TooFast:
		return &refusal{status: 429, kind: "rate_limit_error", header: wait(), message: "This request would exceed your organization's rate limit of 30,000 input tokens per minute."}
	case TooLong:
		return &refusal{status: 400, message: "prompt is too long: 213462 tokens > 200000 maximum"}
	case Overloaded:
		return &refusal{status: 529, kind: "overloaded_error", message: "Overloaded"}
	case Flagged:
		return &refusal{status: 400, message: "Output blocked by content filtering policy"}
	case NoSuchModel:
		return &refusal{status: 404, kind: "not_found_error", message: "model: claude-x"}
	}
	return &refusal{status: 500, kind: "api_error", message: "Internal server error"}
}

func (anthropic) body(r *refusal) string {
	kind := r.kind
	if kind == "" {
		kind = "invalid_request_error"
	}
	return encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": r.message}, "request_id": "req_strict"})
}

func (anthropic) models() string {
	var list []any
	for _, m := range anthropicModels {
		list = append(list, map[string]any{
			"type": "model", "id": m.id, "display_name": m.id, "created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 200_000, "max_tokens": longest(m.id),
			"capabilities": map[string]any{"image_input": map[string]any{"supported": true}},
		})
	}
	return encode(map[string]any{"data": list, "has_more": false, "first_id": sonnet45, "last_id": opus55})
}

// anthropicRequest has the members of a request that the fake knows.
// Source: platform.claude.com/docs/en/api/messages/create.
type anthropicRequest struct {
	Model        string            `json:"model"`
	MaxTokens    *int              `json:"max_tokens"`
	System       json.RawMessage   `json:"system"`
	Messages     []json.RawMessage `json:"messages"`
	Tools        []json.RawMessage `json:"tools"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Stream       bool              `json:"stream"`
	Temperature  *float64          `json:"temperature"`
	TopP         *float64          `json:"top_p"`
	TopK         *int              `json:"top_k"`
	Stop         []string          `json:"stop_sequences"`
	Metadata     json.RawMessage   `json:"metadata"`
	CacheControl json.RawMessage   `json:"cache_control"`
	ServiceTier  string            `json:"service_tier"`
	Thinking     *struct {
		Type    string `json:"type"`
		Budget  *int   `json:"budget_tokens"`
		Display string `json:"display"`
	} `json:"thinking"`
	Output *struct {
		Effort string          `json:"effort"`
		Format json.RawMessage `json:"format"`
	} `json:"output_config"`
}

func (anthropic) check(h *http.Request, body []byte, mem *memory) (*asked, error) {
	var r anthropicRequest
	if err := exactly(body, &r); err != nil {
		if name := unknown(err); name != "" {
			return nil, bad("%s: Extra inputs are not permitted", name)
		}
		return nil, bad("The request body is not valid JSON: %v", err)
	}
	m, ok := find(anthropicModels, r.Model)
	switch {
	case h.Header.Get("Anthropic-Version") != "2023-06-01":
		return nil, bad("anthropic-version: header is required")
	case !ok:
		return nil, &refusal{status: 404, kind: "not_found_error", message: "model: " + r.Model}
	case r.MaxTokens == nil:
		return nil, bad("max_tokens: Field required")
	case *r.MaxTokens > longest(m.id):
		return nil, bad("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", *r.MaxTokens, longest(m.id), m.id)
	case len(r.Messages) == 0:
		return nil, bad("messages: at least one message is required")
	}
	if err := r.parameters(m); err != nil {
		return nil, err
	}
	c := anthropicConversation{model: m, memory: mem}
	if err := c.head(&r); err != nil {
		return nil, err
	}
	for i, raw := range r.Messages {
		if err := c.message(i, raw); err != nil {
			return nil, err
		}
	}
	if err := c.end(r.Thinking != nil && r.Thinking.Type == "enabled"); err != nil {
		return nil, err
	}
	a := &asked{model: m, stream: r.Stream, prompt: c.prompt}
	a.shows = r.Thinking != nil && (r.Thinking.Type == "enabled" || r.Thinking.Display == "summarized")
	return a, nil
}

// parameters checks what depends on the model.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking, .../adaptive-thinking,
// .../effort, and the page of each model.
func (r *anthropicRequest) parameters(m modelOf) error {
	kind, budget := "", (*int)(nil)
	if r.Thinking != nil {
		kind, budget = r.Thinking.Type, r.Thinking.Budget
	}
	switch {
	case !slices.Contains([]string{"", "enabled", "adaptive", "disabled"}, kind):
		return bad("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'", kind)
	case kind == "enabled" && m.reasons:
		return bad("thinking.type: 'enabled' is not supported for this model. Use 'adaptive' and output_config.effort.")
	case kind == "adaptive" && !m.reasons:
		return bad("adaptive thinking is not supported on this model")
	case kind == "disabled" && m.id == opus55:
		return bad("thinking.type: 'disabled' is not supported for this model.")
	case kind == "enabled" && (budget == nil || *budget < 1024):
		return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case kind == "enabled" && *budget >= *r.MaxTokens:
		return bad("`max_tokens` must be greater than `thinking.budget_tokens`.")
	case kind != "enabled" && budget != nil:
		return bad("thinking.%s.budget_tokens: Extra inputs are not permitted", kind)
	case m.reasons && (r.Temperature != nil || r.TopP != nil || r.TopK != nil):
		return bad("`temperature` is not supported with this model.")
	}
	if r.Output == nil {
		return nil
	}
	if effort := r.Output.Effort; effort != "" {
		if !m.reasons {
			return bad("This model does not support the effort parameter.")
		}
		if !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, effort) {
			return bad("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
		}
	}
	if r.Output.Format == nil {
		return nil
	}
	var f struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	}
	if err := exactly(r.Output.Format, &f); err != nil || f.Type != "json_schema" {
		return bad("output_config.format: Extra inputs are not permitted")
	}
	return anthropicFormat(f.Schema)
}

// head checks the tools and the system text, which come first in the prompt.
// Source: platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use, and
// .../build-with-claude/prompt-caching.
func (c *anthropicConversation) head(r *anthropicRequest) error {
	names := map[string]bool{}
	for i, raw := range r.Tools {
		var t struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
			Cache       json.RawMessage `json:"cache_control"`
			Strict      *bool           `json:"strict"`
			Eager       *bool           `json:"eager_input_streaming"`
		}
		if err := exactly(raw, &t); err != nil {
			return bad("tools.%d.custom.%s: Extra inputs are not permitted", i, unknown(err))
		}
		s, ok := schemaOf(t.Schema)
		switch {
		case !plain(t.Name, 128):
			return bad("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		case names[t.Name]:
			return bad("tools: Tool names must be unique.")
		case !ok || s.kind() != "object":
			return bad("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		case s["oneOf"] != nil || s["anyOf"] != nil || s["allOf"] != nil:
			return bad("tools.%d.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", i)
		}
		names[t.Name] = true
		c.cached(t.Cache)
		c.prompt = append(c.prompt, withoutCache(raw))
	}
	if r.System == nil {
		return nil
	}
	if text, ok := isText(r.System); ok {
		c.prompt = append(c.prompt, text)
		return nil
	}
	var blocks []json.RawMessage
	if json.Unmarshal(r.System, &blocks) != nil {
		return bad("system: Input should be a valid list")
	}
	for i, raw := range blocks {
		if err := c.text(raw, "system", i); err != nil {
			return err
		}
		c.prompt = append(c.prompt, withoutCache(raw))
	}
	return nil
}

// cached counts a mark of the cache.
func (c *anthropicConversation) cached(mark json.RawMessage) {
	if mark != nil {
		c.marks++
	}
}

// withoutCache is a block without its mark: marks move, and are not part of the prompt.
func withoutCache(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return compact(raw)
	}
	delete(members, "cache_control")
	return encode(members)
}

// longest is how many tokens an answer of a model can have.
// Source: Anthropic's model pages, 2026-11.
func longest(id string) int {
	if strings.HasPrefix(id, "claude-sonnet-4-5") || strings.HasPrefix(id, "claude-haiku-4-5") {
		return 64_000
	}
	return 128_000
}
