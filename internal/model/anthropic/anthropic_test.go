package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

var endpoint = model.Endpoint{BaseURL: "http://localhost", APIKey: "k", Dialect: anthropic.Name}

func ask(t *testing.T, s *dialecttest.Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	if r.Model == "" {
		r.Model = "claude-sonnet-4-5"
	}
	return dialecttest.Ask(t, anthropic.New(), endpoint, s, r)
}

// thinking is an answer with thinking before its text, and between two calls.
var thinking = []string{
	`{"type":"message_start","message":{"type":"message","id":"msg_1","model":"claude-x","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":4,"cache_creation_input_tokens":2,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"First "}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"<this>."}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG"}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"ping"}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I "}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"look."}}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"grep","input":{}}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":1}"}}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"redacted_thinking","data":"RRR"}}`,
	`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"view","input":{}}}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7,"output_tokens_details":{"thinking_tokens":3}}}`,
	`{"type":"message_stop"}`,
}

func thought() *model.Response {
	at := model.OriginAt(&endpoint, &model.Request{Model: "claude-sonnet-4-5"})
	return &model.Response{
		ID: "msg_1", Model: "claude-x", Text: "I look.", FinishReason: "tool_calls", Attempts: 1,
		Reasoning: []model.Reasoning{
			{Text: "First <this>.", Opaque: `{"type":"thinking","thinking":"First <this>.","signature":"SIG"}`, Origin: at},
			{Opaque: `{"type":"redacted_thinking","data":"RRR"}`, AfterText: 7, AfterCalls: 1, Origin: at},
		},
		ToolCalls: []model.ToolCall{{ID: "toolu_1", Name: "grep", Arguments: `{"a":1}`}, {ID: "toolu_2", Name: "view"}},
		Usage:     model.Usage{Input: 16, Output: 7, CacheRead: 4, CacheWrite: 2, Reasoning: 3, Reported: true},
	}
}

func TestAStreamIsPutTogether(t *testing.T) {
	got, deltas, err := ask(t, dialecttest.Events(thinking...), model.Request{Stream: true})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	want := []model.Delta{
		{Kind: model.DeltaReasoning, Text: "First "},
		{Kind: model.DeltaReasoning, Text: "<this>."},
		{Kind: model.DeltaText, Text: "I "},
		{Kind: model.DeltaText, Text: "look."},
		{Kind: model.DeltaToolCall, CallID: "toolu_1", Name: "grep"},
		{Kind: model.DeltaToolCall, CallID: "toolu_1", Name: "grep", Text: `{"a"`},
		{Kind: model.DeltaToolCall, CallID: "toolu_1", Name: "grep", Text: `:1}`},
		{Kind: model.DeltaToolCall, CallID: "toolu_2", Name: "view", Index: 1},
	}
	if d := cmp.Diff(want, deltas); d != "" {
		t.Errorf("deltas (-want +got):\n%s", d)
	}
}

func TestAnAnswerThatIsNoStream(t *testing.T) {
	s := dialecttest.JSON(200, `{"type":"message","id":"msg_1","model":"claude-x","stop_reason":"tool_use","content":[`+
		`{"type":"thinking","thinking":"First <this>.","signature":"SIG"},{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"grep","input":{"a":1}},`+
		`{"type":"redacted_thinking","data":"RRR"},{"type":"tool_use","id":"toolu_2","name":"view","input":{}}],`+
		`"usage":{"input_tokens":10,"cache_read_input_tokens":4,"cache_creation_input_tokens":2,"output_tokens":7,"output_tokens_details":{"thinking_tokens":3}}}`)
	got, _, err := ask(t, s, model.Request{})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
}

