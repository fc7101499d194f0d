package provider

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Set is all providers of one session. The zero value has none. It is copied as a value; the session
// decides when it changes.
type Set struct {
	// Own is the provider of models that no client has registered, and whose name has no provider.
	Own Provider
	// Brought says that Own is a client's.
	Brought bool
	// Named is the model that a client has named with a resume that is not recorded; "" if none.
	Named string
	// Registered are the further ones of clients.
	Registered Registered
	// Fallback are the models that take over when that of the session cannot be called, in this order; nil:
	// those of the process.
	Fallback []string
	// ClientName is the name of the client, for [UserAgent].
	ClientName string
	// Remote says that a client on another machine has configured the session.
	Remote bool
}

// Brings reports whether the calls of a model go to a provider that a client has brought.
func (s *Set) Brings(model string) bool { return s.Brought || s.Registered.Has(model) }

// FallBackTo sets the fallback list of the session; nil leaves it as it is.
func (s *Set) FallBackTo(list []string) {
	if list != nil {
		s.Fallback = list
	}
}

// Fallbacks is the fallback list of the session, or else that of the process. A client that brings
// its own provider has only the list that it gives: nothing of its session goes to another
// provider unasked.
func (m *Models) Fallbacks(s *Set) []string {
	if s.Fallback != nil || s.Brought {
		return s.Fallback
	}
	return m.home.Fallback
}

// Of returns where the calls of a model go: to the provider that a client has registered for it, to the one
// that the name has, or to that of the session. caps are the limits that the model was registered with; nil if
// it was not, or without any. session is named in the error of a registered provider that cannot be called,
// which is [Provider].Missing.
func (m *Models) Of(session string, s *Set, model string) (p Provider, caps *wire.Capabilities) {
	if found := s.Registered.model(model); found != nil {
		return m.registered(session, s, found), found.Capabilities
	}
	own := s.Own
	switch {
	case s.Brought && model != own.Model && slices.Contains(s.Fallback, model):
		// A model of the fallback list is at the provider that its name has, or is another model of the client's.
		if p, ok := m.named(model, s.ClientName); ok {
			return p, nil
		}
		own.Endpoint.WireModel = model
	case s.Brought, model == "":
	default:
		if p, ok := m.named(model, s.ClientName); ok {
			return p, nil
		}
		if own.Named && model != own.Model {
			own.Endpoint.WireModel = ""
		}
	}
	return own, nil
}

// registered is [Models.Of] for a model that a client has registered.
func (m *Models) registered(session string, s *Set, found *wire.ProviderModel) Provider {
	at := slices.IndexFunc(s.Registered.providers, func(p registered) bool { return p.Name == found.Provider })
	from := s.Registered.providers[at]
	config := from.Provider
	config.ModelID, config.WireModel = found.SelectionID(), cmp.Or(found.WireModel, found.ID)
	config.MaxPromptTokens, config.MaxOutputTokens = cmp.Or(found.MaxPromptTokens, found.MaxContextWindowTokens), found.MaxOutputTokens
	config.MaxWindowTokens = cmp.Or(found.MaxContextWindowTokens, config.MaxWindowTokens)
	p := m.For(wire.Config{Provider: &config, By: from.by, ClientName: s.ClientName, Remote: s.Remote})
	p.Endpoint.Token, p.DisplayName = from.token, found.Name
	if err := Check(&config, s.Remote, func(format string, args ...any) error {
		return fault.New(fault.Invalid, "session", session, format, args...)
	}); err != nil {
		p.Missing = err
	}
	return p
}

// Registered are the providers and models that clients have registered for a session,
// beside the one that it uses by default. A value is never changed.
type Registered struct {
	providers []registered
	models    []wire.ProviderModel
}

type registered struct {
	wire.NamedProvider
	token func(context.Context) (string, error) // gives its tokens; nil if it has no source of them
	by    string                                // the owner of its credentials
}

// Add returns the registry with further providers and models. They replace those of the same
// name, because a client that resumes sends its providers and models again. by owns the credentials. token
// returns what asks the client for the tokens of a provider, nil if it has no source of them; without token
// none has.
func (n Registered) Add(by string, token func(*wire.NamedProvider) func(context.Context) (string, error), providers []wire.NamedProvider, models []wire.ProviderModel) Registered {
	next := Registered{slices.Clone(n.providers), slices.Clone(n.models)}
	for _, p := range providers {
		next.providers = slices.DeleteFunc(next.providers, func(q registered) bool { return q.Name == p.Name })
		added := registered{NamedProvider: p, by: by}
		if token != nil {
			added.token = token(&p)
		}
		next.providers = append(next.providers, added)
	}
	for _, m := range models {
		next.models = slices.DeleteFunc(next.models, func(q wire.ProviderModel) bool { return q.SelectionID() == m.SelectionID() })
		next.models = append(next.models, m)
	}
	return next
}

// Check returns why providers and models cannot be added.
func (n Registered) Check(providers []wire.NamedProvider, models []wire.ProviderModel, invalid func(string, ...any) error) error {
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

// CheckChoice returns why a model cannot be chosen: it names a provider of the registry, and
// no model of it.
func (n Registered) CheckChoice(op, id, model string) error {
	name, _, ok := strings.Cut(model, "/")
	if !ok || !n.HasProvider(name) || n.model(model) != nil {
		return nil
	}
	return fault.New(fault.Invalid, op, id, "the provider %q has no model %q; its models are those of the field models", name, model)
}

// model returns the model of a name such as "provider/id", nil if there is none.
func (n Registered) model(id string) *wire.ProviderModel {
	for i := range n.models {
		if n.models[i].SelectionID() == id {
			return &n.models[i]
		}
	}
	return nil
}

// Has reports whether a client has registered a model of this name.
func (n Registered) Has(id string) bool { return n.model(id) != nil }

// HasProvider reports whether a client has registered a provider of this name.
func (n Registered) HasProvider(name string) bool {
	return slices.ContainsFunc(n.providers, func(p registered) bool { return p.Name == name })
}

// Models are those that clients have registered, in the order of their registration. The caller must not change them.
func (n Registered) Models() []wire.ProviderModel { return n.models }

// maxFallbacks bounds a fallback list: each model may take a minute and a half until it has failed.
const maxFallbacks = 16

// CheckFallback refuses a fallback list that cannot be used.
func CheckFallback(list []string, invalid func(string, ...any) error) error {
	if len(list) > maxFallbacks {
		return invalid("fallbackModels has %d models; there may be %d", len(list), maxFallbacks)
	}
	for _, name := range list {
		switch {
		case name == "":
			return invalid("a model in fallbackModels has no name")
		case state.IsExtension(name):
			return invalid("fallbackModels: %s is an agent of another system, which cannot take over a conversation", name)
		}
	}
	return nil
}
