package session_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The size of the context window, which decides when a conversation is summarised, is what
// the client says, then what the provider's list says about the model, then a default.
func TestTheWindowIsThatOfTheModel(t *testing.T) {
	for _, tc := range []struct {
		name, listed, override, want string
	}{
		{"unknown", `{}`, `{}`, "128000"},
		{"listed", `{"max_context_window_tokens":9000}`, `{}`, "9000"},
		{"listed, of which a part is for the answer", `{"max_context_window_tokens":9000,"max_prompt_tokens":7000}`, `{}`, "7000"},
		{"the client's", `{"max_prompt_tokens":7000}`, `{"limits":{"max_context_window_tokens":5000}}`, "5000"},
		{"the client's, of which a part is for the answer", `{}`, `{"limits":{"max_context_window_tokens":5000,"max_prompt_tokens":4000}}`, "4000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.stop()
				d.start(registry.Options{Provider: provider.Provider{Endpoint: model.Endpoint{Copilot: true, BaseURL: "http://copilot.test"}}})
				d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"m","capabilities":{"limits":` + tc.listed + `}}]}`})
				cfg := brief
				if err := json.Unmarshal([]byte(tc.override), &cfg.ModelCapabilities); err != nil {
					t.Fatal(err)
				}
				s := d.create(cfg)
				s.talk("go")
				if got := field(last(t, s.told, "session.usage_info"), "tokenLimit"); got != tc.want {
					t.Errorf("the window has %s tokens, want %s", got, tc.want)
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// A client chooses at which shares of the window a conversation is summarised, or that it
// is not.
func TestAClientChoosesWhenItIsSummarised(t *testing.T) {
	no := false
	for _, tc := range []struct {
		name   string
		limits wire.InfiniteSessions
		begins string // the share of the window that a compaction begins at, in tenths
	}{
		{"by default", wire.InfiniteSessions{}, "8"},
		{"earlier", wire.InfiniteSessions{Background: 0.35}, "3"},
		{"before a call, earlier", wire.InfiniteSessions{Exhaustion: 0.35}, "3"},
		{"never", wire.InfiniteSessions{Enabled: &no}, "never"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			narrow(t, func(d *desk) {
				cfg := small(wire.Config{InfiniteSessions: &tc.limits})
				s, got := d.create(cfg), "never"
				for range 20 {
					s.talk("more")
					if s.rest(); count(s.told, "session.compaction_start") == 0 {
						continue
					}
					var started struct{ CurrentTokens, TokenLimit int }
					if err := json.Unmarshal(last(t, s.told, "session.compaction_start").Data, &started); err != nil {
						t.Fatal(err)
					}
					got = fmt.Sprint(10 * started.CurrentTokens / started.TokenLimit)
					break
				}
				if got != tc.begins {
					t.Errorf("the first compaction began at %s tenths of the window, want %s", got, tc.begins)
				}
			}, summaries(300, modeltest.Reply{Text: overview})...)
		})
	}
}
