package strict

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// ollama is Ollama's own API. The server checks little; this fake also refuses what the server
// takes and then handles badly without an error, such as a prompt that it cuts off.
type ollama struct{}

const (
	qwen = "qwen3.5" // thinks, calls tools, sees images
	old  = "llama2"  // does none of that
)

var ollamaModels = []modelOf{{id: qwen, reasons: true}, {id: old}}

func (ollama) call(r *http.Request) bool  { return r.URL.Path == "/api/chat" }
func (ollama) lists(r *http.Request) bool { return r.URL.Path == "/api/tags" }
func (ollama) key(r *http.Request) string { return bearer(r) } // as of Ollama's cloud

// failure is Ollama's error. Source: server/routes.go, server/sched.go and llm/server.go of
// ollama/ollama v0.30.0.
func (ollama) failure(f Failure) *refusal {
	switch f {
	case WrongKey:
		return &refusal{status: 401, message: "unauthorized"}
	case NoAccess:
		return &refusal{status: 403, message: "this model requires a subscription, upgrade for access"}
	case NoCredit, TooFast:
		return &refusal{status: 429, header: wait(), message: "too many concurrent requests"}
	case TooLong:
		return &refusal{status: 400, message: "request (120034 tokens) exceeds the available context size (65536 tokens), try increasing it"}
	case Overloaded:
		return &refusal{status: 503, message: "server busy, please try again.  maximum pending requests exceeded"}
	case NoSuchModel:
		return &refusal{status: 404, message: "model 'x' not found"}
	}
	return &refusal{status: 500, message: "llama runner process has terminated: exit status 2"}
}

func (ollama) body(r *refusal) string { return encode(map[string]any{"error": r.message}) }

func (ollama) models() string {
	var list []any
	for _, m := range ollamaModels {
		list = append(list, map[string]any{"name": m.id + ":latest", "model": m.id + ":latest", "size": 1, "details": map[string]any{"family": m.id}})
	}
	return encode(map[string]any{"models": list})
}

// ollamaRequest has the members of a request. Source: docs/api.md of ollama/ollama v0.30.0 ("Generate
// a chat completion").
type ollamaRequest struct {
	Model     string            `json:"model"`
	Messages  []json.RawMessage `json:"messages"`
	Tools     []json.RawMessage `json:"tools"`
	Stream    *bool             `json:"stream"`
	Format    json.RawMessage   `json:"format"`
	Think     json.RawMessage   `json:"think"`
	KeepAlive json.RawMessage   `json:"keep_alive"`
	Truncate  *bool             `json:"truncate"`
	Shift     *bool             `json:"shift"`
	Options   struct {
		NumCtx     int      `json:"num_ctx"`
		NumPredict *int     `json:"num_predict"`
		Stop       []string `json:"stop"`
		// Source: docs/modelfile.mdx and api/types.go, Options.
		Temperature      *float64 `json:"temperature"`
		TopP             *float64 `json:"top_p"`
		TopK             *int     `json:"top_k"`
		MinP             *float64 `json:"min_p"`
		Seed             *int     `json:"seed"`
		RepeatPenalty    *float64 `json:"repeat_penalty"`
		PresencePenalty  *float64 `json:"presence_penalty"`
		FrequencyPenalty *float64 `json:"frequency_penalty"`
	} `json:"options"`
}

