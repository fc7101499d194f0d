package wiring

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// Provider is the provider of sessions that bring none of their own. If none is
// configured, its Missing says how to configure one. stored has the keys that the environment
// does not have.
func Provider(cfg config.Config, stored *keys.Store) provider.Provider {
	p := cfg.Provider()
	made := provider.Provider{Model: p.Model, AgentToken: string(cfg.AgentToken.Value)}
	made.Endpoint = model.Endpoint{
		BaseURL: p.BaseURL, BearerToken: string(p.Key), UserAgent: provider.UserAgent(cli.Version(), ""), IntegrationID: "sidestick",
		Keys: keysOf(p, stored), Owner: model.OfEnvironment, AddressOwner: addressOwner(p),
	}
	switch p.Kind {
	case config.OpenAI:
		made.Lists = true
	case config.Vendor:
		return vendorOf(cfg, p, stored)
	case config.Copilot:
		return Copilot(cfg)
	case config.None:
		made.Model, made.Endpoint = AgentModel(p), model.Endpoint{}
		made.Missing = &fault.Error{Op: "model", Kind: fault.Invalid, Err: errors.New(cfg.NoModelHelp())}
	}
	return made
}

// addressOwner returns the owner of the secrets that the address of a provider may contain: the environment, unless
// the address is in a settings file or in the name of a model, which may be in such a file. Keys themselves are in no
// settings file.
func addressOwner(p config.Provider) model.Owner {
	if strings.HasPrefix(p.From, "env ") || strings.HasPrefix(p.From, "flag ") {
		return model.OfEnvironment
	}
	return model.OfMachine
}

// vendorOf is the provider that the name of a model has.
func vendorOf(cfg config.Config, p config.Provider, stored *keys.Store) provider.Provider {
	made := provider.Provider{Model: p.Model, Named: true, Vendor: p.Vendor, Lists: true, Missing: p.Missing, Endpoint: model.Endpoint{
		Dialect: p.Dialect, BaseURL: p.BaseURL, APIKey: string(p.Key), WireModel: p.WireModel, UserAgent: provider.UserAgent(cli.Version(), ""),
		BearerToken: string(p.Azure.Token), Azure: model.Azure{Resource: p.Azure.Resource, APIVersion: p.Azure.APIVersion},
		AWS:  model.AWS{Region: p.AWS.Region, KeyID: p.AWS.KeyID, Secret: string(p.AWS.Secret), SessionToken: string(p.AWS.Session)},
		Keys: keysOf(p, stored), Owner: model.OfEnvironment, AddressOwner: addressOwner(p),
	}}
	if p.Dialect == ollama.Name {
		made.Endpoint.MaxPromptTokens = cmp.Or(p.Window, ollama.Window)
		made.ContextTokens, made.ContextFrom = int64(made.Endpoint.MaxPromptTokens), provider.WindowRequested
		if p.Window > 0 {
			made.ContextFrom = cfg.Clouds.OllamaWindow.From
		}
	}
	return made
}

// named returns what finds the provider that the name of a model has.
func named(cfg config.Config, stored *keys.Store, player *tape.Player) func(string) (provider.Provider, bool) {
	return func(name string) (provider.Provider, bool) {
		p, ok := cfg.Named(name)
		if !ok {
			return provider.Provider{}, false
		}
		made := vendorOf(cfg, p, stored)
		made.Missing = missing(p, stored)
		return replaying(made, player), true
	}
}

// Copilot is the Copilot API as the provider of a session, with the GitHub token of the
// configuration, which may be empty.
func Copilot(cfg config.Config) provider.Provider {
	p := cfg.Copilot()
	made := provider.Provider{Model: p.Model, AgentToken: string(cfg.AgentToken.Value), Endpoint: model.Endpoint{
		BaseURL: p.BaseURL, BearerToken: string(p.Key), UserAgent: provider.UserAgent(cli.Version(), ""), IntegrationID: "sidestick", Copilot: true,
		Owner: model.OfEnvironment, AddressOwner: addressOwner(p),
	}}
	if p.Anywhere {
		made.Locate = newCopilotAddresses(cfg.GitHubAPI.Value, p.BaseURL, HTTPClient(cfg)).of
	}
	return made
}

// identity is what the server tells clients about the GitHub account.
func identity(cfg config.Config) *server.Identity {
	i := &server.Identity{
		Token: string(cfg.GitHubToken.Value), TokenFrom: cfg.GitHubToken.From, API: cfg.GitHubAPI.Value,
	}
	p := cfg.Provider()
	if address, ok := extensions.Address(p.Model); ok {
		i.ProviderURL = address
	} else if p.Kind == config.OpenAI {
		i.ProviderURL = p.BaseURL
	}
	return i
}

// AgentModel is the configured model if that is a Copilot Extensions agent, else "".
func AgentModel(p config.Provider) string {
	if _, ok := extensions.Address(p.Model); ok {
		return p.Model
	}
	return ""
}

// CheckAgentModel refuses an agent whose address may not be called. It calls nothing.
func CheckAgentModel(cfg config.Config) error {
	address, ok := extensions.Address(cfg.Provider().Model)
	if !ok {
		return nil
	}
	if err := extensions.CheckAddress(address, false); err != nil {
		return cli.NewUsageError(fmt.Errorf("%s: %s", cfg.Model.From, fault.Message(err)))
	}
	return nil
}

// checkFallback refuses a fallback list with a model that could not be called, such as one of a
// provider without a key. It calls nothing.
func checkFallback(cfg config.Config, sys cli.System, secrets *obs.Redactor) error {
	stored := Keys(cfg, sys, secrets)
	defer stored.Close()
	for _, name := range cfg.FallbackModels() {
		p, ok := cfg.Named(name)
		if !ok {
			continue
		}
		if err := missing(p, stored); err != nil {
			return cli.NewUsageError(fmt.Errorf("%s: %s", cfg.Fallback.From, fault.Message(err)))
		}
	}
	return nil
}
