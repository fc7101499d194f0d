package session_test

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answered returns what the client was told until the session is idle.
func (s *seat) answered() []wire.Event {
	s.until("session.idle")
	return s.told
}

// userModels writes the user's file of models.
func userModels(t *testing.T, fsys vfs.FS, text string) {
	t.Helper()
	if err := fsys.MkdirAll("/home", 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile("/home/models.json", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// The limit of a prompt comes from the first source that knows it.
func TestWhereTheLimitOfAPromptComesFrom(t *testing.T) {
	fsys := vfs.NewMem()
	userModels(t, fsys, `{"models": [{"id": "mine", "contextTokens": 9000}, {"id": "listed", "promptTokens": 7000}]}`)
	openAI := provider.Provider{Model: "gpt-4.1", Endpoint: model.Endpoint{BaseURL: "https://api.openai.com/v1"}}
	bubble(t, &desk{fs: fsys, opts: registry.Options{Provider: openAI, Home: "/home"}}, func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"asked","max_model_len":40000},{"id":"gpt-5.5","max_model_len":50000}]}`, Repeat: true})
		var idea wire.Capabilities
		if err := recode(map[string]any{"limits": map[string]int{"max_prompt_tokens": 5000, "max_context_window_tokens": 6000}}, &idea); err != nil {
			t.Fatal(err)
		}
		for i, tc := range []struct {
			name string
			cfg  wire.Config
			want int64
		}{
			{"the catalogue", wire.Config{Model: "gpt-4.1"}, 1_047_576},
			{"the user's file", wire.Config{Model: "mine"}, 9000},
			{"the user's file, of the prompt", wire.Config{Model: "listed"}, 7000},
			{"the client's provider", wire.Config{Model: "gpt-4.1", Provider: &wire.Provider{BaseURL: "https://api.openai.com/v1", MaxPromptTokens: 4000}}, 4000},
			{"the client's own idea", wire.Config{Model: "mine", ModelCapabilities: &idea}, 5000},
			{"nothing", wire.Config{Model: "unknown"}, 128_000},
			{"a list that is not asked", wire.Config{Model: "asked"}, 128_000},
			{"the server itself, not the catalogue", wire.Config{Model: "gpt-5.5", Provider: &wire.Provider{BaseURL: "http://proxy.test/v1"}}, 50_000},
			{"the catalogue, of a model of another provider", wire.Config{Model: "gpt-5.5-2026-01-01", Provider: &wire.Provider{BaseURL: "http://proxy.test/v1"}}, 922_000},
		} {
			tc.cfg.SessionID = "s" + strconv.Itoa(i)
			s := d.create(tc.cfg)
			if got, err := s.s.Settings().Window(context.Background(), ""); err != nil || got.Tokens != tc.want {
				t.Errorf("%s: %d tokens, want %d (%v)", tc.name, got.Tokens, tc.want, err)
			}
		}
		if n := d.model.Listings(); n != 1 {
			t.Errorf("the lists were asked %d times, want 1: only that of the proxy", n)
		}
	})
}

// A provider of the process is asked for its list once if nothing else knows the model; one that
// does not answer delays the run by seconds, and only once.
func TestTheListOfTheProviderIsAskedForUnknownModels(t *testing.T) {
	local := provider.Provider{Model: "a", Lists: true, Endpoint: model.Endpoint{BaseURL: "http://local.test/v1"}}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: local}}, func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"a","max_model_len":40000},{"id":"gpt-5.5","max_model_len":50000}]}`, Repeat: true})
		for name, want := range map[string]int64{"a": 40_000, "gpt-5.5": 50_000, "b": 128_000} {
			s := d.create(wire.Config{SessionID: "s-" + name, Model: name})
			if got, err := s.s.Settings().Window(context.Background(), ""); err != nil || got.Tokens != want {
				t.Errorf("%s: %d tokens, want %d (%v)", name, got.Tokens, want, err)
			}
		}
		if n := d.model.Listings(); n != 1 {
			t.Errorf("the list was asked %d times, want 1", n)
		}
	})
	local.Endpoint.BaseURL = "http://silent.test/v1"
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: local}}, func(d *desk) {
		d.model.SetModels(modeltest.Silent())
		s := d.create(wire.Config{SessionID: "s1"})
		for range 2 {
			s.send("hello")
			s.until("session.idle")
		}
		if n := d.model.Listings(); n != 1 {
			t.Errorf("a silent list was asked %d times, want 1", n)
		}
		if e := last(t, s.told, "session.usage_info"); field(e, "tokenLimit") != "128000" {
			t.Errorf("the limit is %s", e.Data)
		}
	}, modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two"})
}

