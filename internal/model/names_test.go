package model_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

func TestNamesThatProvidersAccept(t *testing.T) {
	accepted := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	names := []string{"grep", "a-b_C9", "a.b", "a b", "a_b", "3d", "-x", "日本", "", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 65) + "y", "a/b", "é"}
	seen := map[string]string{}
	for _, name := range names {
		wire := model.WireName(name)
		if !accepted.MatchString(wire) || wire != model.WireName(name) || wire != model.WireName(wire) {
			t.Errorf("%q becomes %q", name, wire)
		}
		if accepted.MatchString(name) && wire != name {
			t.Errorf("%q becomes %q without need", name, wire)
		}
		if other, again := seen[wire]; again {
			t.Errorf("%q and %q both become %q", name, other, wire)
		}
		seen[wire] = name
	}
}

// The caller knows tools by their own names; the provider never sees one that it refuses.
func TestNamesAreMappedBothWays(t *testing.T) {
	wire := model.WireName("a.b c")
	s := dialecttest.Events(
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"`+wire+`","arguments":"{}"}},{"index":1,"id":"2","function":{"name":"plain"}},{"index":2,"id":"3","function":{"name":"made.up"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	encoded, err := model.Tool{Name: "a.b c"}.Encoded()
	if err != nil {
		t.Fatal(err)
	}
	history := []model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "0", Name: "plain"}, {ID: "1", Name: "a.b c"}, {ID: "2", Name: "made.up"}}},
	}
	for _, tool := range []model.Tool{encoded, {Name: "a.b c"}} {
		r := model.Request{Model: "m", Stream: true, Tools: []model.Tool{tool, {Name: "plain"}}, Messages: history}
		got, deltas, err := dialecttest.Ask(t, chat.New(), model.Endpoint{BaseURL: "http://model.test/v1"}, s, r)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"a.b c", "plain", "made.up"} {
			if got.ToolCalls[i].Name != want || deltas[i].Name != want {
				t.Errorf("call %d is of %q, streamed of %q, want %q", i, got.ToolCalls[i].Name, deltas[i].Name, want)
			}
		}
		if strings.Contains(s.Body, "a.b c") || strings.Contains(s.Body, `"made.up"`) || strings.Count(s.Body, `"`+wire+`"`) != 2 {
			t.Errorf("sent %s", s.Body)
		}
		if history[0].ToolCalls[1].Name != "a.b c" {
			t.Error("the conversation of the caller was changed")
		}
	}
}
