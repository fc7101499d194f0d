package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// bodyOf returns the body of a call; the provider then fails it.
func bodyOf(t *testing.T, ep model.Endpoint, r model.Request) (string, error) {
	t.Helper()
	p := &refusing{status: http.StatusBadRequest, answer: `{"error":{"message":"no"}}`}
	c := model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler)}, chat.New(), responses.New(), anthropic.New(), gemini.New(), bedrock.New(), ollama.New())
	_, err := c.Stream(t.Context(), ep, r, nil)
	if len(p.sent) == 0 {
		return "", err
	}
	_, body, _ := strings.Cut(p.sent[0], " ")
	return body, err
}

func f(v float64) *float64 { return &v }
func i(v int64) *int64     { return &v }

// samplingRow is one provider of [TestSamplingParameters].
type samplingRow struct {
	name, dialect, base string
	want                map[string]string // what is added to the body; other parameters are refused
}

func samplingRows() []samplingRow {
	return []samplingRow{
		{"a local server", chat.Name, "http://localhost:8080/v1", map[string]string{
			"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "topK": `,"top_k":40}`, "minP": `,"min_p":0.05}`, "seed": `,"seed":7}`,
			"presencePenalty": `,"presence_penalty":0.5}`, "frequencyPenalty": `,"frequency_penalty":-0.5}`, "repeatPenalty": `,"repeat_penalty":1.1,"repetition_penalty":1.1}`,
		}},
		{"OpenAI", chat.Name, "https://api.openai.com/v1", map[string]string{
			"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "seed": `,"seed":7}`, "presencePenalty": `,"presence_penalty":0.5}`, "frequencyPenalty": `,"frequency_penalty":-0.5}`,
		}},
		{"Mistral", chat.Name, "https://api.mistral.ai/v1", map[string]string{
			"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "seed": `,"random_seed":7}`, "presencePenalty": `,"presence_penalty":0.5}`, "frequencyPenalty": `,"frequency_penalty":-0.5}`,
		}},
		{"DeepSeek", chat.Name, "https://api.deepseek.com", map[string]string{
			"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "presencePenalty": `,"presence_penalty":0.5}`, "frequencyPenalty": `,"frequency_penalty":-0.5}`,
		}},
		{"OpenRouter", chat.Name, "https://openrouter.ai/api/v1", map[string]string{
			"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "topK": `,"top_k":40}`, "minP": `,"min_p":0.05}`, "seed": `,"seed":7}`,
			"presencePenalty": `,"presence_penalty":0.5}`, "frequencyPenalty": `,"frequency_penalty":-0.5}`, "repeatPenalty": `,"repetition_penalty":1.1}`,
		}},
		{"Responses", responses.Name, "https://api.openai.com/v1", map[string]string{"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`}},
		{"Anthropic", anthropic.Name, "https://api.anthropic.com", map[string]string{"temperature": `,"temperature":0}`, "topP": `,"top_p":0.9}`, "topK": `,"top_k":40}`}},
		{"Gemini", gemini.Name, "https://generativelanguage.googleapis.com/v1beta", map[string]string{
			"temperature": `"generationConfig":{"temperature":0}}`, "topP": `"generationConfig":{"topP":0.9}}`, "topK": `"generationConfig":{"topK":40}}`, "seed": `"generationConfig":{"seed":7}}`,
			"presencePenalty": `"generationConfig":{"presencePenalty":0.5}}`, "frequencyPenalty": `"generationConfig":{"frequencyPenalty":-0.5}}`,
		}},
		{"Bedrock", bedrock.Name, "https://bedrock-runtime.us-east-1.amazonaws.com", map[string]string{"temperature": `,"inferenceConfig":{"temperature":0}`, "topP": `,"inferenceConfig":{"topP":0.9}`}},
		{"Ollama", ollama.Name, "http://localhost:11434", map[string]string{
			"temperature": `,"temperature":0}}`, "topP": `,"top_p":0.9}}`, "topK": `,"top_k":40}}`, "minP": `,"min_p":0.05}}`, "seed": `,"seed":7}}`,
			"presencePenalty": `,"presence_penalty":0.5}}`, "frequencyPenalty": `,"frequency_penalty":-0.5}}`, "repeatPenalty": `,"repeat_penalty":1.1}}`,
		}},
	}
}

// Each dialect sends the parameters under its own names, where it has them, and refuses the others by name.
func TestSamplingParameters(t *testing.T) {
	all := map[string]model.Params{
		"temperature": {Temperature: f(0)}, "topP": {TopP: f(0.9)}, "topK": {TopK: i(40)}, "minP": {MinP: f(0.05)}, "seed": {Seed: i(7)},
		"presencePenalty": {PresencePenalty: f(0.5)}, "frequencyPenalty": {FrequencyPenalty: f(-0.5)}, "repeatPenalty": {RepeatPenalty: f(1.1)},
	}
	for _, tc := range samplingRows() {
		t.Run(tc.name, func(t *testing.T) {
			ep := model.Endpoint{Dialect: tc.dialect, BaseURL: tc.base, APIKey: "k"}
			plain, _ := bodyOf(t, ep, asking)
			for name, p := range all {
				ep.Params = &p
				p.From = "/home/models.json"
				body, err := bodyOf(t, ep, asking)
				want := tc.want[name]
				switch {
				case want == "" && (body != "" || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "/home/models.json sets "+name+" for m, but ")):
					t.Errorf("%s: sent %q, %v; want a refusal by name", name, body, err)
				case want != "" && (!strings.Contains(body, want) || !json.Valid([]byte(body))):
					t.Errorf("%s: %s lacks %s", name, body, want)
				}
			}
			ep.Params = &model.Params{}
			if body, _ := bodyOf(t, ep, asking); body != plain {
				t.Errorf("no parameters change the request from %s to %s", plain, body)
			}
			ep.Params = &model.Params{Extra: map[string]json.RawMessage{"zz": []byte(`{"a":[1]}`), "mirostat": []byte(`2`)}}
			if body, _ := bodyOf(t, ep, asking); body != strings.TrimSuffix(plain, "}")+`,"mirostat":2,"zz":{"a":[1]}}` {
				t.Errorf("with further members it is %s", body)
			}
		})
	}
}

// No further member can replace one that a dialect writes: a request that has everything has no member at its
// top that could be set.
func TestExtraMembersReplaceNothing(t *testing.T) {
	limited := demanding(&model.Endpoint{})
	limited.MaxOutputTokens, limited.Thread, limited.Messages[1].Reasoning = 100, "t", nil
	limited.Messages = slices.Insert(limited.Messages, 0, model.Message{Role: model.RoleSystem, Content: "be brief"})
	limited.Format = &model.ResponseFormat{Name: "x", Schema: []byte(`{"type":"object"}`)}
	for dialect, base := range map[string]string{
		chat.Name: "https://api.openai.com/v1", responses.Name: "https://api.openai.com/v1", anthropic.Name: "https://api.anthropic.com",
		gemini.Name: "https://g/v1beta", bedrock.Name: "https://b", ollama.Name: "http://localhost:11434",
	} {
		for _, name := range []string{"m", "claude-opus-5-5", "anthropic.claude-opus-4-8", "gemini-3.8-flash"} {
			r := limited
			r.Model = name
			ep := model.Endpoint{Dialect: dialect, BaseURL: base, APIKey: "k", PromptProgress: true}
			body, err := bodyOf(t, ep, r)
			var written map[string]json.RawMessage
			if json.Unmarshal([]byte(body), &written) != nil || len(written) < 4 {
				t.Fatalf("%s: %s, %v", dialect, body, err)
			}
			written["Model"], written["MESSAGES"] = nil, nil // servers in Go read them in any case
			if written["contents"] != nil || written["input"] != nil {
				delete(written, "MESSAGES") // in these dialects it is not a member
			}
			if written["model"] == nil {
				delete(written, "Model")
			}
			for member := range written {
				ep.Params = &model.Params{Extra: map[string]json.RawMessage{member: []byte("1")}}
				if body, err := bodyOf(t, ep, r); body != "" || err == nil || !strings.Contains(err.Error(), `sets the member "`+member+`" in extraBody for `+name) {
					t.Errorf("%s: the member %s was set: %s, %v", dialect, member, body, err)
				}
			}
		}
	}
}

func TestParamsTogether(t *testing.T) {
	ep := model.Endpoint{BaseURL: "http://localhost/v1", Params: &model.Params{Temperature: f(0.2), Seed: i(-3), Extra: map[string]json.RawMessage{"cache_prompt": []byte("true")}}}
	body, _ := bodyOf(t, ep, asked)
	want := `{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0.2,"seed":-3,"cache_prompt":true}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

// A provider that refuses a parameter is not called again without it: the error says where it was set.
func TestARefusedParameterIsNamed(t *testing.T) {
	const thinking = "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
	set := &model.Params{Temperature: f(0), TopK: i(40), Extra: map[string]json.RawMessage{"mirostat": []byte("2")}, From: "/home/models.json"}
	for _, tc := range []struct{ dialect, message, hint string }{
		{chat.Name, "Unsupported parameter: 'temperature' is not supported with this model.", "/home/models.json sets temperature for this model"},
		{anthropic.Name, thinking, "/home/models.json sets temperature for this model"},
		{anthropic.Name, "top_k: must be unset when thinking is enabled", "/home/models.json sets topK for this model"},
		{chat.Name, "Extra inputs are not permitted, field: 'mirostat'", `/home/models.json sets the member "mirostat" in extraBody for this model`},
		{chat.Name, "the temperatures are out of range", ""},
	} {
		p := &refusing{status: http.StatusBadRequest, answer: fmt.Sprintf(`{"error":{"type":"invalid_request_error","message":%q}}`, tc.message)}
		c := model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler)}, chat.New(), anthropic.New())
		r := asking
		r.ReasoningEffort = "low"
		_, err := c.Stream(t.Context(), model.Endpoint{Dialect: tc.dialect, BaseURL: "http://localhost/v1", Params: set}, r, nil)
		var failed *fault.Error
		if !errors.As(err, &failed) || !strings.HasPrefix(failed.Hint, tc.hint) || tc.hint == "" && failed.Hint != "" {
			t.Errorf("%s: %v", tc.message, err)
		}
		if len(p.sent) != 1 || !strings.Contains(p.sent[0], `"temperature":0`) {
			t.Errorf("%s: %d calls were made: %q", tc.message, len(p.sent), p.sent)
		}
	}
}