// The answer goes back in the blocks and in the order in which it came; another model gets its
// text and its calls only.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	r := thought()
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "data:image/png;base64,AA"}, {ImageURL: "https://a/b.png"}}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "toolu_1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "toolu_2"},
		{Role: model.RoleUser, Content: "And?"},
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	const head = `,"system":[{"type":"text","text":"Be brief."` + mark + `}],"messages":[{"role":"user","content":[{"type":"text","text":"See"},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}},{"type":"image","source":{"type":"url","url":"https://a/b.png"}` + mark + `}]},{"role":"assistant","content":[`
	const said, first = `{"type":"text","text":"I look."},`, `{"type":"tool_use","id":"toolu_1","name":"grep","input":{"a":1}},`
	const second = `{"type":"tool_use","id":"toolu_2","name":"view","input":{}}]},`
	const results = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"found"},{"type":"tool_result","tool_use_id":"toolu_2"},{"type":"text","text":"And?"` + mark + `}]}]`
	for name, tc := range map[string]struct{ model, want string }{
		"to the same model": {"claude-sonnet-4-5", head + r.Reasoning[0].Opaque + "," + said + first + r.Reasoning[1].Opaque + "," + second + results},
		"to another model":  {"other", head + said + first + second + results},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: conversation, Stream: true}); err != nil {
				t.Fatal(err)
			}
			want := `{"model":"` + tc.model + `","max_tokens":32000` + tc.want + `,"stream":true}`
			if d := cmp.Diff(want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if h := s.Request.Header; s.Request.URL.Path != "/v1/messages" || h.Get("X-Api-Key") != "k" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
				t.Errorf("it went to %s with %v", s.Request.URL, h)
			}
		})
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    model.Request
		want string // after model
	}{
		{"nothing", model.Request{}, `"max_tokens":32000,"messages":[]}`},
		{"a budget", model.Request{ReasoningEffort: "low"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"enabled","budget_tokens":4096}}`},
		{"a budget within a limit", model.Request{ReasoningEffort: "max", MaxOutputTokens: 2000}, `"max_tokens":2000,"messages":[],"thinking":{"type":"enabled","budget_tokens":1999}}`},
		{"no room for a budget", model.Request{ReasoningEffort: "low", MaxOutputTokens: 1000}, `"max_tokens":1000,"messages":[]}`},
		{"no thinking, old", model.Request{ReasoningEffort: "none"}, `"max_tokens":32000,"messages":[]}`},
		{"effort", model.Request{Model: "claude-opus-4-7", ReasoningEffort: "high"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`},
		{"effort, nothing shown", model.Request{Model: "claude-opus-4-7", ReasoningEffort: "high", ReasoningSummary: "none"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}`},
		{"thinks anyway", model.Request{Model: "claude-opus-5-5"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"adaptive","display":"summarized"}}`},
		{"cannot be stopped", model.Request{Model: "claude-opus-5-5", ReasoningEffort: "none"}, `"max_tokens":32000,"messages":[]}`},
		{"is stopped", model.Request{Model: "claude-opus-5", ReasoningEffort: "none"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"disabled"}}`},
		{"does not think by itself", model.Request{Model: "claude-opus-4-8"}, `"max_tokens":32000,"messages":[]}`},
		{"another vendor", model.Request{Model: "MiniMax-M3", ReasoningEffort: "odd"}, `"max_tokens":32000,"messages":[],"thinking":{"type":"enabled","budget_tokens":10000}}`},
		{
			"a form",
			model.Request{Format: &model.ResponseFormat{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}},
			`"max_tokens":32000,"messages":[],"output_config":{"format":{"type":"json_schema","schema":{"additionalProperties":false,"type":"object"}}}}`,
		},
		{
			"tools",
			model.Request{Tools: []model.Tool{{Name: "a", Description: "b"}, {Name: "c", Parameters: json.RawMessage(`{"type":"object"}`)}}},
			`"max_tokens":32000,"tools":[{"name":"a","description":"b","input_schema":{"type":"object","properties":{}}},{"name":"c","input_schema":{"type":"object","properties":{}}}],"messages":[]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := dialecttest.Events(thinking...)
			if _, _, err := ask(t, s, tc.r); err != nil {
				t.Fatal(err)
			}
			name := tc.r.Model
			if name == "" {
				name = "claude-sonnet-4-5"
			}
			if d := cmp.Diff(`{"model":"`+name+`",`+tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A document goes out with its name, and its citations come back with their places in the text.
func TestDocumentsAndCitations(t *testing.T) {
	s := dialecttest.Events(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I read: "}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"it rains"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"page_location","cited_text":"Rain.","document_index":0,"document_title":"a.pdf","start_page_number":2,"end_page_number":3}}}`,
		`{"type":"message_stop"}`)
	document := model.Message{Role: model.RoleUser, Parts: []model.Part{{Text: "a.pdf"}, {Document: &model.Document{Name: "a.pdf", MediaType: "application/pdf", Data: "AA"}}}}
	for cite, member := range map[bool]string{true: `,"citations":{"enabled":true}`, false: ""} {
		got, _, err := ask(t, s, model.Request{Messages: []model.Message{document}, Stream: true, Citations: cite})
		want := []model.Citation{{Start: 8, End: 16, Cited: "Rain.", Title: "a.pdf", Unit: "page", From: 2, To: 2}}
		if err != nil || cmp.Diff(want, got.Citations) != "" {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got.Citations))
		}
		if block := `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA"},"title":"a.pdf"` + member + `,"cache_control"`; !strings.Contains(s.Body, block) {
			t.Errorf("the request is %s", s.Body)
		}
	}
}

