package gemini_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

var endpoint = model.Endpoint{BaseURL: "http://localhost/v1beta", APIKey: "k", Dialect: gemini.Name}

func ask(t *testing.T, s *dialecttest.Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	if r.Model == "" {
		r.Model = "gemini-3.8-flash"
	}
	return dialecttest.Ask(t, gemini.New(), endpoint, s, r)
}

// thinking is an answer with thoughts, signed text and two calls, of which the first is signed.
var thinking = []string{
	`{"candidates":[{"content":{"role":"model","parts":[{"text":"First ","thought":true}]}}],"usageMetadata":{"promptTokenCount":10},"modelVersion":"gemini-x","responseId":"r1"}`,
	`{"candidates":[{"content":{"parts":[{"text":"this.","thought":true}]}}]}`,
	`{"candidates":[{"content":{"parts":[{"text":"I "}]}}]}`,
	`{"candidates":[{"content":{"parts":[{"text":"look.","thoughtSignature":"S0"}]}}]}`,
	`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"grep","args":{"a": 1}},"thoughtSignature":"S1"},{"functionCall":{"id":"c2","name":"view","args":{}}}]}}]}`,
	`{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"S2"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":4,"thoughtsTokenCount":3}}`,
}

func thought() *model.Response {
	at := model.OriginAt(&endpoint, &model.Request{Model: "gemini-3.8-flash"})
	return &model.Response{
		ID: "r1", Model: "gemini-x", Text: "I look.", FinishReason: "tool_calls", Attempts: 1,
		Reasoning: []model.Reasoning{
			{Text: "First this.", Origin: at},
			{Opaque: "text:S0", AfterText: 2, Origin: at},
			{Opaque: "call:S1", AfterText: 7, Origin: at},
			{Opaque: "id:c1", AfterText: 7, Origin: at},
			{Opaque: "id:c2", AfterText: 7, AfterCalls: 1, Origin: at},
			{Opaque: "text:S2", AfterText: 7, AfterCalls: 2, Origin: at},
		},
		ToolCalls: []model.ToolCall{{ID: "c1", Name: "grep", Arguments: `{"a":1}`}, {ID: "c2", Name: "view", Arguments: "{}"}},
		Usage:     model.Usage{Input: 10, Output: 7, CacheRead: 4, Reasoning: 3, Reported: true},
	}
}

func TestAStreamIsPutTogether(t *testing.T) {
	s := dialecttest.Events(thinking...)
	got, deltas, err := ask(t, s, model.Request{Stream: true})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	want := []model.Delta{
		{Kind: model.DeltaReasoning, Text: "First "},
		{Kind: model.DeltaReasoning, Text: "this."},
		{Kind: model.DeltaText, Text: "I "},
		{Kind: model.DeltaText, Text: "look."},
		{Kind: model.DeltaToolCall, CallID: "c1", Name: "grep", Text: `{"a":1}`},
		{Kind: model.DeltaToolCall, CallID: "c2", Name: "view", Index: 1, Text: "{}"},
	}
	if d := cmp.Diff(want, deltas); d != "" {
		t.Errorf("deltas (-want +got):\n%s", d)
	}
	if u := s.Request.URL; u.Path != "/v1beta/models/gemini-3.8-flash:streamGenerateContent" || u.RawQuery != "alt=sse" || s.Request.Header.Get("X-Goog-Api-Key") != "k" {
		t.Errorf("it went to %s with %v", u, s.Request.Header)
	}
}

func TestAnAnswerThatIsNoStream(t *testing.T) {
	for name, answer := range map[string]string{
		"one piece": `{"responseId":"r1","modelVersion":"gemini-x","candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"First this.","thought":true},{"text":"I "},{"text":"look.","thoughtSignature":"S0"},` +
			`{"functionCall":{"id":"c1","name":"grep","args":{"a":1}},"thoughtSignature":"S1"},{"functionCall":{"id":"c2","name":"view","args":{}}},{"text":"","thoughtSignature":"S2"}]}}],` +
			`"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":4,"thoughtsTokenCount":3}}`,
		"a list": "[" + strings.Join(thinking, ",\n") + "]",
	} {
		t.Run(name, func(t *testing.T) {
			s := dialecttest.JSON(200, answer)
			got, _, err := ask(t, s, model.Request{})
			if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
				t.Fatalf("%v (-want +got):\n%s", err, d)
			}
			if u := s.Request.URL; u.Path != "/v1beta/models/gemini-3.8-flash:generateContent" || u.RawQuery != "" {
				t.Errorf("it went to %s", u)
			}
		})
	}
}

