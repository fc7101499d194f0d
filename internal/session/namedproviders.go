package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// namedProviders are the providers and models that clients have registered for a session,
// beside the one that it uses by default. A value is never changed.
type namedProviders struct {
	providers []namedProvider
	models    []wire.ProviderModel
}

type namedProvider struct {
	wire.NamedProvider
	client *Client // gives its tokens, if it has a source of them
	by     string  // the owner of its credentials
}

// add returns the registry with further providers and models. They replace those of the same
// name, because a client that resumes sends its providers and models again.
func (n namedProviders) add(c *Client, by string, providers []wire.NamedProvider, models []wire.ProviderModel) namedProviders {
	next := namedProviders{slices.Clone(n.providers), slices.Clone(n.models)}
	for _, p := range providers {
		next.providers = slices.DeleteFunc(next.providers, func(q namedProvider) bool { return q.Name == p.Name })
		next.providers = append(next.providers, namedProvider{p, c, by})
	}
	for _, m := range models {
		next.models = slices.DeleteFunc(next.models, func(q wire.ProviderModel) bool { return q.SelectionID() == m.SelectionID() })
		next.models = append(next.models, m)
	}
	return next
}

// AddProviders registers named providers and models in addition to those of the session. The
// client is asked for the tokens of its providers. Names that are taken are refused with
// [fault.Invalid].
func (c *Client) AddProviders(ctx context.Context, providers []wire.NamedProvider, models []wire.ProviderModel) error {
	s := c.s
	invalid := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "session.provider.add", s.id, format, args...)
	}
	added := wire.Config{Providers: providers, Models: models}
	return s.do(ctx, func() error {
		known := s.config.named
		for _, p := range providers {
			if slices.ContainsFunc(known.providers, func(q namedProvider) bool { return q.Name == p.Name }) {
				return invalid("there is a provider %q already", p.Name)
			}
		}
		for _, m := range models {
			if known.model(m.SelectionID()) != nil {
				return invalid("there is a model %q already", m.SelectionID())
			}
		}
		if err := known.check(providers, models, invalid); err != nil {
			return withoutSecrets(s.reg, added, err)
		}
		for _, p := range allProviders(added) {
			ep := s.reg.provider(wire.Config{Provider: p}).Endpoint
			ep.AddSecrets(s.secrets)
		}
		s.config.named = known.add(c, c.by, providers, models)
		return nil
	})
}

// check returns why providers and models cannot be added.
func (n namedProviders) check(providers []wire.NamedProvider, models []wire.ProviderModel, invalid func(string, ...any) error) error {
	known := map[string]bool{}
	for _, p := range n.providers {
		known[p.Name] = true
	}
	fresh := map[string]bool{}
	for _, p := range providers {
		switch {
		case p.Name == "" || strings.Contains(p.Name, "/"):
			return invalid("a provider is called %q; give it a name without /", p.Name)
		case p.Replay != "" || p.ReplayTools:
			return invalid("provider %q: a recording can only answer for the one provider of a session; give replay in provider, or start the program with --replay FILE", p.Name)
		case fresh[p.Name]:
			return invalid("two providers are called %q", p.Name)
		case p.Type == providerExtension:
			return invalid("provider %q: an agent cannot be one of several providers; give it as provider", p.Name)
		}
		of := func(format string, args ...any) error {
			return invalid("providers, %s: "+format, append([]any{p.Name}, args...)...)
		}
		if err := checkAddress(&p.Provider, of); err != nil {
			return err
		}
		fresh[p.Name] = true
	}
	ids := map[string]bool{}
	for _, m := range models {
		switch {
		case m.ID == "":
			return invalid("a model of the provider %q has no id", m.Provider)
		case !known[m.Provider] && !fresh[m.Provider]:
			return invalid("the model %q is one of the provider %q, which is not among providers", m.ID, m.Provider)
		case ids[m.SelectionID()]:
			return invalid("two models are called %q", m.SelectionID())
		}
		ids[m.SelectionID()] = true
	}
	return nil
}

// checkChoice returns why a model cannot be chosen: it names a provider of the registry, and
// no model of it.
func (n namedProviders) checkChoice(op, id, model string) error {
	name, _, ok := strings.Cut(model, "/")
	if !ok || !slices.ContainsFunc(n.providers, func(p namedProvider) bool { return p.Name == name }) || n.model(model) != nil {
		return nil
	}
	return fault.New(fault.Invalid, op, id, "the provider %q has no model %q; its models are those of the field models", name, model)
}

// model returns the model of a name such as "provider/id", nil if there is none.
func (n namedProviders) model(id string) *wire.ProviderModel {
	for i := range n.models {
		if n.models[i].SelectionID() == id {
			return &n.models[i]
		}
	}
	return nil
}

