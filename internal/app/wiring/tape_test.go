package wiring

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// A replay needs no key and no address: what the configuration lacks comes from the recording.
func TestTheProviderOfAReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	const recorded = `{"type":"recording","version":1}` + "\n" +
		`{"type":"call","model":{"baseUrl":"https://api.example"},"request":{"method":"GET","url":"https://api.example/models"},"failure":"x"}` + "\n" +
		`{"type":"call","model":{"name":"m","sent":"m-1","dialect":"anthropic","baseUrl":"https://api.example","copilot":true},"request":{"method":"POST","url":"https://api.example/v1"},"failure":"x"}` + "\n"
	if err := os.WriteFile(path, []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	player, err := tape.Open(tape.PlayerOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	missing := errors.New("no key")
	at := func(base string) model.Endpoint { return model.Endpoint{BaseURL: base, Dialect: chat.Name} }
	for _, tc := range []struct {
		name            string
		given           provider.Provider
		model, base, as string // as the model is sent
	}{
		{"nothing is configured", provider.Provider{Missing: missing}, "m", "https://api.example", "m-1"},
		{"another model is named", provider.Provider{Model: "other", Missing: missing}, "other", "https://api.example", ""},
		{"a provider without a key", provider.Provider{Model: "v:m", Missing: missing, Endpoint: at("https://vendor.example")}, "v:m", "https://vendor.example", ""},
		{"the Copilot API of another account", provider.Provider{Model: "m", Endpoint: model.Endpoint{BaseURL: "https://copilot.example", Copilot: true}}, "m", "https://api.example", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := replaying(tc.given, player)
			if p.Missing != nil || p.Model != tc.model || p.Endpoint.BaseURL != tc.base || p.Endpoint.WireModel != tc.as {
				t.Errorf("%+v", p)
			}
			if tc.given.Endpoint.Copilot && (p.Servers == nil || p.Servers(t.Context(), "token") != tc.given.Endpoint.BaseURL) {
				t.Error("other servers of the Copilot API are those of the recording")
			}
			if same := replaying(tc.given, nil); same.Missing != tc.given.Missing || same.Endpoint.BaseURL != tc.given.Endpoint.BaseURL {
				t.Errorf("without a replay: %+v", same)
			}
		})
	}
}
