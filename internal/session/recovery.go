package session

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
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
	return t.overflowed(ctx, failed) || t.overfilled(failed) || r.fallBack(ctx, t, failed) || t.sub == nil && r.switchModel(ctx, failed)
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
		if name == from || slices.Contains(r.failing, name) || allows(s, name) != nil {
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
		return &provider.Choice{Provider: p, Model: name, Override: caps, Remote: s.config.providers.Remote, Situate: situate(s, t.agentID), Allows: allowing(s)}
	}
	return nil
}

// weeklyLimit is the code of the rate limit after which the user is asked whether the run
// continues on another model. Source: the SDK's suite, test/snapshots/mode_handlers.
const weeklyLimit = "user_weekly_rate_limited"

// switchModel asks the user, if a rate limit has stopped the run, whether it continues on
// another model, and records the change. It reports whether the run continues. A run is asked
// about once.
func (r *run) switchModel(ctx context.Context, failed error) bool {
	limit := model.ErrorOf(failed)
	if limit == nil || limit.Status != http.StatusTooManyRequests || limit.Code != weeklyLimit || r.switched {
		return false
	}
	r.switched = true
	to := r.otherModel(ctx)
	if to == "" || !r.agrees(ctx, limit) {
		return false
	}
	err := r.s.log.Change(ctx, func() error {
		cause := wire.CauseRateLimit
		event := &wire.SessionModelChange{NewModel: to, PreviousModel: wire.Optional(r.main.endpoint.Model), Cause: &cause}
		if err := r.s.log.Record("", event); err != nil {
			return err
		}
		r.s.permissions.GrantModel(to)
		return nil
	})
	if err != nil {
		r.s.log.Logger().Warn("the run does not continue on another model", "err", err)
		return false
	}
	r.choice.Model = to
	return true
}

// agrees reports whether the user wants to continue on another model. An answer for always
// holds while the session is in memory.
func (r *run) agrees(ctx context.Context, limit *model.Error) bool {
	always, err := mailbox.Ask(ctx, r.s.log.Do, func() (bool, error) { return r.s.config.switchAlways, nil })
	if always || err != nil {
		return always
	}
	seconds := int64((limit.RetryAfter + time.Second - 1) / time.Second)
	answer, err := r.s.questions.SwitchModel(ctx, approval.RateLimit{Code: limit.Code, RetryAfter: seconds})
	if err != nil || answer == wire.SwitchNo {
		return false
	}
	if answer == wire.SwitchAlways {
		_ = r.s.log.Do(ctx, func() error { r.s.config.switchAlways = true; return nil })
	}
	return true
}

// otherModel is the model to continue on: "auto" if the provider has it, otherwise the first
// other one of its list; "" if there is none, or if the agent of the session names its model.
func (r *run) otherModel(ctx context.Context) string {
	fixed, err := mailbox.Ask(ctx, r.s.log.Do, func() (bool, error) { return r.s.agents.Main().ModelOr("") != "", nil })
	now := r.main.endpoint.Model
	if fixed || err != nil || now == provider.ModelAuto {
		return ""
	}
	fresh := r.main.endpoint.At
	fresh.Fresh = true // the limit may have changed the list
	list, err := r.s.home.Model.Models(ctx, fresh)
	if err != nil {
		return ""
	}
	if slices.ContainsFunc(list, func(m model.Info) bool { return m.ID == provider.ModelAuto && allows(r.s, m.ID) == nil }) {
		return provider.ModelAuto
	}
	for _, m := range list {
		if m.ID != now && allows(r.s, m.ID) == nil {
			return m.ID
		}
	}
	return ""
}
