package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

func TestProvidersGetWhatTheirCachesWant(t *testing.T) {
	messages := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "https://a/b.png"}}},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c1", Name: "look", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "c1", Content: "seen"},
		{Role: model.RoleAssistant, Content: "Yes."},
		{Role: model.RoleUser, Content: "And?"},
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	plain := `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"https://a/b.png"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
		`{"role":"tool","content":"seen","tool_call_id":"c1"},{"role":"assistant","content":"Yes."},{"role":"user","content":"And?"}]`
	marked := strings.NewReplacer(`"Be brief."`, `[{"type":"text","text":"Be brief."`+mark+`}]`, `"tool_call_id":"c1"`, `"tool_call_id":"c1"`+mark,
		`"And?"`, `[{"type":"text","text":"And?"`+mark+`}]`).Replace(plain)
	long := strings.Repeat("x", 65)
	for _, tc := range []struct {
		url, model, thread, want, header string
	}{
		{"https://api.openai.com/v1", "gpt-4.1", "t1", plain + `,"prompt_cache_key":"t1"`, ""},
		{"https://api.openai.com/v1", "gpt-4.1", "", plain, ""},
		{"https://api.x.ai/v1", "grok-4.7", "t1", plain, "t1"},
		{"https://openrouter.ai/api/v1", "openai/gpt-6-sol", "t1", plain, ""},
		{"https://openrouter.ai/api/v1", "anthropic/claude-opus-5.5", "t1", marked, ""},
		{"http://localhost:8080/v1", "anthropic/claude", "t1", plain, ""},
	} {
		s := dialecttest.Events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)
		if _, _, err := dialecttest.Ask(t, chat.New(), model.Endpoint{BaseURL: tc.url}, s, model.Request{Model: tc.model, Thread: tc.thread, Messages: messages}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(`{"model":"`+tc.model+`",`+tc.want+"}", s.Body); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", tc.url, tc.model, diff)
		}
		if got := s.Request.Header.Get("X-Grok-Conv-Id"); got != tc.header {
			t.Errorf("%s: the conversation is called %q in the header, want %q", tc.url, got, tc.header)
		}
	}
	s := dialecttest.Events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)
	if _, _, err := dialecttest.Ask(t, chat.New(), model.Endpoint{BaseURL: "https://api.openai.com/v1"}, s, model.Request{Model: "m", Thread: long}); err != nil || strings.Contains(s.Body, long) {
		t.Errorf("%v: a name that is too long for a key was sent: %s", err, s.Body)
	}
}