// A damaged file of the user fails the run and says where it is wrong.
func TestADamagedFileOfModelsFailsTheRun(t *testing.T) {
	fsys := vfs.NewMem()
	userModels(t, fsys, "{\"models\": [\n{\"id\": \"m\", \"contextToken\": 1}]}")
	bubble(t, &desk{fs: fsys, opts: registry.Options{Home: "/home"}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hello")
		s.until("session.idle")
		e := last(t, s.told, "session.error")
		for _, want := range []string{"/home/models.json", "line 2", "models[0] (m)", "contextToken"} {
			if !strings.Contains(string(e.Data), want) {
				t.Errorf("the error does not have %q: %s", want, e.Data)
			}
		}
		if n := len(d.model.Requests()); n != 0 {
			t.Errorf("%d calls were made", n)
		}
	})
}

// A call at a known price reports what it has cost, and the sums have it, too.
func TestCallsReportTheirCost(t *testing.T) {
	openAI := provider.Provider{Model: "gpt-4.1", Endpoint: model.Endpoint{BaseURL: "https://api.openai.com/v1"}}
	reply := modeltest.Reply{Text: "ok", Usage: &modeltest.Usage{Input: 1000, CacheRead: 400, Output: 100, Reasoning: 60}, Repeat: true}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: openAI}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		for range 2 {
			s.send("hello")
			s.until("session.idle")
		}
		const each = (600*2 + 400*0.5 + 100*8) / 1e6
		e := last(t, s.told, "assistant.usage")
		if cost, err := strconv.ParseFloat(field(e, "cost"), 64); err != nil || math.Abs(cost-each) > 1e-12 || field(e, "isByok") != "true" {
			t.Errorf("the call reports %s, want a cost of %g", e.Data, each)
		}
		u, err := s.s.Metrics().Usage(context.Background())
		m := u.ModelMetrics["gpt-4.1"]
		if err != nil || math.Abs(m.Requests.Cost-2*each) > 1e-12 || math.Abs(u.TotalPremiumRequestCost-2*each) > 1e-12 || wire.OrZero(m.Usage.ReasoningTokens) != 120 {
			t.Errorf("the sums are %+v, want a cost of %g (%v)", u, 2*each, err)
		}
		s = d.create(wire.Config{SessionID: "s2", Model: "unknown"})
		s.send("hello")
		s.until("session.idle")
		if e := last(t, s.told, "assistant.usage"); strings.Contains(string(e.Data), `"cost"`) {
			t.Errorf("the price of the model is not known, and the call reports %s", e.Data)
		}
	}, reply)
}

// A model that nothing knows has an assumed limit until its provider refuses a prompt and names the
// real one: that counts from then on, in every session.
func TestAnUnknownModelLearnsItsLimitFromItsProvider(t *testing.T) {
	refuses := false
	tooLong := modeltest.Failure(400, "", "This model's maximum context length is 9000 tokens. However, your messages resulted in 9100 tokens.")
	tooLong.When, tooLong.Repeat = func(r *modeltest.Request) bool { return refuses && longer(30_000)(r) }, true
	summary := modeltest.Reply{When: asksForSummary, Text: "<overview>It is about numbers.</overview>", Repeat: true}
	bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one " + strings.Repeat("x", 20_000))
		if e := last(t, s.answered(), "session.usage_info"); field(e, "tokenLimit") != "128000" {
			t.Errorf("the limit that is assumed is %s", e.Data)
		}
		refuses = true
		s.send("two " + strings.Repeat("y", 14_000))
		if e := last(t, s.answered(), "session.usage_info"); field(e, "tokenLimit") != "9000" || count(s.told, "session.error") != 0 {
			t.Errorf("the limit that was learnt is %s; received:\n%s", e.Data, types(s.told))
		}
		other := d.create(wire.Config{SessionID: "s2"})
		if got, err := other.s.Settings().Window(context.Background(), ""); err != nil || got.Tokens != 9000 {
			t.Errorf("in another session the limit is %d (%v), want 9000", got.Tokens, err)
		}
	}, summary, tooLong, modeltest.Reply{When: talks, Text: "ok", Repeat: true})
}
