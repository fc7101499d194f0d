package model_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// thinker is a dialect with an answer that has opaque reasoning before its text, and its call.
type thinker struct {
	dialect model.Dialect
	answer  []string
	opaque  string // what goes back of the reasoning
}

// thinkers are all dialects that have reasoning.
func thinkers() map[string]thinker {
	return map[string]thinker{
		"chat completions": {chat.New(), []string{
			`{"choices":[{"delta":{"reasoning_text":"Hm.","reasoning_opaque":"OPAQUE"}},{"index":1,"delta":{"content":"I look.","tool_calls":[{"index":0,"id":"c1","function":{"name":"view","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		}, `"reasoning_opaque":"OPAQUE"`},
		"Responses": {responses.New(), []string{
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"OPAQUE"},{"type":"message","content":[{"type":"output_text","text":"I look."}]},{"type":"function_call","call_id":"c1","name":"view","arguments":"{}"}]}}`,
		}, `"encrypted_content":"OPAQUE"`},
		"Anthropic": {anthropic.New(), []string{
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":"OPAQUE"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"I look."}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"view","input":{}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`,
		}, `"signature":"OPAQUE"`},
		"Gemini": {gemini.New(), []string{
			`{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"I look."},{"functionCall":{"id":"c1","name":"view","args":{}},"thoughtSignature":"OPAQUE"}]},"finishReason":"STOP"}]}`,
		}, `"thoughtSignature":"OPAQUE"`},
	}
}

// first is a request with everything that reasoning may be bound to, and at its endpoint.
func first() (model.Request, model.Endpoint) {
	return model.Request{
		Model: "claude-gemini-3.8", Stream: true, ReasoningEffort: "low",
		Tools:    []model.Tool{{Name: "view", Description: "Views.", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []model.Message{{Role: model.RoleSystem, Content: "Be brief."}, {Role: model.RoleUser, Content: "See."}},
	}, model.Endpoint{BaseURL: "http://localhost/v1", APIKey: "key-1", Headers: map[string]string{"OpenAI-Organization": "org-1"}}
}

// Reasoning goes back only to its account and model, and only if all that was sent before it is
// as it was. Gemini's signatures are bound to their calls only.
func TestReasoningGoesBackOnlyAfterWhatWasBeforeIt(t *testing.T) {
	type second struct {
		r  *model.Request
		ep *model.Endpoint
	}
	for name, tc := range map[string]struct {
		change func(second)
		kept   []string // dialects in which the reasoning goes back all the same
	}{
		"nothing":            {func(second) {}, []string{"chat completions", "Responses", "Anthropic", "Gemini"}},
		"what comes later":   {func(s second) { s.r.Messages = append(s.r.Messages, model.Message{Role: model.RoleUser, Content: "x"}) }, []string{"chat completions", "Responses", "Anthropic", "Gemini"}},
		"how it is streamed": {func(s second) { s.r.Stream = false }, []string{"chat completions", "Responses", "Anthropic", "Gemini"}},
		"the effort":         {func(s second) { s.r.ReasoningEffort = "high" }, []string{"chat completions", "Anthropic", "Gemini"}},
		"the system message": {func(s second) { s.r.Messages[0].Content = "Be long." }, []string{"Gemini"}},
		"no system message":  {func(s second) { s.r.Messages = s.r.Messages[1:] }, []string{"Gemini"}},
		"an earlier message": {func(s second) { s.r.Messages[1].Content = "Look." }, []string{"Gemini"}},
		"a tool":             {func(s second) { s.r.Tools[0].Description = "Shows." }, []string{"Gemini"}},
		"no tools":           {func(s second) { s.r.Tools = nil }, []string{"Gemini"}},
		"the reasoning":      {func(s second) { s.r.Messages[2].Reasoning[0].Opaque += " " }, []string{"Gemini"}}, // as when a secret in it is hidden
		"a seal":             {func(s second) { s.r.Messages[2].Reasoning[0].Seal = "0011223344556677" }, []string{"Gemini"}},
		"the model":          {func(s second) { s.r.Model = "gemini-3.9" }, nil},
		"the key":            {func(s second) { s.ep.APIKey = "key-2" }, nil},
		"the organization":   {func(s second) { s.ep.Headers = map[string]string{"openai-organization": "org-2"} }, nil},
		"the provider":       {func(s second) { s.ep.BaseURL = "http://localhost/v2" }, nil},
	} {
		for dialect, th := range thinkers() {
			r, ep := first()
			ep.Dialect = th.dialect.Name()
			server := dialecttest.Events(th.answer...)
			resp, _, err := dialecttest.Ask(t, th.dialect, ep, server, r)
			if err != nil {
				t.Fatalf("%s: %v", dialect, err)
			}
			r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Content: resp.Text, Reasoning: resp.Reasoning, ToolCalls: resp.ToolCalls},
				model.Message{Role: model.RoleTool, ToolCallID: "c1", Content: "seen"})
			r.Messages[2].Reasoning = slices.Clone(resp.Reasoning)
			tc.change(second{&r, &ep})
			if _, _, err := dialecttest.Ask(t, th.dialect, ep, server, r); err != nil {
				t.Fatalf("%s: %v", dialect, err)
			}
			if got, want := strings.Contains(server.Body, th.opaque), slices.Contains(tc.kept, dialect); got != want {
				t.Errorf("%s, changed: %s: it goes back: %v, want %v\n%s", dialect, name, got, want, server.Body)
			}
			if len(r.Messages) > 2 && r.Messages[len(r.Messages)-2].Role == model.RoleAssistant && len(r.Messages[len(r.Messages)-2].Reasoning) != len(resp.Reasoning) {
				t.Errorf("%s: the caller's messages were changed", dialect)
			}
		}
	}
}

