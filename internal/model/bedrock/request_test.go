package bedrock_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// The answer goes back in the blocks and in the order in which it came; another model gets its
// text and its calls only, and no marks if it does not know them.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	r := thought()
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "data:image/png;base64,AA"}, {ImageURL: "https://a/b.png"}}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "tooluse_1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "tooluse_2"},
		{Role: model.RoleUser, Content: "And?"},
	}
	body := func(mark, first, between string) string {
		return `{"system":[{"text":"Be brief."}` + mark + `],"messages":[{"role":"user","content":[{"text":"See"},{"image":{"format":"png","source":{"bytes":"AA"}}},` +
			`{"text":"(An image at https://a/b.png that you cannot see.)"}` + mark + `]},{"role":"assistant","content":[` + first + `{"text":"I look."},` +
			`{"toolUse":{"toolUseId":"tooluse_1","name":"grep","input":{"a":1}}},` + between + `{"toolUse":{"toolUseId":"tooluse_2","name":"view","input":{}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"found"}]}},{"toolResult":{"toolUseId":"tooluse_2","content":[{"text":"(The result is empty.)"}]}},` +
			`{"text":"And?"}` + mark + `]}],"toolConfig":{"tools":[{"toolSpec":{"name":"grep","description":"This tool is not available any more; do not call it.","inputSchema":{"json":{"type":"object","properties":{}}}}},` +
			`{"toolSpec":{"name":"view","description":"This tool is not available any more; do not call it.","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}`
	}
	for name, tc := range map[string]struct{ model, want string }{
		"to the same model": {sonnet, body(`,{"cachePoint":{"type":"default"}}`, signed+",", redacted+",")},
		"to another model":  {"openai.gpt-oss-120b-1:0", body("", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			s := events(thinking...)
			if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: conversation, Stream: true}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if h := s.Request.Header; !strings.HasSuffix(s.Request.URL.Path, "/converse-stream") || h.Get("Authorization") != "Bearer k" {
				t.Errorf("it went to %s with %v", s.Request.URL, h)
			}
		})
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    model.Request
		want string
	}{
		{"nothing", model.Request{}, `{"messages":[]}`},
		{"a limit", model.Request{MaxOutputTokens: 9}, `{"messages":[],"inferenceConfig":{"maxTokens":9}}`},
		{"a budget", model.Request{ReasoningEffort: "low"}, `{"messages":[],"inferenceConfig":{"maxTokens":64000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":4096}}}`},
		{"a budget within a limit", model.Request{ReasoningEffort: "max", MaxOutputTokens: 2000}, `{"messages":[],"inferenceConfig":{"maxTokens":2000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1999}}}`},
		{"no room for a budget", model.Request{ReasoningEffort: "low", MaxOutputTokens: 1000}, `{"messages":[],"inferenceConfig":{"maxTokens":1000}}`},
		{"effort", model.Request{Model: "eu.anthropic.claude-opus-4-7-v1", ReasoningEffort: "high"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"}},"outputConfig":{"effort":"high"}}`},
		{"effort, nothing shown", model.Request{Model: "anthropic.claude-opus-4-7-v1", ReasoningEffort: "high", ReasoningSummary: "none"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"adaptive"}},"outputConfig":{"effort":"high"}}`},
		{"is stopped", model.Request{Model: "anthropic.claude-opus-5", ReasoningEffort: "none"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"disabled"}}}`},
		{"cannot be stopped", model.Request{Model: "anthropic.claude-opus-5-5", ReasoningEffort: "none"}, `{"messages":[]}`},
		{"Nova", model.Request{Model: "us.amazon.nova-2-lite-v1:0", ReasoningEffort: "low"}, `{"messages":[],"additionalModelRequestFields":{"reasoningConfig":{"type":"enabled","maxReasoningEffort":"low"}}}`},
		{"Nova, not thinking", model.Request{Model: "us.amazon.nova-2-lite-v1:0", ReasoningEffort: "none"}, `{"messages":[],"additionalModelRequestFields":{"reasoningConfig":{"type":"disabled"}}}`},
		{"another vendor", model.Request{Model: "openai.gpt-oss-120b-1:0", ReasoningEffort: "high"}, `{"messages":[],"additionalModelRequestFields":{"reasoning_effort":"high"}}`},
		{
			"a form",
			model.Request{Format: &model.ResponseFormat{Name: "n", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}},
			`{"messages":[],"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"n","description":"d","schema":"{\"additionalProperties\":false,\"type\":\"object\"}"}}}}}`,
		},
		{
			"tools",
			model.Request{Tools: []model.Tool{{Name: "a", Description: "b"}, {Name: "c", Parameters: json.RawMessage(`{"type":"object"}`)}}},
			`{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"a","description":"b","inputSchema":{"json":{"type":"object","properties":{}}}}},{"toolSpec":{"name":"c","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := events(thinking...)
			if _, _, err := ask(t, s, tc.r); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A document goes out under a name that the server accepts, with a text, and its citations come
// back with their places in the text.
func TestDocumentsAndCitations(t *testing.T) {
	s := events(`contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"I read: "}}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"it rains"}}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"citation":{"title":"a pdf","sourceContent":[{"text":"Rain."}],"location":{"documentPage":{"documentIndex":0,"start":2,"end":3}}}}}`,
		`messageStop {"stopReason":"end_turn"}`)
	pdf := model.Document{Name: "my_a.pdf", MediaType: "application/pdf", Data: "AA"}
	messages := []model.Message{
		{Role: model.RoleUser, Parts: []model.Part{{Document: &pdf}}},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "again"}, {Document: &pdf}, {Document: &model.Document{Name: "x.zip", MediaType: "application/zip"}}, {ImageURL: "data:image/tiff;base64,AA"}}},
	}
	for cite, member := range map[bool]string{true: `,"citations":{"enabled":true}`, false: ""} {
		got, _, err := ask(t, s, model.Request{Model: "openai.gpt-oss-120b-1:0", Messages: messages, Stream: true, Citations: cite})
		want := []model.Citation{{Start: 8, End: 16, Cited: "Rain.", Title: "a pdf", Unit: "page", From: 2, To: 2}}
		if err != nil || cmp.Diff(want, got.Citations) != "" {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got.Citations))
		}
		block := func(name string) string {
			return `{"document":{"format":"pdf","name":"` + name + `","source":{"bytes":"AA"}` + member + `}}`
		}
		body := `{"messages":[{"role":"user","content":[` + block("my a pdf") + `,{"text":"(The user attached this.)"},{"text":"again"},` + block("my a pdf (2)") +
			`,{"text":"(The file x.zip, of the type application/zip, that you cannot read.)"},{"text":"(An image of the type image/tiff that you cannot see.)"}]}]}`
		if d := cmp.Diff(body, s.Body); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

func TestCitationsOfAWholeAnswer(t *testing.T) {
	got, _, err := ask(t, dialecttest.JSON(200, `{"output":{"message":{"content":[{"citationsContent":{"content":[{"text":"It "},{"text":"rains"}],`+
		`"citations":[{"title":"a","sourceContent":[{"text":"Rain."}],"location":{"documentChar":{"documentIndex":1,"start":2,"end":7}}}]}}]}},"stopReason":"end_turn"}`), model.Request{})
	want := []model.Citation{{End: 8, Cited: "Rain.", Title: "a", Document: 1, Unit: "char", From: 2, To: 7}}
	if err != nil || got.Text != "It rains" || cmp.Diff(want, got.Citations) != "" {
		t.Errorf("%v, %+v", err, got)
	}
}

// Messages that other models and clients have left in a conversation do not cause the next request
// to be refused.
func TestAConversationThatOtherModelsBegan(t *testing.T) {
	odd := "call|" + strings.Repeat("x", 80)
	for name, idLength := range map[string]int{sonnet: 37, "mistral.mistral-large-2407-v1:0": 9} {
		s := events(thinking...)
		if _, _, err := ask(t, s, model.Request{Model: name, Messages: []model.Message{
			{Role: model.RoleAssistant, Content: " \n", ToolCalls: []model.ToolCall{{ID: odd, Name: "a", Arguments: "[1"}, {ID: "b23456789", Name: "b", Arguments: " "}}},
			{Role: model.RoleTool, ToolCallID: odd, Content: "r"},
			{Role: model.RoleTool, ToolCallID: "b23456789", Content: "s"},
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
				Content []map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(s.Body), &sent); err != nil {
			t.Fatalf("%v: %s", err, s.Body)
		}
		var shape []string
		for _, m := range sent.Messages {
			line := m.Role + ":"
			for _, c := range m.Content {
				for kind := range c {
					if kind != "cachePoint" {
						line += " " + kind
					}
				}
			}
			shape = append(shape, line)
		}
		want := []string{"user: text", "assistant: toolUse toolUse", "user: toolResult toolResult", "assistant: text text", "user: text"}
		if d := cmp.Diff(want, shape); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
		var call, second, result struct {
			ID    string `json:"toolUseId"`
			Input json.RawMessage
		}
		for raw, to := range map[*json.RawMessage]any{
			ptr(sent.Messages[1].Content[0]["toolUse"]): &call, ptr(sent.Messages[1].Content[1]["toolUse"]): &second, ptr(sent.Messages[2].Content[0]["toolResult"]): &result,
		} {
			if err := json.Unmarshal(*raw, to); err != nil {
				t.Fatal(err)
			}
		}
		if len(call.ID) != idLength || call.ID != result.ID || second.ID != "b23456789" {
			t.Errorf("%s: the ids are %q, %q and %q", name, call.ID, result.ID, second.ID)
		}
		if string(call.Input) != `{"_raw":"[1"}` || string(second.Input) != "{}" {
			t.Errorf("the arguments are %s and %s", call.Input, second.Input)
		}
	}
}

func ptr[T any](v T) *T { return &v }
