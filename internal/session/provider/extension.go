package provider

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// providerExtension is the type of a client's provider that is a Copilot Extensions
// agent.
const providerExtension = "extension"

// ExtensionOf is the name of the Copilot Extensions agent that a session's model is, ""
// if it is a model.
func ExtensionOf(name string, p Provider) string {
	switch {
	case state.IsExtension(name):
		return name
	case p.Endpoint.Dialect == extensions.Name, name == "" && state.IsExtension(p.Model):
		return p.Model
	}
	return ""
}

// extensionEndpoint is where the calls of a run go if its model is a Copilot Extensions
// agent; ok is false if it is not. The address that the process was started with may be
// private, whichever client names it.
func (m *Models) extensionEndpoint(c Choice) (e Endpoint, ok bool) {
	name := ExtensionOf(c.Model, c.Provider)
	address, ok := extensions.Address(name)
	if !ok {
		return e, false
	}
	e = Endpoint{client: m.client, At: c.Provider.Endpoint, Model: name, situate: c.Situate}
	if e.At.Dialect != extensions.Name || address != e.At.BaseURL { // no credential of the provider is for it
		e.At = model.Endpoint{Dialect: extensions.Name, BaseURL: address}
		if name == m.home.Default.Model {
			e.At.BearerToken = m.home.Default.AgentToken
		}
	}
	e.At.PublicOnly = e.At.PublicOnly || c.Remote && name != m.home.Default.Model
	return e, true
}

// IsExtension reports whether a Copilot Extensions agent is called, and no model.
func (e Endpoint) IsExtension() bool { return e.At.Dialect == extensions.Name }

// CheckModel refuses the name of a model that the user's configuration has no server for: that of a Copilot
// Extensions agent that cannot be called, and one that was meant to name a provider and names none. brought
// says that a client brings the provider of the model, so that only an agent is checked.
func (m *Models) CheckModel(name string, remote, brought bool) error {
	if address, ok := extensions.Address(name); ok {
		return extensions.CheckAddress(address, remote && name != m.home.Default.Model)
	}
	if p, ok := m.Named(name); ok && p.Vendor == "" && !brought {
		return p.Missing
	}
	return nil
}

// checkExtension is Check for a Copilot Extensions agent.
func checkExtension(p *wire.Provider, remote bool, invalid func(string, ...any) error) error {
	if p.APIKey != "" || p.HasTokenSource {
		return invalid(`an agent takes no apiKey and no token callback: bearerToken is sent to it as X-GitHub-Token, and headers as they are`)
	}
	if err := extensions.CheckAddress(p.BaseURL, remote); err != nil {
		return invalid("the provider's baseUrl: %w", err)
	}
	return nil
}
