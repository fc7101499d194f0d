package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// calls wraps tool-call fragments, one chunk each, into a stream's events.
func calls(fragments ...string) (events []string) {
	for _, f := range fragments {
		events = append(events, `{"choices":[{"index":0,"delta":{"tool_calls":[`+f+`]},"finish_reason":null}]}`)
	}
	return append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
}

func TestToolCallsArePutTogether(t *testing.T) {
	ab := []model.ToolCall{{ID: "A", Name: "x", Arguments: `{"k":1}`}, {ID: "B", Name: "y", Arguments: `{}`}}
	for _, tc := range []struct {
		name   string
		events []string
		want   []model.ToolCall
	}{
		{"by index, the id once", calls(
			`{"index":0,"id":"A","type":"function","function":{"name":"x","arguments":""}}`,
			`{"index":0,"function":{"arguments":"{\"k\""}}`, `{"index":0,"function":{"arguments":":1}"}}`,
			`{"index":1,"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{"by index, interleaved", calls(
			`{"index":0,"id":"A","function":{"name":"x","arguments":"{\"k\""}},{"index":1,"id":"B","function":{"name":"y"}}`,
			`{"index":1,"function":{"arguments":"{"}},{"index":0,"function":{"arguments":":1}"}}`,
			`{"index":1,"function":{"arguments":"}"}}`), ab},
		{"id in every fragment, name empty later", calls(
			`{"index":0,"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"index":0,"id":"A","function":{"name":"","arguments":":1}"}}`,
			`{"index":1,"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{"id and name in every fragment", calls(
			`{"index":0,"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"index":0,"id":"A","function":{"name":"x","arguments":":1}"}}`,
			`{"index":1,"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{"another id in every fragment", calls(
			`{"index":0,"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"index":0,"id":"A2","function":{"arguments":":1}"}}`,
			`{"index":1,"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{"index 0 for all", calls(
			`{"index":0,"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"index":0,"id":"B","function":{"name":"y","arguments":"{"}}`,
			`{"index":0,"id":"A","function":{"arguments":":1}"}}`, `{"index":0,"id":"B","function":{"arguments":"}"}}`), ab},
		{"no index, by id", calls(
			`{"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"id":"B","function":{"name":"y"}}`,
			`{"id":"A","function":{"arguments":":1}"}}`, `{"id":"B","function":{"arguments":"{}"}}`), ab},
		{"no index, the last one goes on", calls(
			`{"id":"A","function":{"name":"x","arguments":"{\"k\""}}`, `{"function":{"arguments":":1}"}}`,
			`{"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{"all at once", calls(
			`{"id":"A","function":{"name":"x","arguments":"{\"k\":1}"}},{"id":"B","function":{"name":"y","arguments":"{}"}}`), ab},
		{
			"arguments as an object, keys in order", calls(`{"index":0,"id":"A","function":{"name":"x","arguments":{ "z": [1, 2.50], "a": "\u00e9" }}}`),
			[]model.ToolCall{{ID: "A", Name: "x", Arguments: `{"z":[1,2.50],"a":"\u00e9"}`}},
		},
		{
			"no arguments at all", calls(`{"index":0,"id":"A","function":{"name":"x","arguments":null}}`),
			[]model.ToolCall{{ID: "A", Name: "x"}},
		},
		{
			"indexes that start elsewhere", calls(`{"index":7,"id":"A","function":{"name":"x","arguments":"{}"}}`),
			[]model.ToolCall{{ID: "A", Name: "x", Arguments: "{}"}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := call(t, asking, modeltest.Reply{Events: tc.events})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got.ToolCalls); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestEveryToolCallHasAnIDOfItsOwn(t *testing.T) {
	for name, reply := range map[string]modeltest.Reply{
		"streamed without ids": {Events: calls(`{"index":0,"function":{"name":"x"}}`, `{"index":1,"function":{"name":"x"}}`)},
		"without index or id":  {Events: calls(`{"function":{"name":"x"}}`, `{"function":{"name":"x"}}`)},
		"one id for both":      {Events: calls(`{"index":0,"id":"z","function":{"name":"x"}}`, `{"index":1,"id":"z","function":{"name":"x"}}`)},
		"whole, one id for both": {Body: `{"choices":[{"message":{"tool_calls":[
			{"id":"z","function":{"name":"x","arguments":""}},{"id":"z","function":{"name":"x","arguments":""}}]}}]}`},
		"whole, the same choice twice": {Body: `{"choices":[
			{"message":{"tool_calls":[{"index":0,"function":{"name":"x"}}]}},{"message":{"tool_calls":[{"index":0,"function":{"name":"x"}}]}}]}`},
	} {
		got, deltas, err := call(t, asking, reply)
		if err != nil || len(got.ToolCalls) != 2 {
			t.Errorf("%s: %+v, %v, want two calls", name, got, err)
			continue
		}
		a, b := got.ToolCalls[0], got.ToolCalls[1]
		if a.ID == "" || b.ID == "" || a.ID == b.ID {
			t.Errorf("%s: ids %q and %q", name, a.ID, b.ID)
		}
		if !strings.HasPrefix(b.ID, "call_") {
			t.Errorf("%s: id %q, want one of ours to look like one", name, b.ID)
		}
		if deltas[0].CallID != a.ID || deltas[1].CallID != b.ID {
			t.Errorf("%s: deltas say %v, answer %v", name, deltas, got.ToolCalls)
		}
	}
}

// measured are the fields that differ from run to run.
var measured = cmpopts.IgnoreFields(model.Response{}, "RequestBytes", "Bytes", "FirstDelta", "Duration")

func TestChoicesAreOneAnswer(t *testing.T) {
	choices := []modeltest.Choice{
		{Text: "I will look.", Finish: "stop"},
		{ToolCalls: []modeltest.ToolCall{{ID: "A", Name: "x", Arguments: "{}"}}},
		{Text: " And look.", ToolCalls: []modeltest.ToolCall{{ID: "B", Name: "y", Arguments: "{}"}}, Finish: "stop"},
	}
	want := &model.Response{
		ID: "chatcmpl-modeltest", Model: "m", Text: "I will look. And look.", FinishReason: "tool_calls", CallID: "req_modeltest", Attempts: 1,
		ToolCalls: []model.ToolCall{{ID: "A", Name: "x", Arguments: "{}"}, {ID: "B", Name: "y", Arguments: "{}"}},
	}
	for name, req := range map[string]model.Request{"streamed": asking, "whole": asked} {
		got, _, err := call(t, req, modeltest.Reply{Choices: choices})
		if d := cmp.Diff(want, got, measured); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
	late := []string{`{"choices":[{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`, "[DONE]"}
	if got, _, err := call(t, asking, modeltest.Reply{Events: late}); err != nil || got.Text != "ab" {
		t.Errorf("choices out of order: %+v, %v, want them joined by index", got, err)
	}
	same := `{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`
	if got, _, err := call(t, asked, modeltest.Reply{Body: same}); err != nil || got.Text != "ab" {
		t.Errorf("choices without index: %+v, %v", got, err)
	}
}

func TestFieldsOfManyNames(t *testing.T) {
	for _, tc := range []struct{ name, delta, text, reasoning string }{
		{"DeepSeek", `{"content":null,"reasoning_content":"r"}`, "", "r"},
		{"OpenRouter", `{"content":"","reasoning":"r","reasoning_details":[{"text":"r"}]}`, "", "r"},
		{"the Copilot API", `{"reasoning_text":"r","reasoning_opaque":"x"}`, "", "r"},
		{"two names for one text", `{"reasoning":"r","reasoning_content":"r"}`, "", "r"},
		{"Mistral's parts", `{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "ab", ""},
		{"a refusal is said", `{"content":null,"refusal":"no"}`, "no", ""},
		{"wrong types count as absent", `{"content":"a","reasoning":{"x":1},"role":7}`, "a", ""},
	} {
		got, _, err := call(t, asking, modeltest.Reply{Events: []string{`{"id":1,"choices":[{"delta":` + tc.delta + `}]}`, "[DONE]"}})
		if err != nil || got.Text != tc.text || model.ReasoningText(got.Reasoning) != tc.reasoning {
			t.Errorf("%s: %+v, %v, want text %q, reasoning %q", tc.name, got, err, tc.text, tc.reasoning)
		}
	}
}

func TestUsageIsTheLastReported(t *testing.T) {
	text := `{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":`
	for _, tc := range []struct {
		name   string
		events []string
		want   model.Usage
	}{
		{"beside a choice", []string{text + `{"prompt_tokens":3,"completion_tokens":2}}`}, model.Usage{Input: 3, Output: 2, Reported: true}},
		{
			"in a chunk of its own",
			[]string{text + `null}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}`},
			model.Usage{Input: 3, Output: 2, CacheRead: 1, Reasoning: 1, Reported: true},
		},
		{
			"growing",
			[]string{text + `{"prompt_tokens":3,"completion_tokens":1}}`, text + `{"prompt_tokens":3,"completion_tokens":2}}`},
			model.Usage{Input: 3, Output: 2, Reported: true},
		},
		{
			"under other names",
			[]string{text + `{"prompt_tokens":3.0,"prompt_cache_hit_tokens":2,"cache_creation_input_tokens":1,"prompt_tokens_details":null}}`},
			model.Usage{Input: 3, CacheRead: 2, CacheWrite: 1, Reported: true},
		},
		{"none", []string{text + `null}`}, model.Usage{}},
		{"zeros count as none", []string{text + `{"prompt_tokens":0,"completion_tokens":0}}`}, model.Usage{}},
		{"nonsense is bounded", []string{text + `{"prompt_tokens":-3,"completion_tokens":1e300}}`}, model.Usage{Output: 1 << 40, Reported: true}},
	} {
		got, _, err := call(t, asking, modeltest.Reply{Events: append(tc.events, "[DONE]")})
		if err != nil || got.Usage != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.name, got, err, tc.want)
		}
	}
}

func TestTooManyToolCallsAreRefused(t *testing.T) {
	flood := strings.Repeat(`{"function":{"name":"x"}},`, 2000) + `{"function":{"name":"x"}}`
	_, _, err := call(t, asking, modeltest.Reply{Events: calls(flood)})
	if e := failure(t, err); e.Category != model.CategoryProtocol {
		t.Errorf("got %v, want a protocol error", err)
	}
}