func (ollama) check(_ *http.Request, body []byte, _ *memory) (*asked, error) {
	var r ollamaRequest
	if err := exactly(body, &r); err != nil {
		return nil, bad("strict: the server does not know %q, and would ignore it: %v", unknown(err), err)
	}
	m, ok := find(ollamaModels, strings.TrimSuffix(r.Model, ":latest"))
	switch {
	case !ok:
		return nil, &refusal{status: 404, message: "model '" + r.Model + "' not found"}
	case r.Options.NumCtx == 0 || r.Truncate == nil || *r.Truncate || r.Shift == nil || *r.Shift:
		return nil, bad("strict: without num_ctx, truncate and shift the server cuts the prompt off, and says nothing")
	case len(r.Tools) > 0 && !m.reasons:
		return nil, bad("%q does not support tools", m.id)
	case r.Think != nil && string(r.Think) != "false" && !m.reasons:
		return nil, bad("%q does not support thinking", m.id)
	case r.Think != nil && !slices.Contains([]string{"true", "false", `"low"`, `"medium"`, `"high"`, `"max"`}, string(r.Think)):
		return nil, bad("invalid think value: %s (must be \"high\", \"medium\", \"low\", \"max\", true, or false)", r.Think)
	}
	for i, raw := range r.Tools {
		if err := ollamaTool(i, raw); err != nil {
			return nil, err
		}
	}
	c := ollamaConversation{model: m}
	for i, raw := range r.Messages {
		if err := c.message(i, raw); err != nil {
			return nil, err
		}
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	return &asked{model: m, stream: r.Stream == nil || *r.Stream, shows: m.reasons && string(r.Think) != "false"}, nil
}

func ollamaTool(i int, raw json.RawMessage) error {
	var t struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	s, ok := schema(nil), false
	err := exactly(raw, &t)
	if err == nil {
		s, ok = schemaOf(t.Function.Parameters)
	}
	if err != nil || t.Type != "function" || t.Function.Name == "" || !ok || s.kind() != "object" || s["properties"] == nil {
		return bad("strict: tool %d is not a function with an object as its parameters", i)
	}
	return nil
}

// ollamaConversation checks the messages in order. The server does not; the templates of models fail,
// or drop what they do not expect.
type ollamaConversation struct {
	model modelOf
	open  []string // the names of calls without a result
}

func (c *ollamaConversation) complete() error {
	if len(c.open) > 0 {
		return bad("strict: the calls of %v have no results", c.open)
	}
	return nil
}

func (c *ollamaConversation) message(i int, raw json.RawMessage) error {
	var m struct {
		Role     string   `json:"role"`
		Content  *string  `json:"content"`
		Thinking string   `json:"thinking"`
		Images   []string `json:"images"`
		Calls    []struct {
			ID       string `json:"id"`
			Function struct {
				Index     int             `json:"index"`
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		Tool   string `json:"tool_name"`
		CallID string `json:"tool_call_id"`
	}
	if err := exactly(raw, &m); err != nil {
		return bad("json: cannot unmarshal message %d: %v", i, err)
	}
	if m.Role != "tool" {
		if err := c.complete(); err != nil {
			return err
		}
	}
	for _, image := range m.Images {
		if data, err := base64.StdEncoding.DecodeString(image); err != nil || !isImage("image/png", data) && !isImage("image/jpeg", data) && !isImage("image/webp", data) {
			return bad("illegal base64 data, or an image of an unknown format")
		}
	}
	switch {
	case m.Content == nil && len(m.Calls) == 0:
		return bad("strict: message %d has no content", i)
	case len(m.Images) > 0 && !c.model.reasons:
		return bad("this model is missing data required for image input")
	case m.Role == "assistant":
		for _, call := range m.Calls {
			if call.Function.Name == "" || !isObject(call.Function.Arguments) {
				return bad("json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments")
			}
			c.open = append(c.open, call.Function.Name)
		}
		return nil
	case m.Role == "tool":
		at := slices.Index(c.open, m.Tool)
		if at < 0 {
			return bad("strict: message %d is the result of %q, which was not called", i, m.Tool)
		}
		c.open = slices.Delete(c.open, at, at+1)
		return nil
	case m.Role != "system" && m.Role != "user":
		return bad("strict: the templates of models do not know the role %q", m.Role)
	case m.Thinking != "" || len(m.Calls) > 0:
		return bad("strict: message %d has members of an answer", i)
	}
	return nil
}
