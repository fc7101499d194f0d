package model_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// picky is a provider that refuses requests with something in them and answers others.
type picky struct {
	refuses func(path, body string) bool
	status  int
	answer  string // to what it refuses
	sent    []string
}

// done are the answers of each dialect, by the end of the path.
func done(path string) string {
	switch {
	case strings.HasSuffix(path, "/responses"):
		return `{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"42"}]}]}`
	case strings.HasSuffix(path, "/messages"):
		return `{"type":"message","content":[{"type":"text","text":"42"}],"stop_reason":"end_turn"}`
	case strings.Contains(path, "enerateContent"):
		return `{"candidates":[{"content":{"parts":[{"text":"42"}]},"finishReason":"STOP"}]}`
	}
	return `{"choices":[{"message":{"content":"42"},"finish_reason":"stop"}]}`
}

func (p *picky) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	p.sent = append(p.sent, r.URL.Path+" "+string(body))
	status, answer := 200, done(r.URL.Path)
	if p.refuses(r.URL.Path, string(body)) {
		status, answer = p.status, p.answer
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, err
}

// has refuses requests whose body contains a text.
func has(text string) func(path, body string) bool {
	return func(_, body string) bool { return strings.Contains(body, text) }
}

func everyDialect(o model.Options) *model.Client {
	return model.New(o, chat.New(), responses.New(), anthropic.New(), gemini.New())
}

func TestARefusedRequestIsRepairedOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		dialect string
		server  picky
		again   int    // requests of a second call: 1 if the repair is remembered
		note    string // what the user is told, "" for nothing
	}{
		"the name of the limit": {chat.Name, picky{refuses: has(`"max_tokens"`), status: 400, answer: openAI("unsupported_parameter", "Use 'max_completion_tokens' instead.")}, 1, ""},
		"Responses instead": {chat.Name, picky{
			refuses: func(path, _ string) bool { return strings.HasSuffix(path, "/chat/completions") },
			status:  400, answer: openAI("", "Function tools with reasoning_effort are not supported for m in /v1/chat/completions."),
		}, 1, ""},
		"an effort":                {chat.Name, picky{refuses: has(`"reasoning_effort"`), status: 400, answer: openAI("unsupported_parameter", "Unsupported parameter: 'reasoning_effort'.")}, 1, ""},
		"an effort of Responses":   {responses.Name, picky{refuses: has(`"effort"`), status: 400, answer: `{"error":{"code":"unsupported_value","message":"no","param":"reasoning.effort"}}`}, 1, ""},
		"a tool":                   {responses.Name, picky{refuses: has(`"sub"`), status: 400, answer: openAI("invalid_function_parameters", "Invalid schema for function 'sub': no")}, 1, "the tool sub"},
		"encrypted reasoning":      {responses.Name, picky{refuses: has("c2VjcmV0"), status: 400, answer: openAI("invalid_encrypted_content", "no")}, 1, ""},
		"a signature":              {anthropic.Name, picky{refuses: has("c2VjcmV0"), status: 400, answer: claude("invalid_request_error", "Invalid `signature` in `thinking` block")}, 1, ""},
		"a limit of the answer":    {anthropic.Name, picky{refuses: has(`"max_tokens":100000`), status: 400, answer: claude("invalid_request_error", "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for m")}, 1, ""},
		"a limit in OpenAI's form": {chat.Name, picky{refuses: has(`:100000`), status: 400, answer: openAI("invalid_value", "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.")}, 1, ""},
		"a limit in Groq's form":   {chat.Name, picky{refuses: has(`:100000`), status: 400, answer: openAI("", "`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model")}, 1, ""},
		"room for the answer":      {anthropic.Name, picky{refuses: has(`"max_tokens":100000`), status: 400, answer: claude("invalid_request_error", "input length and `max_tokens` exceed context limit: 150000 + 100000 > 200000")}, 2, ""},
		"pictures":                 {anthropic.Name, picky{refuses: has("AAAA"), status: 400, answer: claude("invalid_request_error", "image exceeds 5 MB maximum")}, 1, "pictures"},
	} {
		t.Run(name, func(t *testing.T) {
			server := &tc.server
			var log bytes.Buffer
			c := everyDialect(model.Options{Transport: server, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			ep := model.Endpoint{Dialect: tc.dialect, BaseURL: "https://model.test/v1"}
			req := demanding(&ep)
			resp, err := c.Stream(t.Context(), ep, req, nil)
			if err != nil || resp.Text != "42" || len(server.sent) != 2 {
				t.Fatalf("%+v, %v after %d requests, want an answer after two", resp, err, len(server.sent))
			}
			if told := strings.Join(resp.Notes, " "); !strings.Contains(told, tc.note) || (tc.note == "") != (told == "") {
				t.Errorf("the user is told %q, want %q", told, tc.note)
			}
			if !strings.Contains(log.String(), "made again with a changed request") {
				t.Errorf("the debug log has no line: %s", &log)
			}
			first, again := resp.WithoutEffort, demanding(&ep)
			resp, err = c.Stream(t.Context(), ep, again, nil)
			if effort := strings.HasPrefix(name, "an effort"); err == nil && (resp.WithoutEffort != effort || first != effort) {
				t.Errorf("the first answer is without an effort: %v, the second: %v, want %v", first, resp.WithoutEffort, effort)
			}
			if err != nil || len(server.sent) != 2+tc.again || tc.again == 1 && resp.Notes != nil {
				t.Errorf("%+v, %v: the second call took %d requests, want %d", resp, err, len(server.sent)-2, tc.again)
			}
			if req.Messages[1].Reasoning == nil || req.Messages[0].Parts[1].ImageURL == "" || len(req.Tools) != 2 {
				t.Error("the repair has changed the caller's request")
			}
			if tc.dialect == anthropic.Name && strings.Contains(name, "limit") && !strings.Contains(server.sent[2], `"max_tokens":8192`) {
				t.Errorf("the limit that the provider named was not sent: %s", server.sent[2])
			}
		})
	}
}

func TestARepairIsForItsEndpointAndModelOnly(t *testing.T) {
	server := &picky{refuses: has(`"max_tokens"`), status: 400, answer: openAI("unsupported_parameter", "Use 'max_completion_tokens' instead.")}
	c := everyDialect(model.Options{Transport: server})
	req := model.Request{Model: "new", MaxOutputTokens: 10, Messages: asked.Messages}
	for range 2 {
		if _, err := c.Stream(t.Context(), endpoint, req, nil); err != nil {
			t.Fatal(err)
		}
	}
	server.refuses = func(string, string) bool { return false }
	req.Model = "old"
	if _, err := c.Stream(t.Context(), endpoint, req, nil); err != nil || !strings.Contains(server.sent[len(server.sent)-1], `"max_tokens":10`) {
		t.Errorf("%v: another model got %s", err, server.sent[len(server.sent)-1])
	}
}

func TestWhatDoesNotHelpIsNotRemembered(t *testing.T) {
	server := &picky{refuses: func(string, string) bool { return true }, status: 400, answer: openAI("unsupported_parameter", "Use 'max_completion_tokens' instead.")}
	c := everyDialect(model.Options{Transport: server})
	req := model.Request{Model: "m", MaxOutputTokens: 10, Messages: asked.Messages}
	_, err := c.Stream(t.Context(), endpoint, req, nil)
	if failure(t, err); len(server.sent) != 2 {
		t.Errorf("%d requests, want two", len(server.sent))
	}
	_, _ = c.Stream(t.Context(), endpoint, req, nil)
	if !strings.Contains(server.sent[2], `"max_tokens":10`) {
		t.Errorf("the repair was remembered, although it did not help: %s", server.sent[2])
	}
}

func TestNothingIsRepairedAfterTheFirstPiece(t *testing.T) {
	p := &refusing{status: 200, answer: events(`{"choices":[{"delta":{"content":"half"}}]}`, openAI("", "Unsupported parameter. Use 'max_completion_tokens' instead."))}
	c := everyDialect(model.Options{Transport: p})
	heard := 0
	_, err := c.Stream(t.Context(), endpoint, model.Request{Model: "m", Stream: true, MaxOutputTokens: 10, Messages: asked.Messages}, func(model.Delta) { heard++ })
	if e := failure(t, err); !e.Delivered || e.OtherModelHelps() || heard != 1 || len(p.sent) != 1 {
		t.Errorf("%v: %d pieces, %d requests, want one of each", err, heard, len(p.sent))
	}
}

func TestADialectThatTheProgramDoesNotSpeakIsNotTried(t *testing.T) {
	p := &refusing{status: 400, answer: openAI("unsupported_api_for_model", "no")}
	c := model.New(model.Options{Transport: p}, chat.New())
	_, err := c.Stream(t.Context(), endpoint, asked, nil)
	if failure(t, err); len(p.sent) != 1 {
		t.Errorf("%d requests, want one", len(p.sent))
	}
}
