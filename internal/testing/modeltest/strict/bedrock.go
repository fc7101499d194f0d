package strict

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// bedrock is Converse of AWS Bedrock, with a key for Bedrock alone.
type bedrock struct{}

const (
	bedrockOpus = "us.anthropic.claude-opus-5-5" // thinks, and signs it
	nova        = "us.amazon.nova-2-lite-v1:0"   // takes other fields
)

var bedrockModels = []modelOf{{id: bedrockOpus, reasons: true}, {id: nova}}

func (bedrock) call(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/converse") || strings.HasSuffix(r.URL.Path, "/converse-stream")
}

func (bedrock) lists(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "-models") || strings.HasSuffix(r.URL.Path, "/inference-profiles")
}
func (bedrock) key(r *http.Request) string { return bearer(r) }

// failure is an exception of Bedrock.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html ("Errors"), and
// threads named in dialects.md §10.
func (bedrock) failure(f Failure) *refusal {
	switch f {
	case WrongKey:
		return &refusal{status: 403, kind: "UnrecognizedClientException", message: "The security token included in the request is invalid."}
	case NoAccess:
		return &refusal{status: 403, kind: "AccessDeniedException", message: "You don't have access to the model with the specified model ID."}
	case NoCredit:
		return &refusal{status: 429, kind: "ThrottlingException", message: "Too many tokens per day, please wait before trying again."}
	case TooFast:
		return &refusal{status: 429, kind: "ThrottlingException", message: "Too many requests, please wait before trying again."}
	case TooLong:
		return &refusal{message: "Input is too long for requested model."}
	case Overloaded:
		return &refusal{status: 503, kind: "ServiceUnavailableException", message: "Bedrock is unable to process your request."}
	case NoSuchModel:
		return &refusal{message: "The provided model identifier is invalid."}
	case Flagged:
		return &refusal{message: "The model returned the following errors: Output blocked by content filtering policy"}
	}
	return &refusal{status: 500, kind: "InternalServerException", message: "The system encountered an unexpected error during processing. Try your request again."}
}

func (bedrock) body(r *refusal) string { return encode(map[string]any{"message": r.message}) }

// named is the header that has the name of an exception.
func (r *refusal) named() http.Header {
	kind := r.kind
	if kind == "" {
		kind = "ValidationException"
	}
	return http.Header{"X-Amzn-Errortype": {kind}}
}

// models is both lists in one document, because a reader of one does not look at the other. There
// are no inference profiles.
func (bedrock) models() string {
	var list []any
	for _, m := range bedrockModels {
		list = append(list, map[string]any{
			"modelId": m.id, "modelName": m.id, "providerName": "x", "inputModalities": []string{"TEXT", "IMAGE"}, "outputModalities": []string{"TEXT"},
			"responseStreamingSupported": true, "inferenceTypesSupported": []string{"ON_DEMAND"}, "modelLifecycle": map[string]any{"status": "ACTIVE"},
		})
	}
	return encode(map[string]any{"modelSummaries": list, "inferenceProfileSummaries": []any{}})
}

// bedrockRequest has the members of a request.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
type bedrockRequest struct {
	System    []json.RawMessage `json:"system"`
	Messages  []json.RawMessage `json:"messages"`
	Inference *struct {
		MaxTokens   *int     `json:"maxTokens"`
		Stop        []string `json:"stopSequences"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"topP"`
	} `json:"inferenceConfig"`
	Tools *struct {
		Tools  []json.RawMessage `json:"tools"`
		Choice json.RawMessage   `json:"toolChoice"`
	} `json:"toolConfig"`
	Fields *struct {
		Thinking *struct {
			Type    string `json:"type"`
			Display string `json:"display"`
			Budget  *int   `json:"budget_tokens"`
		} `json:"thinking"`
		Reasoning json.RawMessage `json:"reasoningConfig"`
	} `json:"additionalModelRequestFields"`
	Output *struct {
		Effort string          `json:"effort"`
		Format json.RawMessage `json:"textFormat"`
	} `json:"outputConfig"`
	Metadata map[string]string `json:"requestMetadata"`
}

func (bedrock) check(h *http.Request, body []byte, mem *memory) (*asked, error) {
	var r bedrockRequest
	if err := exactly(body, &r); err != nil {
		return nil, bad("Unexpected field type, or an unknown field: %v", err)
	}
	path, method := h.URL.EscapedPath(), "/converse"
	if strings.HasSuffix(path, "/converse-stream") {
		method = "/converse-stream"
	}
	_, escaped, _ := strings.Cut(strings.TrimSuffix(path, method), "/model/")
	name, err := url.PathUnescape(escaped)
	m, ok := find(bedrockModels, name)
	switch {
	case err != nil || !ok:
		return nil, bad("The provided model identifier is invalid.")
	case strings.Contains(escaped, ":"):
		return nil, &refusal{status: 403, kind: "InvalidSignatureException", message: "strict: the id of the model is not escaped in the path"}
	}
	if err := r.parameters(m); err != nil {
		return nil, err
	}
	c := bedrockConversation{model: m, memory: mem, tools: r.Tools != nil}
	if err := c.head(&r); err != nil {
		return nil, err
	}
	for i, raw := range r.Messages {
		if err := c.message(i, raw); err != nil {
			return nil, err
		}
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	a := &asked{model: m, stream: method == "/converse-stream", prompt: c.prompt}
	a.shows = r.Fields != nil && r.Fields.Thinking != nil && r.Fields.Thinking.Display == "summarized"
	return a, nil
}

// parameters checks what depends on the model.
// Source: docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html,
// .../nova2-userguide, and .../structured-output.html; for the temperature, github/copilot-sdk#1557.
func (r *bedrockRequest) parameters(m modelOf) error {
	if i := r.Inference; i != nil && m.reasons && (i.Temperature != nil || i.TopP != nil) {
		return bad("The model returned the following errors: `temperature` is deprecated for this model.")
	}
	if f := r.Fields; f != nil {
		switch {
		case f.Thinking != nil && !m.reasons:
			return bad("Malformed input request: #: extraneous key [thinking] is not permitted, please reformat your input and try again.")
		case f.Thinking != nil && f.Thinking.Type != "adaptive":
			return bad("The model returned the following errors: thinking.type: '%s' is not supported for this model.", f.Thinking.Type)
		case f.Reasoning != nil && m.reasons:
			return bad("The model returned the following errors: reasoningConfig: Extra inputs are not permitted")
		}
	}
	if r.Output == nil {
		return nil
	}
	if effort := r.Output.Effort; effort != "" && (!m.reasons || !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, effort)) {
		return bad("The model returned the following errors: output_config.effort: %s", effort)
	}
	return r.format(m)
}

// format checks the form of an answer: its schema is text.
func (r *bedrockRequest) format(m modelOf) error {
	if r.Output.Format == nil {
		return nil
	}
	var f struct {
		Type      string `json:"type"`
		Structure struct {
			JSONSchema struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Schema      string `json:"schema"`
			} `json:"jsonSchema"`
		} `json:"structure"`
	}
	if err := exactly(r.Output.Format, &f); err != nil || f.Type != "json_schema" || f.Structure.JSONSchema.Schema == "" {
		return bad("Value at 'outputConfig.textFormat' failed to satisfy constraint: %v", err)
	}
	if !m.reasons {
		return nil
	}
	return anthropicFormat(json.RawMessage(f.Structure.JSONSchema.Schema))
}
