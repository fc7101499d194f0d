package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// far finds the provider of names such as "far:m".
func far(name string) (provider.Provider, bool) {
	bare, ok := strings.CutPrefix(name, "far:")
	return provider.Provider{Model: name, Named: true, Endpoint: model.Endpoint{BaseURL: "http://far.test/v1", WireModel: bare}}, ok
}

// A name with a provider goes there, and a plain name to the provider of the process; a client
// that brings a provider has its own names.
func TestTheNameOfAModelMayNameItsProvider(t *testing.T) {
	own := provider.Provider{Model: "far:usual", Named: true, Endpoint: model.Endpoint{BaseURL: "http://far.test/v1", WireModel: "usual"}}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Named: far, Provider: own}}, func(d *desk) {
		for _, tc := range []struct {
			cfg             wire.Config
			model           string
			address, called string // of the provider, and the name that it gets; "" for the name as it is
		}{
			{wire.Config{SessionID: "s1"}, "", "http://far.test/v1", "usual"},
			{wire.Config{SessionID: "s2"}, "far:other", "http://far.test/v1", "other"},
			{wire.Config{SessionID: "s3"}, "plain", "http://far.test/v1", ""},
			{wire.Config{SessionID: "s4", Provider: &wire.Provider{BaseURL: "http://client.test/v1"}}, "far:other", "http://client.test/v1", ""},
		} {
			c := d.create(tc.cfg)
			p, err := c.s.Settings().ProviderOf(context.Background(), tc.model)
			if err != nil || p.Endpoint.BaseURL != tc.address || p.Endpoint.WireModel != tc.called {
				t.Errorf("%q goes to %s as %q, want %s as %q (%v)", tc.model, p.Endpoint.BaseURL, p.Endpoint.WireModel, tc.address, tc.called, err)
			}
		}
		synctest.Wait()
	})
}

// The type of a client's provider chooses the dialect, and what only that type has.
func TestTheTypeOfAProvider(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
		for _, tc := range []struct {
			provider wire.Provider
			dialect  string
			azure    model.Azure
			window   int64
		}{
			{wire.Provider{}, chat.Name, model.Azure{}, 0},
			{wire.Provider{Type: "openai", WireAPI: "responses", MaxPromptTokens: 9000}, responses.Name, model.Azure{}, 9000},
			{wire.Provider{WireAPI: "responses", Transport: "websockets"}, responses.Name, model.Azure{}, 0},
			{wire.Provider{Type: "anthropic", WireAPI: "responses"}, anthropic.Name, model.Azure{}, 0},
			{wire.Provider{Type: "azure"}, chat.Name, model.Azure{Resource: true}, 0},
			{wire.Provider{Type: "azure", WireAPI: "responses", Azure: wire.AzureProvider{APIVersion: "2025-04-01-preview"}}, responses.Name, model.Azure{Resource: true, APIVersion: "2025-04-01-preview"}, 0},
			{wire.Provider{Type: "gemini"}, gemini.Name, model.Azure{}, 0},
			{wire.Provider{Type: "bedrock"}, bedrock.Name, model.Azure{}, 0},
			{wire.Provider{Type: "ollama"}, ollama.Name, model.Azure{}, ollama.Window},
			{wire.Provider{Type: "ollama", MaxPromptTokens: 9000}, ollama.Name, model.Azure{}, 9000},
		} {
			tc.provider.BaseURL, tc.provider.ModelID, tc.provider.APIKey = "http://client.test", "m", "k"
			c := d.create(wire.Config{Provider: &tc.provider})
			p, err := c.s.Settings().ProviderOf(context.Background(), "m")
			if e := p.Endpoint; err != nil || e.Dialect != tc.dialect || e.Azure != tc.azure || p.ContextTokens != tc.window || e.APIKey != "k" || e.WebSocket != (tc.provider.Transport != "") {
				t.Errorf("%+v is called as %+v with a window of %d (%v)", tc.provider, e, p.ContextTokens, err)
			}
		}
		synctest.Wait()
	})
}
