package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// sent returns what a server gets for a request.
func sent(t *testing.T, ep model.Endpoint, req model.Request) modeltest.Request {
	t.Helper()
	srv := modeltest.NewServer(modeltest.Reply{})
	defer srv.Close()
	if _, err := newClient(srv).Stream(t.Context(), ep, req, nil); err != nil {
		t.Fatal(err)
	}
	return srv.Requests()[0]
}

// The schema of an answer is sent to the byte.
func TestTheFormOfAnAnswer(t *testing.T) {
	req := model.Request{
		Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}},
		Format: &model.ResponseFormat{Name: "n", Schema: json.RawMessage(`{"b":1, "a":"<"}`)},
	}
	want := `{"model":"m","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"b":1, "a":"<"}}}}`
	if diff := cmp.Diff(want, string(sent(t, endpoint, req).Raw)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestBody(t *testing.T) {
	user := model.Message{Role: model.RoleUser, Content: "hi"}
	call := model.ToolCall{ID: "c1", Name: "grep", Arguments: `{"b":1, "a":"<&>"}`}
	for _, tc := range []struct {
		name string
		ep   model.Endpoint
		req  model.Request
		want string
	}{
		{
			"nothing unset is sent", endpoint,
			model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem, Content: "be brief"}, user}},
			`{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]}`,
		},
		{
			"a stream asks for usage", endpoint,
			model.Request{Model: "m", Messages: []model.Message{user}, Stream: true, MaxOutputTokens: 9, ReasoningEffort: "low"},
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"reasoning_effort":"low"}`,
		},
		{
			"the endpoint's name and limit stand in",
			model.Endpoint{BaseURL: endpoint.BaseURL, WireModel: "w", MaxOutputTokens: 5},
			model.Request{Model: "m", Messages: []model.Message{user}},
			`{"model":"w","messages":[{"role":"user","content":"hi"}],"max_tokens":5}`,
		},
		{
			"arguments are echoed to the byte, empty content beside calls is null, a result is a string", endpoint,
			model.Request{Model: "m", Messages: []model.Message{
				{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{call}},
				{Role: model.RoleTool, ToolCallID: "c1"},
				{Role: model.RoleAssistant},
			}},
			`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"grep","arguments":"{\"b\":1, \"a\":\"<&>\"}"}}]},` +
				`{"role":"tool","content":"","tool_call_id":"c1"},{"role":"assistant","content":""}]}`,
		},
		{
			"parts keep their order", endpoint,
			model.Request{Model: "m", Messages: []model.Message{
				{Role: model.RoleUser, Parts: []model.Part{{Text: "see"}, {ImageURL: "data:image/png;base64,AA=="}}},
			}},
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}`,
		},
		{
			"a tool without a schema gets an empty one", endpoint,
			model.Request{Model: "m", Messages: []model.Message{user}, Tools: []model.Tool{
				{Name: "now"}, {Name: "grep", Description: "Search.", Parameters: json.RawMessage(`{"type":"object"}`)},
			}},
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}},` +
				`{"type":"function","function":{"name":"grep","description":"Search.","parameters":{"type":"object","properties":{}}}}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, string(sent(t, tc.ep, tc.req).Raw)); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
		})
	}
}