// providerOf returns where the calls of a model go: to its named provider, or else to the
// provider of the session. caps are the limits that the model was registered with.
func (s *Session) providerOf(model string) (p Provider, caps *wire.Capabilities) {
	m := s.config.named.model(model)
	if m == nil {
		if err := unchosen(s, model); err != nil && model == s.state.Model {
			return Provider{Missing: err}, nil
		}
		if needsProvider(s, model) {
			return Provider{Missing: unprovided(s)}, nil
		}
		if p, ok := s.config.fallbackProvider(s.reg.opts, model); ok {
			return p, nil
		}
		p = s.config.providerOf(s.reg.opts, model)
		if s.state.ClientProvider && !s.config.brings(model) { // only because its client carries the calls
			p.Endpoint.Uncarried = unprovided(s)
		}
		return p, nil
	}
	at := slices.IndexFunc(s.config.named.providers, func(p namedProvider) bool { return p.Name == m.Provider })
	named := s.config.named.providers[at]
	config := named.Provider
	config.ModelID, config.WireModel = m.SelectionID(), cmp.Or(m.WireModel, m.ID)
	config.MaxPromptTokens, config.MaxOutputTokens = cmp.Or(m.MaxPromptTokens, m.MaxContextWindowTokens), m.MaxOutputTokens
	config.MaxWindowTokens = cmp.Or(m.MaxContextWindowTokens, config.MaxWindowTokens)
	p = s.reg.provider(wire.Config{Provider: &config, By: named.by, ClientName: s.config.clientName, Remote: s.config.remote})
	p.Endpoint.Token = tokenSource(s, named.client, named.Name, config.HasTokenSource)
	if err := checkProvider(&config, s.config.remote, func(format string, args ...any) error {
		return fault.New(fault.Invalid, "session", s.id, format, args...)
	}); err != nil {
		p.Missing = err
	}
	return p, m.Capabilities
}

// providerOf returns where the calls of a model go that no client has registered: to the
// provider that its name has, or else to that of the session.
func (c *configuration) providerOf(o Options, model string) Provider {
	own := c.provider
	if c.bringsProvider || model == "" {
		return own
	}
	if o.Named != nil {
		if p, ok := o.Named(model); ok {
			p.Endpoint.UserAgent = UserAgent(o.Version, c.clientName)
			return p
		}
	}
	if own.Named && model != own.Model {
		own.Endpoint.WireModel = ""
	}
	return own
}

// carrier makes the model calls of a session if its client has called llmInference.setProvider.
type carrier struct {
	client *Client
	of     func(sessionID, agentID string) wire.Carrier
	// creator is the owner of what the client has brought, if it has created the session; "" if it joined.
	creator string
}

// given returns the owner of the provider that a client brings when it joins: by, or the client that has created
// the session and carries its calls since. A client that joins such a session gives it the provider for these
// calls. One that began to carry later gets nothing in this way: it could join and wait for the credentials.
func (c carrier) given(by string) string {
	if c.creator != "" && c.client != nil && c.client.attached.Err() == nil {
		return c.creator
	}
	return by
}

// carrying is a client's carrier as the transport of the model calls of a session.
type carrying struct {
	wire.Carrier
	s *Session
}

// May implements [model.Transport].
func (c carrying) May(o model.Owner) bool { return c.Shows(string(o)) }

// Withheld implements [model.Transport]: the user is told once for each provider of the session. It is not
// called on the session's goroutine.
func (c carrying) Withheld(address string) {
	_ = c.s.post(context.Background(), func() error { // an error is that of a closed session
		if c.s.config.withheld[address] {
			return nil
		}
		if c.s.config.withheld == nil {
			c.s.config.withheld = map[string]bool{}
		}
		c.s.config.withheld[address] = true
		c.s.log.recordOrEmit(&wire.SessionWarning{WarningType: warningNotCarried, Message: "The model calls to " + address + " are made by this runtime, and not by the client that carries the model calls of this session: " +
			"that client has not brought their credentials. To have it carry them, give the credentials with that client, or set COPILOT_ALLOW_GET_PROVIDER_ENDPOINT=true in the environment of the runtime, which shows all keys to every client."})
		return nil
	})
}

// warningNotCarried is the type of the warning that a client does not carry model calls.
const warningNotCarried = "model_call_not_carried"

// transport returns the client's transport for the model calls of an agent; nil if this program
// makes the calls itself, also because the client has left.
func (c carrier) transport(sessionID, agentID string) model.Transport {
	if c.client == nil || c.client.attached.Err() != nil {
		return nil
	}
	return carrying{c.of(sessionID, agentID), c.client.s}
}

// defaultProviderName is the name of a session's one provider when its token is asked for.
// Source: the SDKs.
const defaultProviderName = "default"

// tokenSource returns the function that asks a client for the token of a provider, nil if
// the client has no source of tokens. The token is asked for before every request to the
// model, and not kept.
func tokenSource(s *Session, c *Client, provider string, has bool) func(context.Context) (string, error) {
	if !has {
		return nil
	}
	failed := func(format string, args ...any) error {
		return &fault.Error{
			Op: "session", On: s.id, Kind: fault.Denied, Err: fmt.Errorf("no token for the provider %q: "+format, append([]any{provider}, args...)...),
			Hint: "check the bearerTokenProvider of the client",
		}
	}
	return func(ctx context.Context) (string, error) {
		if c == nil || c.peer == nil {
			return "", failed("its client gives none")
		}
		ctx, cancel := context.WithTimeout(ctx, clientLimit)
		defer cancel()
		ctx, stop := c.present(ctx)
		defer stop()
		var answer struct {
			Token string `json:"token"`
		}
		params := map[string]string{"sessionId": s.id, "providerName": provider}
		if err := c.peer.Call(ctx, "providerToken.getToken", params, &answer); err != nil {
			if c.attached.Err() != nil {
				return "", failed("the client that gives it has left the session")
			}
			return "", failed("%w", err)
		}
		if answer.Token == "" {
			return "", failed("the client has answered with an empty one")
		}
		s.secrets.AddPassing(answer.Token)
		return answer.Token, nil
	}
}
