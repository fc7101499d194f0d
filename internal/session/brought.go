package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client can bring the provider of its session, which is never stored. The log says that one did, so
// that the conversation goes to no other provider when the session is resumed without it. A client that
// resumes the session, or works in it, can choose a model of the server instead.

// unprovided is why no model of a session can be called.
func unprovided(s *Session) error {
	return &fault.Error{
		Op: "session", On: s.id, Kind: fault.Denied,
		Err:  errors.New("the model calls of this session go to a provider that its client brought, and no client brings it now; nothing is sent to the provider of this server unasked"),
		Hint: "resume the session with its provider, or choose a model of this server: with another model in session.resume, with session.model.switchTo, with -m, or with /model",
	}
}

// needsProvider reports whether the calls of a model have to wait for the client that brings their
// provider. A client that carries the calls itself decides where they go.
func needsProvider(s *Session, model string) bool {
	carrier := s.config.carrier.client
	return s.log.State().ClientProvider && !s.config.providers.Brings(model) && (carrier == nil || carrier.attached.Err() != nil)
}

// providedBy is the value of [wire.FieldProvidedBy] for an event that chooses a model, nil if nothing
// changes.
func providedBy(s *Session, brings bool) json.RawMessage {
	switch {
	case brings == s.log.State().ClientProvider:
		return nil
	case brings:
		return json.RawMessage(`"` + wire.ByClient + `"`)
	}
	return json.RawMessage(`"` + wire.ByServer + `"`)
}

// providedBy is the value for the events of a client that creates or resumes the session with a
// configuration, which need not be in force yet.
func (e attachment) providedBy(cfg wire.Config) json.RawMessage {
	with := e.s.config.providers
	with.Brought = with.Brought || cfg.Provider != nil
	with.Registered = with.Registered.Add(cfg.By, nil, cfg.Providers, cfg.Models)
	brings := with.Brings(cmp.Or(cfg.Model, e.s.log.State().Model))
	if !brings && !e.choosesServer(cfg) {
		return nil
	}
	return providedBy(e.s, brings)
}

// choosesServer reports whether a configuration without a provider chooses a model of the server. A
// program that repeats the name of the session's model has only forgotten the provider.
func (e attachment) choosesServer(cfg wire.Config) bool {
	return cfg.Model != "" && (cfg.ServerModel || cfg.Model != e.s.log.State().Model)
}

// provided returns the events of a resume with the value of providedBy. Without an event that can
// have it, the model is chosen anew.
func (e attachment) provided(cfg wire.Config, events []wire.Data) []wire.Data {
	if cfg.DisableResume && cfg.Model != "" {
		e.s.config.providers.Named = cfg.Model
	}
	by := e.providedBy(cfg)
	if by == nil {
		return events
	}
	if len(events) == 0 {
		events = append(events, &wire.SessionModelChange{NewModel: e.s.log.State().Model, PreviousModel: wire.Optional(e.s.log.State().Model)})
	}
	events[0] = wire.WithField(events[0], wire.FieldProvidedBy, by)
	return events
}

// mayContinue refuses a client that continues pending work which would use up what the process before
// has left: no model can be called. The log stays as it is.
func (e attachment) mayContinue(cfg wire.Config) error {
	main := &e.s.log.State().Main
	work := main.Working() || main.Unanswered || e.s.log.State().Hold.Interrupted || len(e.s.log.State().Queue) > 0
	if !work || !cfg.ContinuePendingWork || cfg.HoldPendingWork || e.choosesServer(cfg) || !needsProvider(e.s, e.s.log.State().Model) {
		return nil
	}
	return unprovided(e.s)
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
	return s.log.Do(ctx, func() error {
		known := s.config.providers.Registered
		for _, p := range providers {
			if known.HasProvider(p.Name) {
				return invalid("there is a provider %q already", p.Name)
			}
		}
		for _, m := range models {
			if known.Has(m.SelectionID()) {
				return invalid("there is a model %q already", m.SelectionID())
			}
		}
		if err := known.Check(providers, models, invalid); err != nil {
			return s.home.withoutSecrets(added, err)
		}
		s.home.Models.AddSecrets(added, s.log.Secrets())
		s.config.providers.Registered = known.Add(c.by, c.tokens, providers, models)
		return nil
	})
}

// providerOf returns where the calls of a model go, as [provider.Models.Of] does, and refuses what a log or the
// lack of a client forbids. It is called on the session's goroutine.
func (s *Session) providerOf(model string) (p provider.Provider, caps *wire.Capabilities) {
	set := &s.config.providers
	if set.Registered.Has(model) {
		return s.home.Models.Of(s.id, set, model)
	}
	if err := unchosen(s, model); err != nil && model == s.log.State().Model {
		return provider.Provider{Missing: err}, nil
	}
	if needsProvider(s, model) {
		return provider.Provider{Missing: unprovided(s)}, nil
	}
	p, _ = s.home.Models.Of(s.id, set, model)
	if now := s.log.State(); p.ByID && now.Switched && model == now.Model && model != set.Named && model != provider.ModelAuto {
		p.Endpoint.WireModel = ""
	}
	if s.log.State().ClientProvider && !set.Brings(model) { // only because its client carries the calls
		p.Endpoint.Uncarried = unprovided(s)
	}
	return p, nil
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
	_ = c.s.log.Post(context.Background(), func() error { // an error is that of a closed session
		if c.s.config.withheld[address] {
			return nil
		}
		if c.s.config.withheld == nil {
			c.s.config.withheld = map[string]bool{}
		}
		c.s.config.withheld[address] = true
		c.s.log.RecordOrEmit("", &wire.SessionWarning{WarningType: warningNotCarried, Message: "The model calls to " + address + " are made by this runtime, and not by the client that carries the model calls of this session: " +
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

// carry has the client's transport carry the calls to an endpoint, if there is one and no recording
// answers them.
func (c carrier) carry(ep *model.Endpoint, sessionID, agentID string) {
	if _, replayed := ep.Transport.(*tape.Player); !replayed {
		ep.Transport = c.transport(sessionID, agentID)
	}
}

// defaultProviderName is the name of a session's one provider when its token is asked for.
// Source: the SDKs.
const defaultProviderName = "default"

// tokens is the source of the tokens of a provider that the client has registered.
func (c *Client) tokens(p *wire.NamedProvider) func(context.Context) (string, error) {
	return tokenSource(c.s, c, p.Name, p.HasTokenSource)
}

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
		s.log.Secrets().AddPassing(answer.Token)
		return answer.Token, nil
	}
}

// A log can name a model whose calls go to any address, and then it would get the conversation. Such a
// model is called only if it was chosen on this machine; see [approval.Permissions.ModelGranted].

// unchosen is why a model that the log names must not be called, nil if it may. It is called on the
// session's goroutine.
func unchosen(s *Session, name string) error {
	address, ok := s.permissions.ModelGranted(name)
	if ok {
		return nil
	}
	return &fault.Error{
		Op: "session", On: s.id, Kind: fault.Denied, Hint: "choose the model yourself: with -m, with the field model of session.resume, or with session.model.switchTo",
		Err: fmt.Errorf("the log of the session names the model %s, whose calls go to %s, and it was not chosen on this machine", name, address),
	}
}

// elsewhereOf returns the address that the calls of a model go to because of its name, "" if they go to the
// provider of the session, which this user or a client has configured, or if the user's configuration names
// the model.
func elsewhereOf(s *Session, name string) string {
	if s.config.providers.Brings(name) && !state.IsExtension(name) {
		return ""
	}
	return s.home.Models.Elsewhere(s.config.providers.Own, name)
}
