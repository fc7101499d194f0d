package model_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
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
				`{"type":"function","function":{"name":"grep","description":"Search.","parameters":{"type":"object"}}}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, string(sent(t, tc.ep, tc.req).Raw)); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	image := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Parts: []model.Part{{ImageURL: "x"}}}}}
	tool := model.Request{Model: "m", InteractionID: "i1", Messages: []model.Message{{Role: model.RoleTool, Content: "x"}}}
	loud := model.Request{Model: "m", Messages: image.Messages, Headers: map[string]string{"x-who": "request", "Authorization": "own"}}
	const none = "(none)"
	for _, tc := range []struct {
		name string
		ep   model.Endpoint
		req  model.Request
		want map[string]string
	}{
		{
			"a plain endpoint learns nothing of the Copilot API",
			model.Endpoint{APIKey: "k", IntegrationID: "x"},
			tool,
			map[string]string{
				"Authorization": "Bearer k", "User-Agent": "sidestick", "Content-Type": "application/json",
				"X-Initiator": none, "Copilot-Integration-Id": none, "X-Interaction-Id": none, "X-Github-Api-Version": none,
			},
		},
		{"a bearer token beats a key", model.Endpoint{APIKey: "k", BearerToken: "t"}, tool, map[string]string{"Authorization": "Bearer t"}},
		{"no credential, no header", model.Endpoint{}, tool, map[string]string{"Authorization": none}},
		{
			"the request's headers beat the endpoint's, those beat ours",
			model.Endpoint{APIKey: "k", UserAgent: "a", Headers: map[string]string{"X-Who": "endpoint", "user-agent": "b"}},
			loud,
			map[string]string{"X-Who": "request", "User-Agent": "b", "Authorization": "own"},
		},
		{
			"the Copilot API learns who and why",
			model.Endpoint{Kind: model.Copilot, BearerToken: "t", IntegrationID: "id", UserAgent: "Copilot x"},
			tool,
			map[string]string{
				"Authorization": "Bearer t", "User-Agent": "Copilot x", "Copilot-Integration-Id": "id", "X-Interaction-Id": "i1",
				"X-Initiator": "agent", "Openai-Intent": "conversation-agent", "X-Github-Api-Version": "2025-10-01", "Copilot-Vision-Request": none,
			},
		},
		{
			"a prompt is the user's doing, an image is announced",
			model.Endpoint{Kind: model.Copilot},
			image,
			map[string]string{"X-Initiator": "user", "Copilot-Vision-Request": "true"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.ep.BaseURL = endpoint.BaseURL
			got := sent(t, tc.ep, tc.req).Header
			for name, want := range tc.want {
				if v := got.Get(name); v != want && !(v == "" && want == none) {
					t.Errorf("%s: %q, want %q", name, v, want)
				}
			}
		})
	}
}

func TestHeaderIsWhatStreamSends(t *testing.T) {
	ep := model.Endpoint{Kind: model.Copilot, BaseURL: endpoint.BaseURL, BearerToken: "t", IntegrationID: "id", Headers: map[string]string{"X-A": "b"}}
	got := sent(t, ep, asked).Header
	got.Del("Content-Type")
	if d := cmp.Diff(got, ep.Header(&asked)); d != "" {
		t.Errorf("(-sent +Header):\n%s", d)
	}
}

func TestPathsAreAppendedToTheBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"http://h":               "/chat/completions",
		"http://h/":              "/chat/completions",
		"http://h/v1//":          "/v1/chat/completions",
		"http://h/d?api=2":       "/d/chat/completions?api=2",
		"http://u:p@h/a%2Fb/v1/": "/a%2Fb/v1/chat/completions",
	} {
		if got := sent(t, model.Endpoint{BaseURL: base}, asked).Path; got != want {
			t.Errorf("%s: path %s, want %s", base, got, want)
		}
	}
}

func TestWhatCannotBeSentIsInvalid(t *testing.T) {
	broken := asked
	broken.Tools = []model.Tool{{Name: "x", Parameters: json.RawMessage(`{`)}}
	for name, tc := range map[string]struct {
		ep  model.Endpoint
		req model.Request
	}{
		"no base URL":          {model.Endpoint{}, asked},
		"no scheme":            {model.Endpoint{BaseURL: "api.test/v1"}, asked},
		"another scheme":       {model.Endpoint{BaseURL: "ftp://api.test"}, asked},
		"no model":             {endpoint, model.Request{}},
		"a schema not JSON":    {endpoint, broken},
		"a header with breaks": {model.Endpoint{BaseURL: endpoint.BaseURL, APIKey: "a\nb"}, asked},
		"a header with spaces": {model.Endpoint{BaseURL: endpoint.BaseURL, Headers: map[string]string{"a b": ""}}, asked},
	} {
		srv := modeltest.NewServer()
		_, err := newClient(srv).Stream(t.Context(), tc.ep, tc.req, nil)
		if fault.KindOf(err) != fault.Invalid || len(srv.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests, want Invalid after none", name, err, len(srv.Requests()))
		}
		srv.Close()
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	srv := modeltest.NewServer(modeltest.Reply{
		Status: http.StatusPermanentRedirect, Header: map[string]string{"Location": "https://u:secret@evil.test/x?token=secret"},
	})
	defer srv.Close()
	_, err := newClient(srv).Stream(t.Context(), endpoint, asked, nil)
	e := failure(t, err)
	if e.Category() != model.CategoryProtocol || e.Message != "redirected to https://evil.test/x; redirects are not followed" {
		t.Errorf("got %s: %v", e.Category(), err)
	}
}
