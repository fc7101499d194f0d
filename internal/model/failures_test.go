package model_test

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// refusing is a provider that gives every request the same answer.
type refusing struct {
	status int
	header map[string]string
	answer string
	sent   []string // path and body of each request
}

func (p *refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	p.sent = append(p.sent, r.URL.Path+" "+string(body))
	h := http.Header{"Content-Type": {"application/json"}}
	switch {
	case p.status == 200 && !strings.HasPrefix(p.answer, "{"):
		h.Set("Content-Type", "text/event-stream")
	case strings.HasPrefix(p.answer, "<"):
		h.Set("Content-Type", "text/html")
	case p.answer == "":
		h.Del("Content-Type")
	}
	for name, value := range p.header {
		h.Set(name, value)
	}
	return &http.Response{StatusCode: p.status, Header: h, Body: io.NopCloser(strings.NewReader(p.answer)), Request: r}, err
}

// failing is one answer of a provider, and what is made of it.
type failing struct {
	n        string // the row of dialects.md, section 10, and a letter if that has several
	dialect  string
	status   int
	header   map[string]string
	answer   string // a JSON body, or the events of a stream
	category string
	tries    int    // how many requests are made
	tells    string // part of the error
	limit    int    // [model.Error.Limit]
	prompt   int    // [model.Error.Prompt]; 0: not compared
	host     string // of the endpoint; empty: a usual one
	last     string // part of the last request, "!" before what is not in it; empty: not compared
}

// demanding is a request that has everything which providers refuse.
func demanding(ep *model.Endpoint) model.Request {
	r := model.Request{
		Model: "m", Stream: true, MaxOutputTokens: 100_000, ReasoningEffort: "high",
		Tools: []model.Tool{{Name: "add", Parameters: []byte(`{"type":"object","properties":{"a":{"type":"integer"}}}`)}, {Name: "sub"}},
	}
	r.Messages = []model.Message{
		{Role: model.RoleUser, Parts: []model.Part{{Text: "What is that?"}, {ImageURL: "data:image/png;base64,AAAA"}}},
		{
			Role: model.RoleAssistant, Content: "A cat.",
			Reasoning: []model.Reasoning{{Text: "Whiskers", Field: "reasoning_content", Opaque: "c2VjcmV0", Origin: model.OriginAt(ep, &r)}},
		},
		{Role: model.RoleUser, Content: "And 19 + 23?"},
	}
	return r
}

func TestSixtyErrorBodies(t *testing.T) {
	seen := map[int]bool{}
	for _, row := range failingRows() {
		n, err := strconv.Atoi(strings.TrimRight(row.n, "abcd"))
		if err != nil {
			t.Fatal(err)
		}
		seen[n] = true
		t.Run(row.n, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { row.check(t) })
		})
	}
	for n := 1; n <= 60; n++ {
		if !seen[n] {
			t.Errorf("row %d has no test", n)
		}
	}
}

func (row *failing) check(t *testing.T) {
	host := "model.test"
	if row.host != "" {
		host = row.host
	}
	ep := model.Endpoint{Dialect: row.dialect, BaseURL: "https://" + host + "/v1", APIKey: "k"}
	p := &refusing{status: row.status, header: row.header, answer: row.answer}
	c := model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler)}, chat.New(), responses.New(), anthropic.New(), gemini.New())
	_, err := c.Stream(t.Context(), ep, demanding(&ep), nil)
	e := failure(t, err)
	if e.Category != row.category || e.Limit != row.limit || row.prompt != 0 && e.Prompt != row.prompt {
		t.Errorf("%v: %s with limit %d and a prompt of %d, want %s with %d and %d", err, e.Category, e.Limit, e.Prompt, row.category, row.limit, row.prompt)
	}
	if got := min(len(p.sent), 4); got != row.tries { // 4 and more: it is tried as long as that is allowed
		t.Errorf("%v: %d requests, want %d", err, len(p.sent), row.tries)
	}
	if !strings.Contains(err.Error(), row.tells) {
		t.Errorf("%v, want it to say %q", err, row.tells)
	}
	last := p.sent[len(p.sent)-1]
	if absent, ok := strings.CutPrefix(row.last, "!"); ok && strings.Contains(last, absent) || !ok && !strings.Contains(last, row.last) {
		t.Errorf("the last request is %s, want %s", last, row.last)
	}
}

