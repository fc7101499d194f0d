package responses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

var endpoint = model.Endpoint{BaseURL: "http://localhost/v1", APIKey: "k", Dialect: responses.Name}

func ask(t *testing.T, s *dialecttest.Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	if r.Model == "" {
		r.Model = "gpt"
	}
	return dialecttest.Ask(t, responses.New(), endpoint, s, r)
}

// thinking is an answer with reasoning before its text, and between two calls.
var thinking = []string{
	`{"type":"response.created","response":{"id":"resp_1","model":"gpt-6","status":"in_progress"}}`,
	`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`,
	`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"First "}`,
	`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"this."}`,
	`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Then that."}`,
	`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First this."},{"type":"summary_text","text":"Then that."}],"encrypted_content":"AAA<&>"}}`,
	`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m_1","role":"assistant","content":[],"phase":"commentary"}}`,
	`{"type":"response.output_text.delta","output_index":1,"delta":"I "}`,
	`{"type":"response.output_text.delta","output_index":1,"delta":"look."}`,
	`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"I look."}],"phase":"commentary"}}`,
	`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"grep","arguments":""}}`,
	`{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"a\""}`,
	`{"type":"response.function_call_arguments.delta","output_index":2,"delta":":1}"}`,
	`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"grep","arguments":"{\"a\":1}"}}`,
	`{"type":"response.output_item.done","output_index":3,"item":{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"BBB"}}`,
	`{"type":"response.output_item.done","output_index":4,"item":{"type":"function_call","id":"fc_2","call_id":"c2","name":"view","arguments":"{}"}}`,
	`{"type":"response.completed","response":{"id":"resp_1","model":"gpt-6","status":"completed","output":[],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3}}}}`,
}

func thought() *model.Response {
	at := model.OriginAt(&endpoint, &model.Request{Model: "gpt"})
	return &model.Response{
		ID: "resp_1", Model: "gpt-6", Text: "I look.", FinishReason: "tool_calls", Attempts: 1,
		Reasoning: []model.Reasoning{
			{Text: "First this.\n\nThen that.", Opaque: `{"encrypted_content":"AAA<&>","summary":[{"type":"summary_text","text":"First this."},{"type":"summary_text","text":"Then that."}],"type":"reasoning"}`, Origin: at},
			{Field: "phase:commentary", Origin: at},
			{Opaque: `{"encrypted_content":"BBB","summary":[],"type":"reasoning"}`, AfterText: 7, AfterCalls: 1, Origin: at},
		},
		ToolCalls: []model.ToolCall{{ID: "c1", Name: "grep", Arguments: `{"a":1}`}, {ID: "c2", Name: "view", Arguments: "{}"}},
		Usage:     model.Usage{Input: 10, Output: 7, CacheRead: 4, CacheWrite: 2, Reasoning: 3, Reported: true},
	}
}

func TestAStreamIsPutTogether(t *testing.T) {
	got, deltas, err := ask(t, dialecttest.Events(thinking...), model.Request{Stream: true})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	want := []model.Delta{
		{Kind: model.DeltaReasoning, Text: "First "},
		{Kind: model.DeltaReasoning, Text: "this."},
		{Kind: model.DeltaReasoning, Text: "\n\nThen that."},
		{Kind: model.DeltaText, Text: "I "},
		{Kind: model.DeltaText, Text: "look."},
		{Kind: model.DeltaToolCall, CallID: "c1", Name: "grep"},
		{Kind: model.DeltaToolCall, CallID: "c1", Name: "grep", Text: `{"a"`},
		{Kind: model.DeltaToolCall, CallID: "c1", Name: "grep", Text: `:1}`},
		{Kind: model.DeltaToolCall, CallID: "c2", Name: "view", Index: 1},
		{Kind: model.DeltaToolCall, CallID: "c2", Name: "view", Index: 1, Text: "{}"},
	}
	if d := cmp.Diff(want, deltas); d != "" {
		t.Errorf("deltas (-want +got):\n%s", d)
	}
}

