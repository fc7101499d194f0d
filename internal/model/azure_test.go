package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// Azure has OpenAI's protocols at addresses of its own, and a header of its own for keys.
func TestAzure(t *testing.T) {
	const host = "https://r.openai.azure.com"
	key := model.Endpoint{APIKey: "k"}
	entra := model.Endpoint{APIKey: "k", BearerToken: "entra"}
	for _, tc := range []struct {
		name          string
		dialect       model.Dialect
		ep            model.Endpoint
		base, version string
		want          string
	}{
		{"chat", chat.New(), key, host, "", "/openai/v1/chat/completions"},
		{"Responses", responses.New(), key, host + "/", "", "/openai/v1/responses"},
		{"the path is there", responses.New(), key, host + "/openai/v1/", "v1", "/openai/v1/responses"},
		{"a gateway", responses.New(), key, host + "/team/openai", "preview", "/team/openai/v1/responses?api-version=preview"},
		{"a dated version", chat.New(), key, host, "2024-10-21", "/openai/deployments/gpt%204/chat/completions?api-version=2024-10-21"},
		{"a dated version of Responses", responses.New(), key, host, "2025-04-01-preview", "/openai/responses?api-version=2025-04-01-preview"},
		{"a deployment in the address", chat.New(), key, host + "/openai/deployments/prod/", "2024-10-21", "/openai/deployments/prod/chat/completions?api-version=2024-10-21"},
		{"a version in the address", chat.New(), key, host + "?api-version=2024-06-01", "", "/openai/deployments/gpt%204/chat/completions?api-version=2024-06-01"},
		{"a token of Entra", chat.New(), entra, host, "", "/openai/v1/chat/completions"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.ep.BaseURL, tc.ep.Dialect, tc.ep.Azure = tc.base, tc.dialect.Name(), model.Azure{Resource: true, APIVersion: tc.version}
			s := dialecttest.JSON(400, `{"error":{"code":"x","message":"y"}}`)
			_, _, err := dialecttest.Ask(t, tc.dialect, tc.ep, s, model.Request{Model: "gpt 4"})
			if s.Request == nil {
				t.Fatal(err)
			}
			if got := s.Request.URL.String(); got != host+tc.want {
				t.Errorf("it went to %s, want %s", got, host+tc.want)
			}
			h := s.Request.Header
			if tc.ep.BearerToken != "" && (h.Get("Authorization") != "Bearer entra" || h.Get("Api-Key") != "") {
				t.Errorf("with a token: %v", h)
			}
			if tc.ep.BearerToken == "" && (h.Get("Api-Key") != "k" || h.Get("Authorization") != "") {
				t.Errorf("with a key: %v", h)
			}
		})
	}
}

func TestTheModelsOfAzure(t *testing.T) {
	for version, want := range map[string]string{"": "/openai/v1/models", "2024-10-21": "/openai/models?api-version=2024-10-21"} {
		s := dialecttest.JSON(200, `{"data":[{"id":"gpt-6"}]}`)
		c := model.New(model.Options{Transport: s}, chat.New())
		got, err := c.Models(t.Context(), model.Endpoint{BaseURL: "https://r", APIKey: "k", Azure: model.Azure{Resource: true, APIVersion: version}})
		if err != nil || len(got) != 1 || s.Request.URL.String() != "https://r"+want {
			t.Errorf("%v, %v from %s", got, err, s.Request.URL)
		}
		c.Close()
	}
}

// Azure's filter reports on the prompt in a first piece without an answer, and on the answer in
// pieces without text. A call that it refuses is not tried again.
func TestTheFilterOfAzure(t *testing.T) {
	at := model.Endpoint{BaseURL: "https://r", APIKey: "k", Azure: model.Azure{Resource: true}}
	s := dialecttest.Events(
		`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
		`{"choices":[{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}],"id":"c1","model":"gpt-6"}`,
		`{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"delta":{"content":"Hi"},"finish_reason":null,"index":0}],"id":"c1","model":"gpt-6"}`,
		`{"choices":[{"content_filter_offsets":{"check_offset":1},"content_filter_results":{"hate":{"filtered":true}},"finish_reason":"content_filter","index":0}],"id":"","model":""}`,
		`{"choices":[],"id":"c1","usage":{"prompt_tokens":3,"completion_tokens":1}}`, `[DONE]`)
	got, deltas, err := dialecttest.Ask(t, chat.New(), at, s, model.Request{Model: "gpt-6", Stream: true})
	if err != nil || got.Text != "Hi" || got.FinishReason != "content_filter" || got.Model != "gpt-6" || got.Usage.Input != 3 || len(deltas) != 1 {
		t.Errorf("%+v, %v, %v", got, deltas, err)
	}
	s = dialecttest.JSON(400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,`+
		`"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"filtered":true,"detected":true}}}}}`)
	_, _, err = dialecttest.Ask(t, chat.New(), at, s, model.Request{Model: "gpt-6", Stream: true})
	var e *model.Error
	if !errors.As(err, &e) || e.Code != "content_filter" || e.Retryable || !strings.Contains(e.Message, "filtered") {
		t.Errorf("%v: %+v", err, e)
	}
}