// sent is a body of OpenAI's form.
func openAI(code, message string) string {
	return `{"error":{"code":` + strconv.Quote(code) + `,"type":"invalid_request_error","message":` + strconv.Quote(message) + `}}`
}

// claude is a body of Anthropic's form.
func claude(kind, message string) string {
	return `{"type":"error","error":{"type":` + strconv.Quote(kind) + `,"message":` + strconv.Quote(message) + `}}`
}

// google is a body of Google's form.
func google(code int, status, message, details string) string {
	return `{"error":{"code":` + strconv.Itoa(code) + `,"status":` + strconv.Quote(status) + `,"message":` + strconv.Quote(message) + `,"details":[` + details + `]}}`
}

// events is a stream.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

func TestTheWaitThatAProviderAsksForIsFound(t *testing.T) {
	for name, tc := range map[string]struct {
		header map[string]string
		body   string
		want   time.Duration
	}{
		"milliseconds first":     {map[string]string{"Retry-After-Ms": "61500", "Retry-After": "90"}, `{}`, 61500 * time.Millisecond},
		"the header before text": {map[string]string{"Retry-After": "70"}, openAI("x", "Please try again in 80s"), 70 * time.Second},
		"seconds in a sentence":  {nil, openAI("rate_limit_exceeded", "Please try again in 61.054s. Visit"), 61054 * time.Millisecond},
		"minutes in a sentence":  {nil, openAI("rate_limit_exceeded", "Please try again in 6m0s."), 6 * time.Minute},
		"milliseconds in one":    {nil, openAI("rate_limit_exceeded", "Please try again in 70000ms."), 70 * time.Second},
		"of Azure":               {nil, openAI("429", "Please retry after 86 seconds."), 86 * time.Second},
		"of Google's details":    {nil, google(429, "RESOURCE_EXHAUSTED", "Please retry in 64.5s.", `{"retryDelay":"65s"}`), 65 * time.Second},
		"of Google's sentence":   {nil, google(429, "RESOURCE_EXHAUSTED", "Please retry in 64.5s.", ``), 64500 * time.Millisecond},
		"no tokens are left":     {map[string]string{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "1m3s"}, `{}`, 63 * time.Second},
		"too large":              {map[string]string{"Retry-After-Ms": "1e300"}, `{}`, 366 * 24 * time.Hour},
	} {
		p := &refusing{status: 429, header: tc.header, answer: tc.body}
		c := model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler), Retry: model.Retry{Total: time.Minute}}, chat.New())
		_, err := c.Stream(t.Context(), endpoint, asked, nil)
		if e := failure(t, err); e.RetryAfter != tc.want || len(p.sent) != 1 {
			t.Errorf("%s: %v after %d requests, want %v and one request", name, e.RetryAfter, len(p.sent), tc.want)
		}
	}
}

func TestAProviderCanForbidAnotherTry(t *testing.T) {
	p := &refusing{status: 503, header: map[string]string{"X-Should-Retry": "false"}, answer: `{}`}
	c := model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler)}, chat.New())
	if _, err := c.Stream(t.Context(), endpoint, asked, nil); err == nil || len(p.sent) != 1 {
		t.Errorf("%v after %d requests, want one", err, len(p.sent))
	}
	p = &refusing{status: 400, header: map[string]string{"X-Should-Retry": "true"}, answer: `{}`}
	c = model.New(model.Options{Transport: p, Logger: slog.New(slog.DiscardHandler)}, chat.New())
	if _, err := c.Stream(t.Context(), endpoint, asked, nil); err == nil || len(p.sent) != 1 {
		t.Errorf("%v after %d requests, want one: a 400 is not tried again", err, len(p.sent))
	}
}
