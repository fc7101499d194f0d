package model_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
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
			model.Endpoint{Copilot: true, BearerToken: "t", IntegrationID: "id", UserAgent: "Copilot x"},
			tool,
			map[string]string{
				"Authorization": "Bearer t", "User-Agent": "Copilot x", "Copilot-Integration-Id": "id", "X-Interaction-Id": "i1",
				"X-Initiator": "agent", "Openai-Intent": "conversation-agent", "X-Github-Api-Version": "2025-10-01", "Copilot-Vision-Request": none,
			},
		},
		{
			"a prompt is the user's doing, an image is announced",
			model.Endpoint{Copilot: true},
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
	if e.Category != model.CategoryProtocol || e.Message != "redirected to https://evil.test/x; redirects are not followed" {
		t.Errorf("got %s: %v", e.Category, err)
	}
}

func TestADialectIsChosenByName(t *testing.T) {
	srv := modeltest.NewServer(modeltest.Reply{Text: "x", Repeat: true})
	defer srv.Close()
	client := newClient(srv)
	named := endpoint
	named.Dialect = chat.Name
	if got, err := client.Stream(t.Context(), named, asked, nil); err != nil || got.Text != "x" {
		t.Errorf("the dialect by its name: %+v, %v", got, err)
	}
	named.Dialect = "morse"
	if _, err := client.Stream(t.Context(), named, asked, nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), `"morse"`) {
		t.Errorf("Stream in an unknown dialect: %v", err)
	}
	if _, err := client.Models(t.Context(), named); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Models in an unknown dialect: %v", err)
	}
}

// A tool is encoded once per dialect, and each dialect gets its own form.
func TestAToolIsEncodedOnceForEachDialect(t *testing.T) {
	tool, err := model.Tool{Name: "x"}.Encoded()
	if err != nil {
		t.Fatal(err)
	}
	encoded := 0
	as := func(form string) func([]byte, *model.Tool) []byte {
		return func(b []byte, _ *model.Tool) []byte { encoded++; return append(b, form...) }
	}
	var got []byte
	for _, dialect := range []string{"a", "b", "a", "b"} {
		if got, err = new(model.Body).AppendTools(got, []model.Tool{tool}, dialect, as(dialect)); err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != "abab" || encoded != 2 {
		t.Errorf("%d encodings, together %q; want 2, and %q", encoded, got, "abab")
	}
}
