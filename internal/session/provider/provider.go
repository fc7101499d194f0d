// Package provider decides where the calls of a session's models go, and what is known of the models there.
//
// A process has one [Models], which New makes of a client of models, of the [Facts] that all its calls have
// shown, and of what the user has configured ([Home]). [Models.For] is the provider of a session by what its
// client brings, a [Set] is all providers of one session, and [Models.Of] finds the one for the name of a model
// among them. [Models.Resolve] makes an [Endpoint] of a [Choice] when a run begins: that makes the calls, and
// says how long a prompt may be, what the model accepts, and how many tokens a call takes at most.
//
// The package knows no session: what clients have brought, and whether a model may be called at all, is
// decided by package session.
package provider

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// Provider is where a session's model calls go.
type Provider struct {
	Endpoint model.Endpoint
	// Model is the name to use when the session names none; empty: the first
	// that the endpoint lists.
	Model string
	// Named says that Model names the provider, too, and that Endpoint.WireModel is the
	// model's own name. Other models of a session are sent by their names.
	Named bool
	// ByID says that Endpoint.WireModel is the modelId of a client's provider, which stands for the model that the client
	// has named with it and for those of agents, but not for one to which the session was switched later.
	ByID bool
	// DisplayName is the name of Model for users; "" if it has no other one.
	DisplayName string
	// AgentToken is the GitHub token that is sent to Model, and nowhere else, if that
	// is an agent; empty: none is sent. It is used only in the provider of a process; the
	// provider of a client has its token in Endpoint.
	AgentToken string
	// Locate returns the address for a token, in place of that of Endpoint. It may ask
	// GitHub's API, for some seconds. nil: Endpoint has the address.
	Locate func(ctx context.Context, token string) string
	// Servers returns the address of the servers of the Copilot API that are called besides the models,
	// if Endpoint and Locate have that of a recording; nil: they have it.
	Servers func(ctx context.Context, token string) string
	// ContextTokens is how many tokens a prompt may have, 0 if not configured, and ContextFrom where that comes
	// from, in words; "" is the client. With [WindowRequested] the server may have less.
	ContextTokens int64
	ContextFrom   string
	// WindowTokens is the window of which ContextTokens is the part for the prompt; 0 is not known.
	WindowTokens int64
	// Vendor is the name by which models name the provider, as "ollama"; "" if they do not.
	Vendor string
	// Lists says that the provider may be asked for its list of models for the limits of a model.
	Lists bool
	// NoWebSockets calls the models of the Copilot API over HTTP only.
	NoWebSockets bool
	// Missing is why there is no provider; nil if there is one.
	Missing error
}

// Located returns the provider with the address of its account.
func (p Provider) Located(ctx context.Context) Provider {
	if p.Locate != nil && p.Missing == nil {
		token := p.Endpoint.BearerToken
		if p.Endpoint.Token != nil {
			if now, err := p.Endpoint.Token(ctx); err == nil { // else the call of the model fails, and says why
				token = now
			}
		}
		p.Endpoint.BaseURL, p.Locate = p.Locate(ctx, token), nil
	}
	return p
}

// Replayed reports whether the client has named a recording that answers the calls of the provider,
// whose address may be that of the recording.
func (p Provider) Replayed() bool {
	_, ok := p.Endpoint.Transport.(*tape.Player)
	return ok
}

// Home is what the user has configured about the providers of all sessions of a process.
type Home struct {
	// Version is that of this program, which every call names.
	Version string
	// Default is used by sessions that bring no provider.
	Default Provider
	// Copilot is the Copilot API, for sessions that bring a GitHub token if Default is missing. The zero value:
	// there is none for them.
	Copilot Provider
	// Named returns the provider that the name of a model has; false for other names. nil: no name has one.
	Named func(model string) (Provider, bool)
	// Fallback are the models that take over, for sessions that give no list and bring no provider.
	Fallback []string
	// KeysAt returns what finds the key for the address of a client's provider that has no credential, nil if
	// no key is kept for any. It is optional, and not called for clients on other machines.
	KeysAt func(address string) func(ctx context.Context, refused string) (string, error)
	// NoWebSockets has models of the Copilot API called over HTTP only.
	NoWebSockets bool
}

// Models finds where the calls of models go. It is safe for concurrent use.
type Models struct {
	client *model.Client
	facts  *Facts
	home   Home
}

// New returns the models of a process. facts must not be nil, and may be shared.
func New(client *model.Client, facts *Facts, home Home) *Models {
	return &Models{client: client, facts: facts, home: home}
}

// WithGitHubToken returns the provider of the process for a client that brings a GitHub token:
// the Copilot API with that token, unless the process has another provider. owner has brought the token.
func (m *Models) WithGitHubToken(token string, owner model.Owner) Provider {
	p := m.home.Default
	if p.Missing != nil && m.home.Copilot.Endpoint.Copilot {
		p = m.home.Copilot
	}
	if p.Endpoint.Copilot {
		p.Endpoint.BearerToken, p.Endpoint.Owner = token, owner
	}
	return p
}

// UserAgent names the client, if it has a name, this program, and the protocol.
func UserAgent(version, client string) string {
	ua := "sidestick/" + version + " (works with the GitHub Copilot SDKs)"
	if client != "" {
		ua = client + " " + ua
	}
	return ua
}

// named returns the provider that the name of a model has, as a client sees it; false if the name has none.
func (m *Models) named(name, clientName string) (p Provider, ok bool) {
	if m.home.Named == nil {
		return p, false
	}
	if p, ok = m.home.Named(name); ok {
		p.Endpoint.UserAgent = UserAgent(m.home.Version, clientName)
	}
	return p, ok
}

// Named returns the provider that the name of a model has by itself, whichever the session has; false if
// the name has none.
func (m *Models) Named(name string) (Provider, bool) { return m.named(name, "") }

// Elsewhere returns the address that the calls of a model go to because of its name, in a session whose
// provider is own; "" if they go to that, or if the user has configured the model.
func (m *Models) Elsewhere(own Provider, name string) string {
	if name == "" || name == m.home.Default.Model || slices.Contains(m.home.Fallback, name) {
		return ""
	}
	if address := state.ExtensionAddress(name); address != "" {
		return address
	}
	p, ok := m.Named(name)
	if !ok || p.Endpoint.BaseURL == own.Endpoint.BaseURL {
		return ""
	}
	return p.Endpoint.BaseURL
}
