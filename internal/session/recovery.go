package session

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recovers does what helps after a failed model call of a thread: it makes the conversation
// shorter if that is too long for the model, or goes on to the next model of the fallback list,
// or to the one that the user chooses. It reports whether the thread is to continue. After the
// first piece of an answer nothing is done.
func (r *run) recovers(ctx context.Context, t *thread, failed error) bool {
	if failed == nil || ctx.Err() != nil || t.endpoint.IsExtension() {
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
	e := model.ErrorOf(failed)
	if e == nil || !e.OtherModelHelps() {
		return false
	}
	from := t.called()
	r.failing = append(r.failing, from)
	choice, err := mailbox.Ask(ctx, r.s.log.Do, func() (*provider.Choice, error) { return r.nextModel(t, from, r.s.log.Logger()), nil })
	if err != nil || choice == nil {
		return false
	}
	to := choice.Model
	warning := &wire.SessionWarning{
		WarningType: warningFallback, Message: fmt.Sprintf("The model %s could not be called, so %s is used instead: %s", from, to, fault.Message(failed)),
	}
	var change wire.Data = &wire.SubagentConfigured{Model: to, MultiTurn: true}
	if t.sub == nil {
		cause := wire.CauseFallback
		change = &wire.SessionModelChange{NewModel: to, PreviousModel: wire.Optional(from), Cause: &cause}
	}
	err = r.s.log.Change(ctx, func() error {
		err := r.s.log.Record(t.agentID, warning, change)
		if err == nil && t.sub == nil {
			r.s.permissions.GrantModel(to)
		}
		return err
	})
	if err != nil {
		r.s.log.Logger().Warn("the run does not continue on another model", "err", err)
		return false
	}
	r.choice = *choice
	return true
}

// replaceable reports whether another model of the fallback list takes over if that of the thread
// cannot be called.
func (t *thread) replaceable(ctx context.Context) bool {
	next, err := mailbox.Ask(ctx, t.s.log.Post, func() (*provider.Choice, error) { return t.run.nextModel(t, t.called(), nil), nil })
	return err == nil && next != nil
}

// called is the model whose calls the thread makes.
func (t *thread) called() string {
	return cmp.Or(t.endpoint.Model, t.choice.Model, t.choice.Provider.Model)
}

// nextModel is the first model of the fallback list other than from that has not failed in this run and that can
// be called; nil if there is none, or if the agent of the session names its model. logs gets why others are left
// out; nil where none is to take over yet. It is called on the session's goroutine.
func (r *run) nextModel(t *thread, from string, logs *slog.Logger) *provider.Choice {
	s := r.s
	if t.sub == nil && s.agents.Main().ModelOr("") != "" {
		return nil
	}
	for _, name := range s.home.Models.Fallbacks(&s.config.providers) {
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
		return &provider.Choice{Provider: p, Model: name, Override: caps, Remote: s.config.providers.Remote, Situate: situate(s, t.agentID)}
	}
	return nil
}