// After a change, the reasoning of later answers is valid again, although what came before the
// change is left out.
func TestReasoningIsValidAgainAfterAChange(t *testing.T) {
	th := thinker{anthropic.New(), []string{ // it thinks again between its text and its call
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":"OPAQUE"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"I look."}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"thinking","thinking":"So.","signature":"OPAQUE"}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"c1","name":"view","input":{"a": "<b>"}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`,
	}, "OPAQUE"}
	r, ep := first()
	ep.Dialect = th.dialect.Name()
	for turn := range 5 {
		if turn == 2 {
			r.Messages[0].Content = "Be long."
		}
		server := dialecttest.Events(th.answer...)
		resp, _, err := dialecttest.Ask(t, th.dialect, ep, server, r)
		if err != nil {
			t.Fatal(err)
		}
		if n, want := strings.Count(server.Body, "OPAQUE"), []int{0, 2, 0, 2, 4}[turn]; n != want {
			t.Errorf("request %d has %d pieces, want %d", turn, n, want)
		}
		r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Content: resp.Text, Reasoning: resp.Reasoning, ToolCalls: resp.ToolCalls},
			model.Message{Role: model.RoleTool, ToolCallID: "c1", Content: "seen"})
	}
}

// The account is known by its digest, in which no part of the credential is.
func TestAnAccountIsNoSecret(t *testing.T) {
	at := func(ep model.Endpoint) string { ep.BaseURL = "http://localhost/v1"; return ep.Account() }
	key := model.Endpoint{APIKey: "sk-abcdef"}
	if got := at(key); len(got) != 8 || strings.Contains("sk-abcdef", got) || got != at(key) {
		t.Errorf("the account of a key is %q", got)
	}
	if got := at(model.Endpoint{}); got != "" {
		t.Errorf("the account of none is %q", got)
	}
	renewed := model.Endpoint{BearerToken: "t1", Token: dialecttest.Token("t2")}
	if got := at(renewed); got != "" {
		t.Errorf("a token that is renewed is an account: %q", got)
	}
}