// Messages that other models and clients have left in a conversation do not cause the next request
// to be refused.
func TestAConversationThatOtherModelsBegan(t *testing.T) {
	s := dialecttest.Events(thinking...)
	odd := "call|" + strings.Repeat("x", 80)
	if _, _, err := ask(t, s, model.Request{Messages: []model.Message{
		{Role: model.RoleAssistant, Content: " \n", ToolCalls: []model.ToolCall{{ID: odd, Name: "a", Arguments: "[1"}, {ID: "b", Name: "b", Arguments: " "}}},
		{Role: model.RoleTool, ToolCallID: odd, Content: "r"},
		{Role: model.RoleTool, ToolCallID: "b", Content: "s"},
		{Role: model.RoleUser, Content: "  "},
		{Role: model.RoleAssistant, Content: "Done."},
		{Role: model.RoleAssistant, Content: "Really."},
		{Role: model.RoleUser, Content: "Go on"},
	}}); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages []struct {
			Role    string
			Content []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(s.Body), &sent); err != nil {
		t.Fatalf("%v: %s", err, s.Body)
	}
	var shape []string
	for _, m := range sent.Messages {
		line := m.Role + ":"
		for _, c := range m.Content {
			line += " " + c["type"].(string)
		}
		shape = append(shape, line)
	}
	want := []string{"user: text", "assistant: tool_use tool_use", "user: tool_result tool_result", "assistant: text text", "user: text"}
	if d := cmp.Diff(want, shape); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	first, second := sent.Messages[1].Content[0], sent.Messages[1].Content[1]
	if id := first["id"].(string); len(id) > 64 || strings.Contains(id, "|") || id != sent.Messages[2].Content[0]["tool_use_id"] {
		t.Errorf("the id is %q", id)
	}
	if d := cmp.Diff([]any{map[string]any{"_raw": "[1"}, map[string]any{}}, []any{first["input"], second["input"]}); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A turn of many blocks gets a mark in between, because a mark is found again only near the
// next one.
func TestMarksOfALongTurn(t *testing.T) {
	messages := []model.Message{{Role: model.RoleUser, Content: "go"}, {Role: model.RoleAssistant}}
	for i := range 15 {
		id := string(rune('a' + i))
		messages[1].ToolCalls = append(messages[1].ToolCalls, model.ToolCall{ID: id, Name: "n"})
		messages = append(messages, model.Message{Role: model.RoleTool, ToolCallID: id, Content: "r"})
	}
	s := dialecttest.Events(thinking...)
	if _, _, err := ask(t, s, model.Request{Messages: messages}); err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(s.Body, `"type":"t`)[1:]
	var marked []int
	for i, b := range blocks {
		if strings.Contains(b, "cache_control") {
			marked = append(marked, i)
		}
	}
	if d := cmp.Diff([]int{0, 16, 30}, marked); d != "" {
		t.Errorf("of %d blocks these are marked (-want +got):\n%s", len(blocks), d)
	}
}

func TestEndsAndFailures(t *testing.T) {
	const begun = `{"type":"message_start","message":{"type":"message","id":"m"}}`
	const text = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`
	end := func(reason string) *dialecttest.Server {
		return dialecttest.Events(begun, text, `{"type":"message_delta","delta":{"stop_reason":"`+reason+`"}}`, `{"type":"message_stop"}`)
	}
	refused := func(status int, kind, message string) *dialecttest.Server {
		return dialecttest.JSON(status, `{"type":"error","error":{"type":"`+kind+`","message":"`+message+`"}}`)
	}
	for _, tc := range []struct {
		name      string
		server    *dialecttest.Server
		finish    string // of an answer
		category  string // of a failure
		retryable bool
	}{
		{"cut", dialecttest.Events(begun), "", model.CategoryNetwork, true},
		{"cut after text", dialecttest.Events(begun, text), "", model.CategoryNetwork, true},
		{"overloaded in a stream", dialecttest.Events(begun, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "", model.CategoryOverloaded, true},
		{"overloaded after text", dialecttest.Events(begun, text, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "", model.CategoryOverloaded, true},
		{"overloaded", refused(529, "overloaded_error", "Overloaded"), "", model.CategoryOverloaded, true},
		{"rate", refused(429, "rate_limit_error", "slow down"), "", model.CategoryRateLimit, true},
		{"key", refused(401, "authentication_error", "invalid x-api-key"), "", model.CategoryAuthentication, false},
		{"credit", refused(400, "invalid_request_error", "Your credit balance is too low to access"), "", model.CategoryQuota, false},
		{"billing", refused(402, "billing_error", "pay"), "", model.CategoryQuota, false},
		{"too long", refused(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), "", model.CategoryContextLimit, false},
		{"limit and prompt", refused(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 1"), "", model.CategoryContextLimit, false},
		{"too many bytes", refused(413, "request_too_large", "big"), "", model.CategoryQuery, false},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"an unbegun block", dialecttest.Events(begun, `{"type":"content_block_delta","index":7,"delta":{"text":"a"}}`), "", model.CategoryProtocol, false},
		{"no JSON", dialecttest.Events(`hello`), "", model.CategoryProtocol, false},
		{"end", end("end_turn"), "stop", "", false},
		{"length", end("max_tokens"), "length", "", false},
		{"refusal", end("refusal"), "refusal", "", false},
		{"pause", end("pause_turn"), "paused", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			dialecttest.CheckEnd(t, got, err, dialecttest.End{Finish: model.Finish(tc.finish), Category: tc.category, Retryable: tc.retryable})
		})
	}
}

func TestTheListOfModels(t *testing.T) {
	s := dialecttest.JSON(200, `{"data":[{"type":"model","id":"claude-opus-5","display_name":"Claude Opus 5","max_input_tokens":1000000,"max_tokens":128000}]}`)
	c := model.New(model.Options{Transport: s}, anthropic.New())
	defer c.Close()
	got, err := c.Models(t.Context(), endpoint)
	want := []model.Info{{ID: "claude-opus-5", Name: "Claude Opus 5", MaxContext: 1_000_000, MaxOutput: 128_000}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Info{}, "Raw")); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// FuzzStream: whatever a server sends, the decoder neither panics nor makes two calls with one
// id, and pieces lie within the answer.
func FuzzStream(f *testing.F) {
	f.Add(strings.Join(thinking, "\n"))
	f.Add(`{"type":"content_block_start","content_block":{"type":"tool_use","input":[1]}}` + "\n" + `{"type":"message_stop"}`)
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

// A model that thinks by a budget refuses the results of calls in a turn that it has not begun with
// thinking. It is not asked to think there; others are.
func TestATurnOfAnotherModelIsFinishedWithoutThinking(t *testing.T) {
	r := thought()
	turn := func(pieces []model.Reasoning, more ...model.Message) []model.Message {
		return append([]model.Message{
			{Role: model.RoleUser, Content: "See"},
			{Role: model.RoleAssistant, Reasoning: pieces, ToolCalls: r.ToolCalls[:1]},
			{Role: model.RoleTool, ToolCallID: "toolu_1", Content: "found"},
		}, more...)
	}
	own := []model.Reasoning{r.Reasoning[0]}
	again := model.Message{Role: model.RoleAssistant, ToolCalls: r.ToolCalls[1:]}
	result := model.Message{Role: model.RoleTool, ToolCallID: "toolu_2", Content: "more"}
	for _, tc := range []struct {
		name, model string
		messages    []model.Message
		thinks      bool
	}{
		{"its own turn", "claude-sonnet-4-5", turn(own), true},
		{"later in its own turn", "claude-sonnet-4-5", turn(own, again, result), true},
		{"the turn of another", "claude-sonnet-4-5", turn(nil), false},
		{"interrupted", "claude-sonnet-4-5", turn(nil, model.Message{Role: model.RoleUser, Content: "Stop"}), false},
		{"later", "claude-sonnet-4-5", turn(nil, model.Message{Role: model.RoleAssistant, Content: "Done."}, model.Message{Role: model.RoleUser, Content: "And?"}), true},
		{"adaptive", "claude-opus-5-5", turn(nil), true},
		{"another vendor", "MiniMax-M3", turn(nil), true},
	} {
		s := dialecttest.Events(thinking...)
		if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: tc.messages, ReasoningEffort: "low"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(s.Body, `"thinking":{"type":`); got != tc.thinks {
			t.Errorf("%s: thinking is asked for: %v", tc.name, got)
		}
	}
}
