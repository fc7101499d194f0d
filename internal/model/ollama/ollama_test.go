package ollama_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

var endpoint = model.Endpoint{BaseURL: "http://localhost:11434/v1/", Dialect: ollama.Name}

func ask(t testing.TB, s *dialecttest.Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	if r.Model == "" {
		r.Model = "qwen3"
	}
	return dialecttest.Ask(t, ollama.New(), endpoint, s, r)
}

func lines(list ...string) *dialecttest.Server {
	return &dialecttest.Server{Status: http.StatusOK, Type: "application/x-ndjson", Answer: strings.Join(list, "\n") + "\n"}
}

// thinking is an answer with thinking before its text, and two calls, one without an id.
var thinking = []string{
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"First "},"done":false}`,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"<this>."},"done":false}`,
	``,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"I "},"done":false}`,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"look."},"done":false}`,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"grep","arguments":{"b": 1, "a":[2]}}}]},"done":false}`,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"view","arguments":"{\"path\":\"x\"}"}}]},"done":false}`,
	`{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":7}`,
}

func thought() *model.Response {
	return &model.Response{
		Model: "qwen3:8b", Text: "I look.", FinishReason: "tool_calls", Attempts: 1,
		Reasoning: []model.Reasoning{{Text: "First <this>.", Field: "thinking", Origin: model.Origin{Provider: "http://localhost:11434/v1", Model: "qwen3", Dialect: ollama.Name}}},
		ToolCalls: []model.ToolCall{{ID: "call_1", Name: "grep", Arguments: `{"b":1,"a":[2]}`}, {Name: "view", Arguments: `{"path":"x"}`}},
		Usage:     model.Usage{Input: 10, Output: 7, Reported: true, Partial: true},
	}
}

// withoutNewIDs takes the id out of the second call, which the dialect has made up.
func withoutNewIDs(t *testing.T, r *model.Response) *model.Response {
	t.Helper()
	if r == nil || len(r.ToolCalls) != 2 || !strings.HasPrefix(r.ToolCalls[1].ID, "call_") {
		t.Fatalf("the answer is %+v, want two calls with ids", r)
	}
	r.ToolCalls[1].ID = ""
	return r
}