func TestAnAnswerThatIsNoStream(t *testing.T) {
	var items []json.RawMessage
	for _, e := range thinking {
		var done struct {
			Type string
			Item json.RawMessage
		}
		if err := json.Unmarshal([]byte(e), &done); err != nil {
			t.Fatal(err)
		}
		if done.Type == "response.output_item.done" {
			items = append(items, done.Item)
		}
	}
	output, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	s := dialecttest.JSON(200, `{"object":"response","id":"resp_1","model":"gpt-6","status":"completed","error":null,"output":`+string(output)+
		`,"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3}}}`)
	got, _, err := ask(t, s, model.Request{})
	want := thought()
	for i := range want.Reasoning { // encoding/json has escaped it on the way
		if got != nil && i < len(got.Reasoning) {
			got.Reasoning[i].Opaque = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(got.Reasoning[i].Opaque)
		}
	}
	if d := cmp.Diff(want, got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
}

// The answer goes back in the items and in the order in which it came; another model gets its
// text and its calls only.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	r := thought()
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "data:image/png;base64,AA"}}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "c1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "c2", Content: "seen"},
	}
	const head = `{"type":"message","role":"system","content":[{"type":"input_text","text":"Be brief."}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"See"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA"}]},`
	const first, second = `{"type":"function_call","call_id":"c1","name":"grep","arguments":"{\"a\":1}"}`, `{"type":"function_call","call_id":"c2","name":"view","arguments":"{}"}`
	const said = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]`
	const results = `,{"type":"function_call_output","call_id":"c1","output":"found"},{"type":"function_call_output","call_id":"c2","output":"seen"}]`
	for name, tc := range map[string]struct{ model, want string }{
		"to the same model": {"gpt", head + r.Reasoning[0].Opaque + "," + said + `,"phase":"commentary"},` + first + "," + r.Reasoning[2].Opaque + "," + second + results},
		"to another model":  {"other", head + said + "}," + first + "," + second + results},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: conversation, Stream: true}); err != nil {
				t.Fatal(err)
			}
			want := `{"model":"` + tc.model + `","input":[` + tc.want + `,"store":false,"stream":true}`
			if d := cmp.Diff(want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if s.Request.URL.Path != "/v1/responses" || s.Request.Header.Get("Authorization") != "Bearer k" {
				t.Errorf("it went to %s with %v", s.Request.URL, s.Request.Header)
			}
		})
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	strict := true
	for _, tc := range []struct {
		name string
		r    model.Request
		want string
	}{
		{"nothing", model.Request{}, `"store":false}`},
		{"effort", model.Request{ReasoningEffort: "low"}, `"store":false,"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"]}`},
		{"no effort", model.Request{ReasoningEffort: "none", ReasoningSummary: "none"}, `"store":false,"reasoning":{"effort":"none"}}`},
		{"only a summary", model.Request{ReasoningSummary: "detailed"}, `"store":false,"reasoning":{"summary":"detailed"},"include":["reasoning.encrypted_content"]}`},
		{"no summary", model.Request{ReasoningSummary: "none"}, `"store":false}`},
		{"limit and cache", model.Request{MaxOutputTokens: 9, Thread: "s1"}, `"store":false,"max_output_tokens":9,"prompt_cache_key":"s1"}`},
		{
			"a form",
			model.Request{Format: &model.ResponseFormat{Name: "n", Description: "d", Schema: json.RawMessage(`{"type":"object"}`), Strict: &strict}},
			`"store":false,"text":{"format":{"type":"json_schema","name":"n","description":"d","strict":true,"schema":{"type":"object"}}}}`,
		},
		{
			"tools",
			model.Request{Tools: []model.Tool{{Name: "a", Description: "b"}, {Name: "c", Parameters: json.RawMessage(`{"type":"object"}`)}}},
			`"tools":[{"type":"function","name":"a","description":"b","parameters":{"type":"object","properties":{}},"strict":false},{"type":"function","name":"c","parameters":{"type":"object","properties":{}},"strict":false}],"store":false}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, tc.r); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(`{"model":"gpt","input":[],`+tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestEndsAndFailures(t *testing.T) {
	const begun = `{"type":"response.created","response":{"id":"r"}}`
	for _, tc := range []struct {
		name      string
		server    *dialecttest.Server
		finish    string // of an answer
		category  string // of a failure
		retryable bool
	}{
		{"cut", dialecttest.Events(begun), "", model.CategoryNetwork, true},
		{"cut after text", dialecttest.Events(begun, `{"type":"response.output_text.delta","output_index":0,"delta":"a"}`), "", model.CategoryNetwork, true},
		{"failed", dialecttest.Events(begun, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oh"}}}`), "", model.CategoryServer, true},
		{"too long", dialecttest.Events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"oh"}}}`), "", model.CategoryContextLimit, false},
		{"flat error", dialecttest.Events(begun, `{"type":"error","code":"rate_limit_exceeded","message":"slow down"}`), "", model.CategoryRateLimit, true},
		{"nested error", dialecttest.Events(begun, `{"type":"error","status":401,"error":{"code":"invalid_api_key","message":"no"}}`), "", model.CategoryAuthentication, false},
		{"refused by a status", dialecttest.JSON(400, `{"error":{"code":"unsupported_parameter","message":"no"}}`), "", model.CategoryQuery, false},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"no JSON", dialecttest.Events(`hello`), "", model.CategoryProtocol, false},
		{"length", dialecttest.Events(begun, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), "length", "", false},
		{"filter", dialecttest.Events(begun, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), "", model.CategoryContentFilter, false},
		{"a refusal", dialecttest.Events(`{"type":"response.refusal.delta","output_index":0,"delta":"No."}`, `{"type":"response.completed","response":{"status":"completed"}}`), "refusal", "", false},
		{"unknown events", dialecttest.Events(begun, `{"type":"response.steer.pending"}`, `{"type":"keepalive"}`, `{"type":"response.completed","response":{"status":"completed"}}`), "empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			dialecttest.CheckEnd(t, got, err, dialecttest.End{Finish: model.Finish(tc.finish), Category: tc.category, Retryable: tc.retryable})
		})
	}
}

func TestIDsThatAreTooLongGoOutShorter(t *testing.T) {
	long := strings.Repeat("x", 65)
	s := dialecttest.Events(thinking...)
	if _, _, err := ask(t, s, model.Request{Messages: []model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: long, Name: "a"}}}, {Role: model.RoleTool, ToolCallID: long},
	}}); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Input []struct {
			ID        string `json:"call_id"`
			Arguments string
		}
	}
	if err := json.Unmarshal([]byte(s.Body), &sent); err != nil || len(sent.Input) != 2 {
		t.Fatalf("%v: %s", err, s.Body)
	}
	if id := sent.Input[0].ID; len(id) > 64 || id != sent.Input[1].ID || sent.Input[0].Arguments != "{}" {
		t.Errorf("sent %+v", sent.Input)
	}
}

// FuzzStream: whatever a server sends, the decoder neither panics nor makes two calls with one
// id, and pieces lie within the answer.
func FuzzStream(f *testing.F) {
	f.Add(strings.Join(thinking, "\n"))
	f.Add(`{"type":"response.output_item.done","item":{"type":"function_call"}}` + "\n" + `{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"a"}]}]}}`)
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
