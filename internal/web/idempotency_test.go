package web_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
)

const askHi = `{"messages":[{"role":"user","content":"Hi."}]}`

// failing is a model that cannot be reached.
var failing = modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}

// try posts a request to the model and returns the response, ids and times as they are.
func (p *process) try(ctx context.Context, body string, header ...string) (resp *http.Response, text string) {
	p.t.Helper()
	resp = p.post(ctx, "/v1/chat/completions", body, header...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp, string(data)
}

// create does what create() of an official OpenAI client does: it repeats a request
// twice, unless the answer says that this is of no use.
func (p *process) create(body string) (resp *http.Response, text string, requests int) {
	for requests = 1; ; requests++ {
		resp, text = p.try(p.t.Context(), body)
		again := resp.StatusCode == 408 || resp.StatusCode == 409 || resp.StatusCode == 429 || resp.StatusCode >= 500
		if said := resp.Header.Get("X-Should-Retry"); said != "" {
			again = said == "true"
		}
		if !again || requests == 3 {
			return resp, text, requests
		}
	}
}

// wantSessions checks how many sessions there are.
func (p *process) wantSessions(n int) {
	p.t.Helper()
	synctest.Wait()
	dirs, err := p.disk.ReadDir("/home/session-state")
	if err != nil || len(dirs) != n {
		p.t.Errorf("there are %d sessions, want %d (%v)", len(dirs), n, err)
	}
}

func TestAClientDoesNotRepeatARunThatHasActed(t *testing.T) {
	bubble(t, local, func(p *process) {
		resp, text, requests := p.create(askHi)
		if resp.StatusCode != http.StatusFailedDependency || requests != 1 || p.ran.String() != "view notes.md" {
			p.t.Errorf("%d requests led to %d, and ran %q", requests, resp.StatusCode, p.ran)
		}
		if !strings.Contains(text, "had used tools before") || !strings.Contains(text, `"type":"server_error"`) || resp.Header.Get("X-Should-Retry") != "false" {
			p.t.Errorf("the answer is %v %s", resp.Header, text)
		}
		p.wantSessions(1)
	}, call("c1", "view", `{"path":"notes.md"}`), failing)
}

func TestAClientRepeatsARunThatHasNotActed(t *testing.T) {
	bubble(t, local, func(p *process) {
		if resp, text, requests := p.create(askHi); resp.StatusCode != 200 || requests != 2 {
			p.t.Errorf("%d requests led to %d %s", requests, resp.StatusCode, text)
		}
	}, failing, says("Hello."))
}

func TestAKeyGivesTheSameAnswerAgain(t *testing.T) {
	for _, tc := range []struct {
		name    string
		replies []modeltest.Reply
		status  int
	}{
		{"an answer", []modeltest.Reply{says("Hello."), says("Another.")}, 200},
		{"a failure after an act", []modeltest.Reply{call("c1", "view", `{"path":"notes.md"}`), failing, says("Another.")}, 424},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				first, one := p.try(p.t.Context(), askHi, "Idempotency-Key", "k1")
				<-time.After(time.Hour - time.Second)
				_, two := p.try(p.t.Context(), askHi, "Idempotency-Key", "k1")
				if first.StatusCode != tc.status || one != two {
					p.t.Errorf("%d, first %s\nthen %s", first.StatusCode, one, two)
				}
				p.wantSessions(1)
				<-time.After(time.Second)
				if _, three := p.try(p.t.Context(), askHi, "Idempotency-Key", "k1"); !strings.Contains(three, "Another.") {
					p.t.Errorf("after an hour the answer is %s, want a new one", three)
				}
			}, tc.replies...)
		})
	}
}

func TestAKeyBelongsToItsCallerAndBody(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.try(p.t.Context(), askHi, "Idempotency-Key", "k1", "Authorization", "Bearer a")
		for _, tc := range []struct {
			name, body, key, caller string
			status                  int
			want                    string
		}{
			{"another caller", askHi, "k1", "Bearer b", 200, "Two."},
			{"another key", askHi, "k2", "Bearer a", 200, "Three."},
			{"another body", strings.Replace(askHi, "Hi.", "Ho.", 1), "k1", "Bearer a", 422, `"code":"idempotency_key_reused"`},
			{"no key in the header", askHi, "", "Bearer a", 400, "Idempotency-Key"},
			{"a long key", askHi, strings.Repeat("k", 256), "Bearer a", 400, "255"},
			{"the first once more", askHi, "k1", "Bearer a", 200, "One."},
		} {
			resp, text := p.try(p.t.Context(), tc.body, "Idempotency-Key", tc.key, "Authorization", tc.caller)
			if resp.StatusCode != tc.status || !strings.Contains(text, tc.want) {
				p.t.Errorf("%s: %d %s, want %d with %s", tc.name, resp.StatusCode, text, tc.status, tc.want)
			}
		}
	}, says("One."), says("Two."), says("Three."))
}