func TestAStreamIsPutTogether(t *testing.T) {
	got, deltas, err := ask(t, lines(thinking...), model.Request{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	second := got.ToolCalls[1].ID
	if d := cmp.Diff(thought(), withoutNewIDs(t, got), dialecttest.Measured()); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	want := []model.Delta{
		{Kind: model.DeltaReasoning, Text: "First "},
		{Kind: model.DeltaReasoning, Text: "<this>."},
		{Kind: model.DeltaText, Text: "I "},
		{Kind: model.DeltaText, Text: "look."},
		{Kind: model.DeltaToolCall, CallID: "call_1", Name: "grep"},
		{Kind: model.DeltaToolCall, CallID: "call_1", Name: "grep", Text: `{"b":1,"a":[2]}`},
		{Kind: model.DeltaToolCall, CallID: second, Name: "view", Index: 1},
		{Kind: model.DeltaToolCall, CallID: second, Name: "view", Index: 1, Text: `{"path":"x"}`},
	}
	if d := cmp.Diff(want, deltas); d != "" {
		t.Errorf("deltas (-want +got):\n%s", d)
	}
}

// An answer may also come as one object, or as lines whose media type a proxy has changed.
func TestAnAnswerThatIsNoStream(t *testing.T) {
	one := `{"model":"qwen3:8b","message":{"role":"assistant","content":"I look.","thinking":"First <this>.","tool_calls":[{"id":"call_1","function":{"name":"grep","arguments":{"b":1,"a":[2]}}},` +
		`{"function":{"name":"view","arguments":{"path":"x"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":7}`
	for name, body := range map[string]string{"one object": one, "lines": strings.Join(thinking, "\n")} {
		got, _, err := ask(t, dialecttest.JSON(200, body), model.Request{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(thought(), withoutNewIDs(t, got), dialecttest.Measured()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// The window and the refusal to shorten the prompt are in every request, calls go back as
// objects, results name their tools, and only the model that thought so gets its thinking.
func TestAConversationGoesOut(t *testing.T) {
	r := thought()
	r.ToolCalls[1].ID = "x"
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{
			{Text: "See"},
			{ImageURL: "data:image/png;base64,AA"},
			{ImageURL: "data:image/png;base64,BB"},
			{ImageURL: "https://a/b.png"},
			{Document: &model.Document{Name: "a.pdf", MediaType: "application/pdf"}},
		}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "call_1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "x"},
		{Role: model.RoleAssistant},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "y", Name: "a", Arguments: "[1"}, {ID: "z", Name: "b"}}},
	}
	for name, thoughts := range map[string]string{"qwen3": `,"thinking":"First <this>."`, "other": ""} {
		s := lines(thinking...)
		if _, _, err := ask(t, s, model.Request{Model: name, Messages: conversation, Stream: true}); err != nil {
			t.Fatal(err)
		}
		want := `{"model":"` + name + `","messages":[{"role":"system","content":"Be brief."},` +
			`{"role":"user","content":"See\n(An image at https://a/b.png that you cannot see.)\n(The file a.pdf, of the type application/pdf, that you cannot read.)","images":["AA","BB"]},` +
			`{"role":"assistant","content":"I look."` + thoughts + `,"tool_calls":[{"id":"call_1","function":{"index":0,"name":"grep","arguments":{"b":1,"a":[2]}}},{"id":"x","function":{"index":1,"name":"view","arguments":{"path":"x"}}}]},` +
			`{"role":"tool","content":"found","tool_name":"grep","tool_call_id":"call_1"},{"role":"tool","content":"","tool_name":"view","tool_call_id":"x"},` +
			`{"role":"assistant","content":"","tool_calls":[{"id":"y","function":{"index":0,"name":"a","arguments":{"_raw":"[1"}}},{"id":"z","function":{"index":1,"name":"b","arguments":{}}}]}],` +
			`"stream":true,"truncate":false,"shift":false,"options":{"num_ctx":65536}}`
		if d := cmp.Diff(want, s.Body); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if at := s.Request.URL.String(); at != "http://localhost:11434/api/chat" || s.Request.Header.Get("Authorization") != "" {
			t.Errorf("it went to %s with %v", at, s.Request.Header)
		}
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		ep   model.Endpoint
		r    model.Request
		want string // after stream
	}{
		{"nothing", endpoint, model.Request{}, `"options":{"num_ctx":65536}}`},
		{"a window and a limit", model.Endpoint{BaseURL: "http://b", MaxPromptTokens: 9000}, model.Request{MaxOutputTokens: 5}, `"options":{"num_ctx":9000,"num_predict":5}}`},
		{"effort", endpoint, model.Request{ReasoningEffort: "high"}, `"think":"high","options":{"num_ctx":65536}}`},
		{"the least effort", endpoint, model.Request{ReasoningEffort: "minimal"}, `"think":"low","options":{"num_ctx":65536}}`},
		{"the most effort", endpoint, model.Request{ReasoningEffort: "xhigh"}, `"think":"max","options":{"num_ctx":65536}}`},
		{"no effort", endpoint, model.Request{ReasoningEffort: "none"}, `"think":false,"options":{"num_ctx":65536}}`},
		{"a form", endpoint, model.Request{Format: &model.ResponseFormat{Schema: json.RawMessage(`{"type":"object"}`)}}, `"format":{"type":"object"},"options":{"num_ctx":65536}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := lines(thinking...)
			tc.ep.Dialect, tc.r.Model = ollama.Name, "m"
			if _, _, err := dialecttest.Ask(t, ollama.New(), tc.ep, s, tc.r); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(`{"model":"m","messages":[],"stream":false,"truncate":false,"shift":false,`+tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestToolsAndAKey(t *testing.T) {
	s := lines(thinking...)
	at := model.Endpoint{BaseURL: "https://ollama.example", APIKey: "k", Dialect: ollama.Name}
	r := model.Request{Model: "m", Tools: []model.Tool{{Name: "a", Description: "b"}, {Name: "c", Parameters: json.RawMessage(`{"type":"object"}`)}}}
	if _, _, err := dialecttest.Ask(t, ollama.New(), at, s, r); err != nil {
		t.Fatal(err)
	}
	const tools = `"tools":[{"type":"function","function":{"name":"a","description":"b","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"c","parameters":{"type":"object","properties":{}}}}]`
	if !strings.Contains(s.Body, tools) || s.Request.Header.Get("Authorization") != "Bearer k" {
		t.Errorf("%s with %v", s.Body, s.Request.Header)
	}
}

func TestEndsAndFailures(t *testing.T) {
	const text = `{"message":{"role":"assistant","content":"a"},"done":false}`
	end := func(reason string) *dialecttest.Server {
		return lines(text, `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"`+reason+`"}`)
	}
	refused := func(status int, message string) *dialecttest.Server {
		return dialecttest.JSON(status, `{"error":"`+message+`"}`)
	}
	unended := lines(text, `{"done":true,"done_reason":"stop"}`)
	unended.Answer = strings.TrimSuffix(unended.Answer, "\n")
	for _, tc := range []struct {
		name      string
		server    *dialecttest.Server
		finish    string // of an answer
		category  string // of a failure
		retryable bool
	}{
		{"cut after text", lines(text), "", model.CategoryNetwork, true},
		{"nothing", lines(), "", model.CategoryNetwork, true},
		{"an error in a stream", lines(`{"error":"busy","status":503}`), "", model.CategoryServer, true},
		{"an error after text", lines(text, `{"error":"busy","status":503}`), "", model.CategoryServer, true},
		{"too long in a stream", lines(`{"error":"the request exceeds the available context size, try increasing it"}`), "", model.CategoryContextLimit, false},
		{"too long", refused(400, "the input length exceeds the context length"), "", model.CategoryContextLimit, false},
		{"memory", refused(500, "model requires more system memory (9.1 GiB) than is available (4.0 GiB)"), "", model.CategoryServer, false},
		{"busy", refused(503, "server busy, please try again.  maximum pending requests exceeded"), "", model.CategoryOverloaded, true},
		{"no such model", refused(404, "model 'x' not found"), "", model.CategoryQuery, false},
		{"no tools", refused(400, "registry.ollama.ai/library/x does not support tools"), "", model.CategoryQuery, false},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"a whole answer without an end", dialecttest.JSON(200, text), "", model.CategoryProtocol, false},
		{"no JSON", lines(`hello`), "", model.CategoryProtocol, false},
		{"a line that is too long", lines(strings.Repeat(" ", 17<<20)), "", model.CategoryProtocol, false},
		{"end", end("stop"), "stop", "", false},
		{"length", end("length"), "length", "", false},
		{"the last line has no end", unended, "stop", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			dialecttest.CheckEnd(t, got, err, dialecttest.End{Finish: model.Finish(tc.finish), Category: tc.category, Retryable: tc.retryable})
		})
	}
}

func TestTheListOfModels(t *testing.T) {
	s := dialecttest.JSON(200, `{"models":[{"name":"qwen3:8b","model":"qwen3:8b","details":{"context_length":40960},"capabilities":["completion","tools","thinking"]},`+
		`{"name":"embed","model":"embed","capabilities":["embedding"]},{"name":"llava","model":"llava","capabilities":["completion","vision"]},{"name":"old"}]}`)
	c := model.New(model.Options{Transport: s}, ollama.New())
	defer c.Close()
	got, err := c.Models(t.Context(), endpoint)
	want := []model.Info{
		{ID: "qwen3:8b", Name: "qwen3:8b", MaxContext: 40960, ReasoningEfforts: []string{"none", "low", "medium", "high", "max"}},
		{ID: "llava", Name: "llava", Vision: true},
		{ID: "old", Name: "old"},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Info{}, "Raw")); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if at := s.Request.URL.String(); at != "http://localhost:11434/api/tags" {
		t.Errorf("it went to %s", at)
	}
}

// FuzzStream: whatever a server sends, the decoder neither panics nor makes two calls with one
// id, and pieces lie within the answer.
func FuzzStream(f *testing.F) {
	f.Add(strings.Join(thinking, "\n"))
	f.Add(`{"message":{"tool_calls":[{"function":{"arguments":[1]}},{}]},"done":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := ask(t, lines(text), model.Request{Stream: true})
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
