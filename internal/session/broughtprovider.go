package session

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
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
	return s.state.ClientProvider && !s.config.providers.Brings(model) && (carrier == nil || carrier.attached.Err() != nil)
}

// providedBy is the value of [wire.FieldProvidedBy] for an event that chooses a model, nil if nothing
// changes.
func providedBy(s *Session, brings bool) json.RawMessage {
	switch {
	case brings == s.state.ClientProvider:
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
	brings := with.Brings(cmp.Or(cfg.Model, e.s.state.Model))
	if !brings && !e.choosesServer(cfg) {
		return nil
	}
	return providedBy(e.s, brings)
}

// choosesServer reports whether a configuration without a provider chooses a model of the server. A
// program that repeats the name of the session's model has only forgotten the provider.
func (e attachment) choosesServer(cfg wire.Config) bool {
	return cfg.Model != "" && (cfg.ServerModel || cfg.Model != e.s.state.Model)
}

// provided returns the events of a resume with the value of providedBy. Without an event that can
// have it, the model is chosen anew.
func (e attachment) provided(cfg wire.Config, events []wire.Data) []wire.Data {
	by := e.providedBy(cfg)
	if by == nil {
		return events
	}
	if len(events) == 0 {
		events = append(events, &wire.SessionModelChange{NewModel: e.s.state.Model, PreviousModel: wire.Optional(e.s.state.Model)})
	}
	events[0] = wire.WithField(events[0], wire.FieldProvidedBy, by)
	return events
}

// mayContinue refuses a client that continues pending work which would use up what the process before
// has left: no model can be called. The log stays as it is.
func (e attachment) mayContinue(cfg wire.Config) error {
	main := &e.s.state.Main
	work := main.Working() || main.Unanswered || e.s.state.Hold.Interrupted || len(e.s.state.Queue) > 0
	if !work || !cfg.ContinuePendingWork || cfg.HoldPendingWork || e.choosesServer(cfg) || !needsProvider(e.s, e.s.state.Model) {
		return nil
	}
	return unprovided(e.s)
}