func TestAKeyJoinsTheRunUnderWay(t *testing.T) {
	bubble(t, local, func(p *process) {
		const ask = `{"stream":true,"messages":[{"role":"user","content":"Hi."}]}`
		answers := make(chan string)
		for range 2 {
			go func() {
				_, text := p.try(p.t.Context(), ask, "Idempotency-Key", "k1")
				answers <- text
			}()
			<-time.After(25 * time.Second) // the second comes in the middle of the answer
		}
		one, two := <-answers, <-answers
		_, three := p.try(p.t.Context(), ask, "Idempotency-Key", "k1")
		one = strings.ReplaceAll(one, ": working\n", "")
		for _, text := range []string{two, three} {
			if text = strings.ReplaceAll(text, ": working\n", ""); text != one || !strings.HasSuffix(text, "data: [DONE]\n\n") {
				p.t.Errorf("one answer is %s\nanother %s", one, text)
			}
		}
		p.wantSessions(1)
	}, modeltest.Reply{Text: "Hello there, you two.", Piece: 6, Gap: 10 * time.Second})
}

func TestARetryWithAKeyIsAnAttemptIfNothingHasActed(t *testing.T) {
	bubble(t, local, func(p *process) {
		for i, want := range []int{502, 200, 200} {
			if resp, text := p.try(p.t.Context(), askHi, "Idempotency-Key", "k1"); resp.StatusCode != want {
				p.t.Errorf("request %d: %d %s, want %d", i, resp.StatusCode, text, want)
			}
		}
		p.wantSessions(2)
	}, failing, says("Hello."))
}

// leaves sends a request with a key and closes the connection after a while.
func (p *process) leaves(after time.Duration) {
	ctx, cancel := context.WithTimeout(p.t.Context(), after)
	defer cancel()
	req := request(p.t, ctx, "/v1/chat/completions", askHi)
	req.Header.Set("Idempotency-Key", "k1")
	if resp, err := p.host.Transport().RoundTrip(req); err == nil {
		_ = resp.Body.Close() // the answer to a client that has left
	}
}

func TestARunWithAKeyWaitsForItsClientToComeBack(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.leaves(time.Minute)
		<-time.After(29 * time.Second)
		if resp, text := p.try(p.t.Context(), askHi, "Idempotency-Key", "k1"); resp.StatusCode != 200 || !strings.Contains(text, "Hello.") {
			p.t.Errorf("%d %s", resp.StatusCode, text)
		}
		p.wantSessions(1)
	}, modeltest.Reply{Text: "Hello.", Delay: 2 * time.Minute})
}

func TestARunWithAKeyEndsIfItsClientStaysAway(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.leaves(time.Minute)
		<-time.After(31 * time.Second)
		synctest.Wait()
		events := p.stored()
		if last := events[len(events)-1]; last.Type != "session.shutdown" {
			p.t.Errorf("the log ends with %s: the session is still there", last.Type)
		}
	}, modeltest.Silent())
}

func TestOneModel(t *testing.T) {
	bubble(t, web.Options{Loopback: true, Token: "secret"}, func(p *process) {
		for _, tc := range []struct {
			path, token string
			status      int
			want        string
		}{
			{"/v1/models", "secret", 200, `"data":[{"created":1735689600,"id":"sidestick","object":"model","owned_by":"sidestick"}]`},
			{"/v1/models/sidestick", "secret", 200, `{"created":1735689600,"id":"sidestick","object":"model","owned_by":"sidestick"}`},
			{"/v1/models/gpt-4", "secret", 404, `"code":"model_not_found","message":"there is no model \"gpt-4\" here: sidestick is the only one","param":"model","type":"invalid_request_error"`},
			{"/v1/models/a/b", "secret", 404, `there is no model \"a/b\" here`},
			{"/v1/models/sidestick", "guess", 401, `"type":"authentication_error"`},
		} {
			req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://localhost"+tc.path, http.NoBody)
			if err != nil {
				p.t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+tc.token)
			resp, err := p.host.Transport().RoundTrip(req)
			if err != nil {
				p.t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.StatusCode != tc.status || !strings.Contains(string(text), tc.want) {
				p.t.Errorf("GET %s: %d %s, want %d with %s (%v)", tc.path, resp.StatusCode, text, tc.status, tc.want, err)
			}
		}
	})
}
