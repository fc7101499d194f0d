package strict

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// gemini is Google's Gemini API.
type gemini struct{ overSSE }

const (
	flash38 = "gemini-3.8-flash" // thinks by a level, and signs its calls
	flash25 = "gemini-2.5-flash" // thinks by a budget, and does not sign
)

var geminiModels = []modelOf{{id: flash38, reasons: true}, {id: flash25}}

func (gemini) call(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, ":streamGenerateContent") || strings.HasSuffix(r.URL.Path, ":generateContent")
}
func (gemini) lists(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/models") }

func (gemini) key(r *http.Request) string {
	if key := r.Header.Get("X-Goog-Api-Key"); key != "" {
		return key
	}
	return bearer(r)
}

// failure is Google's error.
// Source: ai.google.dev/gemini-api/docs/troubleshooting, and what gemini-cli reads
// (packages/core/src/utils/googleQuotaErrors.ts).
func (gemini) failure(f Failure) *refusal {
	quota := func(id, wait string) json.RawMessage {
		details := []any{map[string]any{
			"@type":      "type.googleapis.com/google.rpc.QuotaFailure",
			"violations": []any{map[string]any{"quotaMetric": "generativelanguage.googleapis.com/generate_content_requests", "quotaId": id, "quotaValue": "20"}},
		}}
		if wait != "" {
			details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait})
		}
		return json.RawMessage(encode(details))
	}
	switch f {
	case WrongKey:
		return &refusal{status: 400, message: "API key not valid. Please pass a valid API key.", details: json.RawMessage(`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]`)}
	case NoAccess:
		return &refusal{status: 403, kind: "PERMISSION_DENIED", message: "Your project has been denied access. Please contact support."}
	case NoCredit:
		return &refusal{status: 429, kind: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_content_requests, limit: 20 per day", details: quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "")}
	case TooFast:
		return &refusal{status: 429, kind: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota. Please retry in 1.0s.", details: quota("GenerateRequestsPerMinutePerProjectPerModel", "1s")}
	case TooLong:
		return &refusal{status: 400, message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."}
	case Overloaded:
		return &refusal{status: 503, kind: "UNAVAILABLE", message: "The model is overloaded. Please try again later."}
	case NoSuchModel:
		return &refusal{status: 404, kind: "NOT_FOUND", message: "models/x is not found for API version v1beta, or is not supported for generateContent."}
	}
	return &refusal{status: 500, kind: "INTERNAL", message: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"}
}

func (gemini) body(r *refusal) string {
	kind := r.kind
	if kind == "" {
		kind = "INVALID_ARGUMENT"
	}
	e := map[string]any{"code": r.statusOr400(), "message": r.message, "status": kind}
	if r.details != nil {
		e["details"] = r.details
	}
	return encode(map[string]any{"error": e})
}

func (gemini) models() string {
	var list []any
	for _, m := range geminiModels {
		list = append(list, map[string]any{
			"name": "models/" + m.id, "version": "1", "displayName": m.id, "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "thinking": true,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"},
		})
	}
	return encode(map[string]any{"models": list})
}

// geminiRequest has the members of a request that the fake knows.
// Source: ai.google.dev/api/generate-content.
type geminiRequest struct {
	Contents []json.RawMessage `json:"contents"`
	System   *struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	} `json:"systemInstruction"`
	Tools []struct {
		Functions []json.RawMessage `json:"functionDeclarations"`
	} `json:"tools"`
	ToolConfig json.RawMessage `json:"toolConfig"`
	Safety     json.RawMessage `json:"safetySettings"`
	Config     struct {
		MaxOutputTokens *int            `json:"maxOutputTokens"`
		Stop            []string        `json:"stopSequences"`
		Temperature     *float64        `json:"temperature"`
		TopP            *float64        `json:"topP"`
		TopK            *int            `json:"topK"`
		Seed            *int32          `json:"seed"`
		Presence        *float64        `json:"presencePenalty"`
		Frequency       *float64        `json:"frequencyPenalty"`
		MIMEType        string          `json:"responseMimeType"`
		JSONSchema      json.RawMessage `json:"responseJsonSchema"`
		Thinking        *struct {
			Include bool   `json:"includeThoughts"`
			Budget  *int   `json:"thinkingBudget"`
			Level   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

func (gemini) check(h *http.Request, body []byte, mem *memory) (*asked, error) {
	var r geminiRequest
	if err := exactly(body, &r); err != nil {
		if name := unknown(err); name != "" {
			return nil, bad("Invalid JSON payload received. Unknown name %q: Cannot find field.", name)
		}
		return nil, bad("Invalid JSON payload received. %v", err)
	}
	_, path, _ := strings.Cut(h.URL.Path, "/models/")
	name, method, _ := strings.Cut(path, ":")
	m, ok := find(geminiModels, name)
	stream := method == "streamGenerateContent"
	switch {
	case !ok:
		return nil, &refusal{status: 404, kind: "NOT_FOUND", message: "models/" + name + " is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."}
	case stream && h.URL.Query().Get("alt") != "sse":
		return nil, bad("strict: ask for alt=sse")
	case len(r.Contents) == 0:
		return nil, bad("* GenerateContentRequest.contents: contents is not specified")
	}
	if err := r.parameters(m); err != nil {
		return nil, err
	}
	c := geminiConversation{model: m, memory: mem}
	if err := c.head(&r); err != nil {
		return nil, err
	}
	for i, raw := range r.Contents {
		if err := c.content(i, raw); err != nil {
			return nil, err
		}
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	return &asked{model: m, stream: stream, prompt: c.prompt, shows: r.Config.Thinking != nil && r.Config.Thinking.Include}, nil
}

// parameters checks what depends on the model.
// Source: ai.google.dev/gemini-api/docs/thinking, and .../structured-output.
func (r *geminiRequest) parameters(m modelOf) error {
	g := &r.Config
	switch t := g.Thinking; {
	case g.JSONSchema != nil && g.MIMEType != "application/json":
		return bad("* GenerateContentRequest.generation_config.response_json_schema: only allowed when response_mime_type is 'application/json'")
	case g.JSONSchema != nil && !isObject(g.JSONSchema):
		return bad("* GenerateContentRequest.generation_config.response_json_schema: invalid")
	case g.MaxOutputTokens != nil && (*g.MaxOutputTokens < 1 || *g.MaxOutputTokens > 65_536):
		return bad("Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to 65537 (exclusive).", *g.MaxOutputTokens)
	case len(g.Stop) > 5:
		return bad("* GenerateContentRequest.generation_config.stop_sequences: at most 5")
	case t == nil:
		return nil
	case t.Budget != nil && t.Level != "":
		return bad("You can only set only one of thinking budget and thinking level.")
	case t.Level != "" && !m.reasons:
		return bad("Thinking level is not supported for this model.")
	case t.Budget != nil && m.reasons:
		return bad("Thinking budget is not supported for this model.")
	case t.Level != "" && !slices.Contains([]string{"minimal", "low", "medium", "high"}, strings.ToLower(t.Level)):
		return bad("Invalid value at 'generation_config.thinking_config.thinking_level' (%s)", t.Level)
	case t.Budget != nil && (*t.Budget < -1 || *t.Budget > 24_576):
		return bad("The thinking budget %d is invalid. Please choose a value between 0 and 24576.", *t.Budget)
	}
	return nil
}
