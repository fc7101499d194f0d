package session

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recovers does what helps after a failed model call of a thread: it makes the conversation
// shorter if that is too long for the model, or goes on to the next model of the fallback list,
// or to the one that the user chooses. It reports whether the thread is to continue. After the
// first piece of an answer nothing is done.
func (r *run) recovers(ctx context.Context, t *thread, failed error) bool {
	if failed == nil || ctx.Err() != nil || t.endpoint.isExtension() {
		return false
	}
	return t.overflowed(ctx, failed) || r.fallBack(ctx, t, failed) || t.sub == nil && r.switchModel(ctx, failed)
}

// warningFallback is the type of the warning that a model was replaced by another one.
const warningFallback = "model_fallback"

// fallBack goes on to the next model of the session's fallback list, if the failure of the call is
// one for which another model helps. The session stays with that model; a sub-agent changes only
// its own. It reports whether the thread is to continue.
func (r *run) fallBack(ctx context.Context, t *thread, failed error) bool {
	e := modelError(failed)
	if e == nil || !e.OtherModelHelps() {
		return false
	}
	from := t.called()
	r.failing = append(r.failing, from)
	choice, err := mailbox.Ask(ctx, r.s.do, func() (*modelChoice, error) { return r.nextModel(t, from, r.s.logs), nil })
	if err != nil || choice == nil {
		return false
	}
	to := choice.model
	warning := &wire.SessionWarning{
		WarningType: warningFallback, Message: fmt.Sprintf("The model %s could not be called, so %s is used instead: %s", from, to, fault.Message(failed)),
	}
	var change wire.Data = &wire.SubagentConfigured{Model: to, MultiTurn: true}
	if t.sub == nil {
		cause := wire.CauseFallback
		change = &wire.SessionModelChange{NewModel: to, PreviousModel: wire.Optional(from), Cause: &cause}
	}
	err = r.s.change(ctx, func() error {
		err := r.s.log.recordFor(t.agentID, warning, change)
		if err == nil && t.sub == nil {
			r.s.permissions.GrantModel(to)
		}
		return err
	})
	if err != nil {
		r.s.logs.Warn("the run does not continue on another model", "err", err)
		return false
	}
	r.choice = *choice
	return true
}

// replaceable reports whether another model of the fallback list takes over if that of the thread
// cannot be called.
func (t *thread) replaceable(ctx context.Context) bool {
	next, err := mailbox.Ask(ctx, t.s.post, func() (*modelChoice, error) { return t.run.nextModel(t, t.called(), nil), nil })
	return err == nil && next != nil
}

// called is the model whose calls the thread makes.
func (t *thread) called() string {
	return cmp.Or(t.endpoint.model, t.choice.model, t.choice.provider.Model)
}

// nextModel is the first model of the fallback list other than from that has not failed in this run and that can
// be called; nil if there is none, or if the agent of the session names its model. logs gets why others are left
// out; nil where none is to take over yet. It is called on the session's goroutine.
func (r *run) nextModel(t *thread, from string, logs *slog.Logger) *modelChoice {
	s := r.s
	if t.sub == nil && s.config.agents.Main.ModelOr("") != "" {
		return nil
	}
	for _, name := range s.config.fallbacks(s.reg.opts.Fallback) {
		if name == from || slices.Contains(r.failing, name) {
			continue
		}
		p, caps := s.providerOf(name)
		if p.Missing != nil {
			if logs != nil {
				logs.Warn("a model of the fallback list cannot be called", "model", name, "err", p.Missing)
				r.failing = append(r.failing, name) // one warning in a run
			}
			continue
		}
		s.config.carrier.carry(&p.Endpoint, s.id, t.agentID)
		return &modelChoice{provider: p, model: name, override: caps, remote: s.config.remote, situate: situate(s, t.agentID)}
	}
	return nil
}

// fallBackTo sets the fallback list of the session; nil leaves it as it is.
func (c *configuration) fallBackTo(list []string) {
	if list != nil {
		c.fallback = list
	}
}

// fallbacks is the fallback list of the session, or else that of the process. A client that brings
// its own provider has only the list that it gives: nothing of its session goes to another
// provider unasked.
func (c *configuration) fallbacks(process []string) []string {
	if c.fallback != nil || c.bringsProvider {
		return c.fallback
	}
	return process
}

// fallbackProvider returns where the calls of a model of the fallback list go in a session whose
// client brings its own provider: to the provider that the name has, or else to another model of
// the client's. ok is false for other models and sessions.
func (c *configuration) fallbackProvider(o Options, model string) (p Provider, ok bool) {
	if !c.bringsProvider || model == c.provider.Model || !slices.Contains(c.fallback, model) {
		return p, false
	}
	if o.Named != nil {
		if p, ok := o.Named(model); ok {
			p.Endpoint.UserAgent = UserAgent(o.Version, c.clientName)
			return p, true
		}
	}
	p = c.provider
	p.Endpoint.WireModel = model
	return p, true
}

// maxFallbacks bounds a fallback list: each model may take a minute and a half until it has failed.
const maxFallbacks = 16

// checkFallback refuses a fallback list that cannot be used.
func checkFallback(list []string, invalid func(string, ...any) error) error {
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