// The answer goes back in the parts and with the signatures that it came with; another model
// gets its text and its calls, with the word for calls that it has not made. The ids that the server
// gave to calls are theirs, and the ids of their results.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	r := thought()
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "data:image/png;base64,AA"}, {ImageURL: "https://a/b.png"}}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "c1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "c2"},
		{Role: model.RoleUser, Content: "And?"},
	}
	const head = `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"See"},{"inlineData":{"mimeType":"image/png","data":"AA"}},{"fileData":{"fileUri":"https://a/b.png"}}]},{"role":"model","parts":[`
	const first, second = `{"functionCall":{"name":"grep","args":{"a":1}}`, `,{"functionCall":{"name":"view","args":{}}}`
	const results = `]},{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":"found"}}},{"functionResponse":{"name":"view","response":{"output":""}}}]},{"role":"user","parts":[{"text":"And?"}]}],"generationConfig":{`
	const thoughts = `"thinkingConfig":{"includeThoughts":true}}}`
	withID := strings.NewReplacer(`"name":"grep"`, `"id":"c1","name":"grep"`, `"name":"view"`, `"id":"c2","name":"view"`)
	for name, tc := range map[string]struct{ model, want string }{
		"to the same model": {"gemini-3.8-flash", head + `{"text":"I "},{"text":"look.","thoughtSignature":"S0"},` + withID.Replace(first) + `,"thoughtSignature":"S1"}` + withID.Replace(second) + `,{"text":"","thoughtSignature":"S2"}` + withID.Replace(results) + thoughts},
		"to another model":  {"gemini-3.6-flash", head + `{"text":"I look."},` + first + `,"thoughtSignature":"skip_thought_signature_validator"}` + second + results + thoughts},
		"to an older model": {"gemma-3", head + `{"text":"I look."},` + first + "}" + second + results + "}}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: conversation, Stream: true}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    model.Request
		want string // after the contents
	}{
		{"nothing", model.Request{Model: "gemma-3"}, `"generationConfig":{}}`},
		{"a limit", model.Request{Model: "gemma-3", MaxOutputTokens: 9}, `"generationConfig":{"maxOutputTokens":9}}`},
		{"effort", model.Request{ReasoningEffort: "max"}, `"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"}}}`},
		{"no effort, nothing shown", model.Request{ReasoningEffort: "none", ReasoningSummary: "none"}, `"generationConfig":{"thinkingConfig":{"includeThoughts":false}}}`},
		{"a budget", model.Request{Model: "gemini-2.5-pro", ReasoningEffort: "low"}, `"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}}}`},
		{
			"a form",
			model.Request{Model: "gemma-3", Format: &model.ResponseFormat{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}},
			`"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, tc.r); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(`{"contents":[],`+tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestToolsOfARequest(t *testing.T) {
	s := dialecttest.Events(thinking...)
	if _, _, err := ask(t, s, model.Request{Model: "gemma-3", Tools: []model.Tool{
		{Name: "a", Description: "b"},
		{Name: "c", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		{Name: "d", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"const":1}}}`)},
	}}); err != nil {
		t.Fatal(err)
	}
	want := `{"tools":[{"functionDeclarations":[{"name":"a","description":"b"},{"name":"c"},{"name":"d","parametersJsonSchema":{"type":"object","properties":{"x":{"const":1}}}}]}],"contents":[],"generationConfig":{}}`
	if d := cmp.Diff(want, s.Body); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	s := dialecttest.Events(thinking...)
	if _, _, err := ask(t, s, model.Request{Model: "gemma-3", Messages: []model.Message{
		{Role: model.RoleAssistant, Content: " ", ToolCalls: []model.ToolCall{{ID: "a", Name: "a", Arguments: "[1"}, {ID: "b", Name: "b"}}},
	}}); err != nil {
		t.Fatal(err)
	}
	want := `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a","args":{"_raw":"[1"}}},{"functionCall":{"name":"b","args":{}}}]}],"generationConfig":{}}`
	if d := cmp.Diff(want, s.Body); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestEndsAndFailures(t *testing.T) {
	const text = `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`
	end := func(reason string) *dialecttest.Server {
		return dialecttest.Events(text, `{"candidates":[{"finishReason":"`+reason+`"}]}`)
	}
	refused := func(status int, state, message string) *dialecttest.Server {
		return dialecttest.JSON(status, `[{"error":{"code":`+strconv.Itoa(status)+`,"status":"`+state+`","message":"`+message+`"}}]`)
	}
	for _, tc := range []struct {
		name      string
		server    *dialecttest.Server
		finish    string // of an answer
		category  string // of a failure
		retryable bool
	}{
		{"cut", dialecttest.Events(`{"candidates":[{"content":{"parts":[]}}]}`), "", model.CategoryNetwork, true},
		{"cut after text", dialecttest.Events(text), "", model.CategoryNetwork, true},
		{"error in a stream", dialecttest.Events(`{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}`), "", model.CategoryOverloaded, true},
		{"overloaded", refused(503, "UNAVAILABLE", "The model is overloaded"), "", model.CategoryOverloaded, true},
		{"key", refused(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "", model.CategoryAuthentication, false},
		{"too long", refused(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."), "", model.CategoryContextLimit, false},
		{"rate", refused(429, "RESOURCE_EXHAUSTED", "Please retry in 34s."), "", model.CategoryRateLimit, true},
		{"no quota", refused(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric x, limit: 0"), "", model.CategoryQuota, false},
		{"prompt refused", dialecttest.Events(`{"promptFeedback":{"blockReason":"SAFETY"}}`), "", model.CategoryContentFilter, false},
		{"broken call", dialecttest.Events(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`), "", model.CategoryServer, true},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"no JSON", dialecttest.Events(`hello`), "", model.CategoryProtocol, false},
		{"end", end("STOP"), "stop", "", false},
		{"length", end("MAX_TOKENS"), "length", "", false},
		{"filter", end("SAFETY"), "content_filter", "", false},
		{"another", end("OTHER"), "provider_failure", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			dialecttest.CheckEnd(t, got, err, dialecttest.End{Finish: model.Finish(tc.finish), Category: tc.category, Retryable: tc.retryable})
		})
	}
}

func TestTheListOfModels(t *testing.T) {
	s := dialecttest.JSON(200, `{"models":[{"name":"models/gemini-x","displayName":"Gemini X","inputTokenLimit":5,"outputTokenLimit":4,"supportedGenerationMethods":["generateContent"]},`+
		`{"name":"models/embed","supportedGenerationMethods":["embedContent"]},7]}`)
	c := model.New(model.Options{Transport: s}, gemini.New())
	defer c.Close()
	got, err := c.Models(t.Context(), endpoint)
	want := []model.Info{{ID: "gemini-x", Name: "Gemini X", Vendor: "Google", Vision: true, MaxPrompt: 5, MaxOutput: 4}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Info{}, "Raw")); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// FuzzStream: whatever a server sends, the decoder neither panics nor makes two calls with one
// id, and pieces lie within the answer.
func FuzzStream(f *testing.F) {
	f.Add(strings.Join(thinking, "\n"))
	f.Add(`{"candidates":[{"content":{"parts":[{"functionCall":{"args":[1]},"thoughtSignature":"a"}]},"finishReason":"STOP"}]}`)
	f.Fuzz(func(t *testing.T, lines string) {
		got, _, err := ask(t, dialecttest.Events(strings.Split(lines, "\n")...), model.Request{Stream: true})
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, c := range got.ToolCalls {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("the id %q comes twice, or is empty", c.ID)
			}
			ids[c.ID] = true
		}
		for _, p := range got.Reasoning {
			if p.AfterText > len(got.Text) || p.AfterCalls > len(got.ToolCalls) {
				t.Errorf("a piece is outside the answer: %+v", p)
			}
		}
	})
}

// The name of a model is one part of the address, whatever is in it.
func TestANameStaysBelowTheBaseURL(t *testing.T) {
	s := dialecttest.Events(thinking...)
	if _, _, err := ask(t, s, model.Request{Model: "../../evil?x#", Stream: true}); err != nil {
		t.Fatal(err)
	}
	if got := s.Request.URL.EscapedPath(); got != "/v1beta/models/..%2F..%2Fevil%3Fx%23:streamGenerateContent" {
		t.Errorf("it went to %s", got)
	}
}
