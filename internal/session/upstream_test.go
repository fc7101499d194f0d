package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// upstream is a provider in one dialect, and a fake of its vendor.
type upstream struct {
	name     string
	vendor   strict.Vendor
	endpoint model.Endpoint
	model    string
	whole    bool // it is asked for whole answers in sessions without streaming
}

var upstreams = []upstream{
	{"chat completions of a vendor", strict.Chat, model.Endpoint{BaseURL: "https://api.openai.com/v1", Dialect: chat.Name}, "gpt-5.1", false},
	{"chat completions elsewhere", strict.Chat, model.Endpoint{BaseURL: "http://model.test/v1"}, "gpt-5.1", true},
	{"the Copilot API", strict.Chat, model.Endpoint{BaseURL: "https://api.openai.com/v1", Dialect: chat.Name, Copilot: true}, "gpt-5.1", true},
	{"Responses", strict.Responses, model.Endpoint{BaseURL: "http://model.test/v1", Dialect: responses.Name}, "gpt-6.2-sol", false},
	{"Anthropic", strict.Anthropic, model.Endpoint{BaseURL: "http://model.test", Dialect: anthropic.Name}, "claude-opus-5-5", false},
	{"Gemini", strict.Gemini, model.Endpoint{BaseURL: "http://model.test/v1beta", Dialect: gemini.Name}, "gemini-3.8-flash", false},
	{"Bedrock", strict.Bedrock, model.Endpoint{BaseURL: "http://model.test", Dialect: bedrock.Name}, "us.anthropic.claude-opus-5-5", false},
	{"Ollama", strict.Ollama, model.Endpoint{BaseURL: "http://model.test", Dialect: ollama.Name}, "qwen3.5", false},
}

// at runs a test with the provider, whose fake answers as the script says.
func (u upstream) at(t *testing.T, f func(d *desk, fake *strict.Server), script ...strict.Reply) {
	u.endpoint.APIKey = strict.Key
	var fake *strict.Server
	d := &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: provider.Provider{Endpoint: u.endpoint, Model: u.model}}}
	d.calls = roundTrip(func(r *http.Request) (*http.Response, error) { return fake.Transport().RoundTrip(r) })
	bubble(t, d, func(d *desk) {
		fake = strict.New(u.vendor, script...)
		defer fake.Close()
		f(d, fake)
		if refused := fake.Refused(); len(refused) > 0 {
			t.Errorf("the fake refused: %s", strings.Join(refused, "\n"))
		}
	})
}

// quiet is a session whose client gets no pieces of answers.
func quiet() wire.Config {
	cfg := tools()
	cfg.Streaming = new(false)
	return cfg
}

// A provider is asked for a stream also where the client wants whole answers, but for the two places
// that docs/models.md names. The client gets no pieces.
func TestAProviderIsAskedForAStreamAlsoForWholeAnswers(t *testing.T) {
	for _, u := range upstreams {
		t.Run(u.name, func(t *testing.T) {
			u.at(t, func(d *desk, fake *strict.Server) {
				s := d.create(quiet())
				s.send("Hello")
				s.until("session.idle")
				events := s.rest()
				if got := field(last(t, events, "assistant.message"), "content"); got != "Hello." || count(events, "assistant.message_delta") != 0 {
					t.Errorf("the answer is %q:\n%s", got, types(events))
				}
				for _, r := range fake.Requests() {
					if r.Stream == u.whole {
						t.Errorf("a stream was asked for: %v, want %v (%s)", r.Stream, !u.whole, r.Path)
					}
				}
			}, strict.Say("Hello."))
		})
	}
}

// An answer that breaks off has cost what came of it, also where no client sees the pieces: the
// client learns of it, and it is asked for again three times at most.
func TestAWholeAnswerThatBreaksOffIsCountedAndReported(t *testing.T) {
	cut := strict.Say("This is a long answer, which will be cut before its end is reached.")
	cut.CutAfter = 8
	for _, u := range upstreams {
		if u.whole {
			continue
		}
		t.Run(u.name, func(t *testing.T) {
			u.at(t, func(d *desk, fake *strict.Server) {
				s := d.create(quiet())
				s.send("Hello")
				s.until("session.idle")
				events := s.rest()
				if n := count(events, "assistant.turn_retry"); n != 3 || count(events, "session.error") != 1 || fake.Left() != 1 {
					t.Errorf("%d retries, and %d replies are left, want 3 and 1:\n%s", n, fake.Left(), types(events))
				}
			}, cut, cut, cut, cut, strict.Say("Hello."))
		})
	}
}

// A vendor whose own limit of answers is low gets the limit of the catalogue.
func TestALowLimitOfAVendorIsRaised(t *testing.T) {
	u := upstream{"", strict.Chat, model.Endpoint{BaseURL: "https://api.deepseek.com", Dialect: chat.Name}, "deepseek-v4-pro", false}
	u.at(t, func(d *desk, fake *strict.Server) {
		s := d.create(quiet())
		s.send("Hello")
		s.until("session.idle")
		if body := fake.Requests()[0].Body; !strings.Contains(body, `"max_tokens":384000`) {
			t.Errorf("the limit is not raised: %s", body)
		}
	}, strict.Say("Hello."))
}
