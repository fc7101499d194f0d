package provider

import (
	"cmp"
	"context"
	"net/url"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// For returns where a session's model calls go: what the client brings,
// else what the process was configured with, under the client's GitHub token if
// it gave one.
func (m *Models) For(cfg wire.Config) Provider {
	p := cfg.Provider
	if p == nil {
		own := m.home.Default
		if cfg.GitHubToken != "" {
			own = m.WithGitHubToken(cfg.GitHubToken, model.Owner(cfg.TokenBy))
			if own.Endpoint.Copilot {
				own.Endpoint.Token = cfg.GitHubTokens
			}
		}
		own.Endpoint.UserAgent = UserAgent(m.home.Version, cfg.ClientName)
		own.NoWebSockets = cfg.Capi.WebSockets != nil && !*cfg.Capi.WebSockets
		return own
	}
	if p.Type == providerExtension {
		return Provider{Model: extensions.ModelName(p.BaseURL), Endpoint: model.Endpoint{
			Dialect: extensions.Name, BaseURL: p.BaseURL, BearerToken: p.BearerToken, Headers: p.Headers, PublicOnly: cfg.Remote, Owner: model.Owner(cfg.By), AddressOwner: model.Owner(cfg.By),
		}}
	}
	return fromRecording(p, Provider{
		Model: p.ModelID, ByID: p.ModelID != "" && p.WireModel == "",
		Endpoint: model.Endpoint{
			Owner: model.Owner(cfg.By), AddressOwner: model.Owner(cfg.By),
			Dialect: dialectOf(p), BaseURL: p.BaseURL, APIKey: p.APIKey, BearerToken: p.BearerToken, Headers: p.Headers,
			WireModel: cmp.Or(p.WireModel, p.ModelID), UserAgent: UserAgent(m.home.Version, cfg.ClientName),
			MaxPromptTokens: p.MaxPromptTokens, MaxOutputTokens: p.MaxOutputTokens,
			WebSocket: p.Transport == overWebSockets,
			Azure:     model.Azure{Resource: p.Type == providerAzure, APIVersion: p.Azure.APIVersion},
			Keys:      m.keysFor(p, cfg.Remote),
		},
		ContextTokens: windowOf(p), WindowTokens: int64(p.MaxWindowTokens), ContextFrom: windowFrom(p),
	})
}

// keysFor returns what finds the key of a client's provider, nil if the client brings credentials,
// or is on another machine.
func (m *Models) keysFor(p *wire.Provider, remote bool) func(context.Context, string) (string, error) {
	if m.home.KeysAt == nil || remote || p.APIKey != "" || p.BearerToken != "" || p.HasTokenSource || len(p.Headers) > 0 {
		return nil
	}
	return m.home.KeysAt(p.BaseURL)
}

// Check refuses what this version cannot call, when the session is
// configured rather than at its first message.
func Check(p *wire.Provider, remote bool, invalid func(string, ...any) error) error {
	if p == nil {
		return nil
	}
	if p.Type == providerExtension {
		return checkExtension(p, remote, invalid)
	}
	switch {
	case !knownType(p.Type):
		return invalid("provider type %q is not known; there are %q, %q, %q, %q, %q, %q, and %q for Copilot Extensions agents",
			p.Type, providerOpenAI, providerAzure, providerAnthropic, providerGemini, providerBedrock, providerOllama, providerExtension)
	case p.Transport != "" && p.Transport != "http" && p.Transport != overWebSockets:
		return invalid("provider transport %q is not known; use %q or %q", p.Transport, "http", overWebSockets)
	case p.Transport == overWebSockets && dialectOf(p) != responses.Name:
		return invalid("provider transport %q needs wireApi %q", overWebSockets, wireResponses)
	case p.Azure.APIVersion != "" && p.Type != providerAzure:
		return invalid("azure.apiVersion is for providers of the type %q; this one has the type %q", providerAzure, cmp.Or(p.Type, providerOpenAI))
	case p.WireAPI != "" && p.WireAPI != wireCompletions && p.WireAPI != wireResponses:
		return invalid("provider wireApi %q is not known; use %q or %q", p.WireAPI, wireCompletions, wireResponses)
	}
	return checkAddress(p, invalid)
}

// checkAddress refuses a provider without a usable base URL.
func checkAddress(p *wire.Provider, invalid func(string, ...any) error) error {
	u, err := url.Parse(p.BaseURL)
	switch {
	case p.BaseURL == "":
		return invalid("the provider has no baseUrl")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("the provider's baseUrl %q is not an http or https URL", p.BaseURL)
	}
	return nil
}

// OpenRecording opens the recording that the provider of a client names, and returns the configuration with it.
// Settings that the provider leaves out are those with which the calls were recorded. The error is
// [fault.Invalid]; a configuration that names no recording is returned as it is.
func OpenRecording(cfg wire.Config, fs vfs.FS, secrets *obs.Redactor) (wire.Config, error) {
	if cfg.Provider == nil || cfg.Provider.Replay == "" && !cfg.Provider.ReplayTools {
		return cfg, nil
	}
	invalid := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "session", cfg.SessionID, "provider.replay: "+format, args...)
	}
	p := *cfg.Provider
	switch {
	case p.Replay == "":
		return cfg, invalid("replayTools is set, and no recording is named")
	case cfg.Remote:
		return cfg, invalid("a client on another machine cannot have this one read a file; start the server with --replay FILE")
	case p.Type == providerExtension:
		return cfg, invalid("it does not work for Copilot Extensions agents; start the program with --replay FILE")
	case !filepath.IsAbs(p.Replay):
		return cfg, invalid("%q is not an absolute path", fault.Bounded(p.Replay))
	}
	player, err := tape.Open(tape.PlayerOptions{Path: p.Replay, Tools: p.ReplayTools, Secrets: secrets, FS: fs})
	if err != nil {
		return cfg, invalid("%s: %s", p.Replay, fault.Message(err))
	}
	p.Recording = player
	if ep, name, ok := player.Endpoint(); ok {
		if ep.Dialect == extensions.Name && p.Type == "" && p.WireAPI == "" { // which the player would not carry
			return cfg, invalid("%s is a recording of a Copilot Extensions agent; start the program with --replay FILE", p.Replay)
		}
		if p.BaseURL == "" {
			p.BaseURL = ep.BaseURL
		}
		if p.ModelID == "" && cfg.Model == "" {
			p.ModelID, p.WireModel = name, ep.WireModel
		}
	}
	cfg.Provider = &p
	return cfg, nil
}

// fromRecording has a provider answered from the recording that its client has named. Without a
// type, it speaks the dialect of the recording.
func fromRecording(p *wire.Provider, made Provider) Provider {
	player, ok := p.Recording.(*tape.Player)
	if !ok {
		return made
	}
	made.Endpoint.Transport, made.Endpoint.Keys = player, nil
	if ep, _, ok := player.Endpoint(); ok && p.Type == "" && p.WireAPI == "" {
		made.Endpoint.Dialect, made.Endpoint.Copilot = ep.Dialect, ep.Copilot
	}
	return made
}

// AddSecrets adds the credentials of the providers of a configuration to those that are kept out of events.
func (m *Models) AddSecrets(cfg wire.Config, to *obs.Redactor) {
	add := func(p *wire.Provider) {
		ep := m.For(wire.Config{Provider: p}).Endpoint
		ep.AddSecrets(to)
	}
	if cfg.Provider != nil {
		add(cfg.Provider)
	}
	for i := range cfg.Providers {
		add(&cfg.Providers[i].Provider)
	}
}
