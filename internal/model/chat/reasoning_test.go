package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// Reasoning that a server sends is kept, with the name of its field.
func TestReasoningIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		deltas []string
		want   model.Reasoning
	}{
		"DeepSeek":        {[]string{`{"reasoning_content":"a"}`, `{"reasoning_content":"b","content":"x"}`}, model.Reasoning{Text: "ab", Field: "reasoning_content"}},
		"OpenRouter":      {[]string{`{"reasoning":"a"}`, `{"reasoning":null,"content":"x"}`}, model.Reasoning{Text: "a", Field: "reasoning"}},
		"the Copilot API": {[]string{`{"reasoning_text":"a"}`, `{"reasoning_opaque":"x/+="}`, `{"content":"x"}`}, model.Reasoning{Text: "a", Field: "reasoning_text", Opaque: "x/+="}},
		"nothing to see":  {[]string{`{"content":"x","reasoning_opaque":"k"}`}, model.Reasoning{Opaque: "k"}},
		"two names":       {[]string{`{"reasoning":"a","reasoning_content":"a"}`}, model.Reasoning{Text: "a", Field: "reasoning_content"}},
		"another choice":  {[]string{`{"reasoning_text":"a","content":"x"}`, `{"content":"x"}},{"index":1,"delta":{"reasoning_opaque":"k"}`}, model.Reasoning{Text: "a", Field: "reasoning_text", Opaque: "k"}},
	} {
		tc.want.Origin = model.Origin{Provider: "http://model.test/v1", Model: "m"}
		var events []string
		for _, d := range tc.deltas {
			events = append(events, `{"choices":[{"index":0,"delta":`+d+`}]}`)
		}
		got, _, err := call(t, asking, modeltest.Reply{Events: append(events, "[DONE]")})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]model.Reasoning{tc.want}, got.Reasoning, dialecttest.Measured()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	got, _, err := call(t, asked, modeltest.Reply{Body: `{"choices":[{"message":{"content":"x","reasoning":"a"}}]}`})
	if err != nil || len(got.Reasoning) != 1 || got.Reasoning[0].Text != "a" || got.Reasoning[0].Field != "reasoning" {
		t.Errorf("whole: %+v, %v", got, err)
	}
	if got, _, err := call(t, asked, modeltest.Reply{Text: "x"}); err != nil || got.Reasoning != nil {
		t.Errorf("a model that does not reason: %+v, %v", got, err)
	}
}

// Reasoning goes back in the field that it came in, and only to the model it came from.
func TestReasoningGoesBackWhereItCameFrom(t *testing.T) {
	here := model.Origin{Provider: "http://model.test/v1", Model: "m"}
	for name, tc := range map[string]struct {
		ep   model.Endpoint
		said model.Reasoning
		want string // part of the message; empty: no reasoning at all
	}{
		"DeepSeek":            {endpoint, model.Reasoning{Text: "a b", Field: "reasoning_content", Origin: here}, `"content":"x","reasoning_content":"a b"}`},
		"the Copilot API":     {endpoint, model.Reasoning{Text: "a", Field: "reasoning_text", Opaque: "x/+=", Origin: here}, `"reasoning_text":"a","reasoning_opaque":"x/+="}`},
		"a slash and a user":  {model.Endpoint{BaseURL: "http://u:p@model.test/v1/?k=secret"}, model.Reasoning{Text: "a", Field: "reasoning", Origin: here}, `"reasoning":"a"}`},
		"another provider":    {model.Endpoint{BaseURL: "http://other.test/v1"}, model.Reasoning{Text: "a", Field: "reasoning", Opaque: "k", Origin: here}, ""},
		"another model":       {model.Endpoint{BaseURL: endpoint.BaseURL, WireModel: "w"}, model.Reasoning{Text: "a", Field: "reasoning", Opaque: "k", Origin: here}, ""},
		"another dialect":     {endpoint, model.Reasoning{Text: "a", ID: "rs_1", Origin: here}, ""},
		"of an unknown model": {endpoint, model.Reasoning{Text: "a", Field: "reasoning"}, ""},
	} {
		req := model.Request{Model: "m", Messages: []model.Message{
			{Role: model.RoleUser, Content: "hi"},
			{Role: model.RoleAssistant, Content: "x", Reasoning: []model.Reasoning{tc.said}},
		}}
		body := string(sent(t, tc.ep, req).Raw)
		if !strings.Contains(body, tc.want) || strings.Contains(body, "reasoning") != (tc.want != "") {
			t.Errorf("%s: sent %s, want %s", name, body, tc.want)
		}
	}
}
