package session

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
	if slices.ContainsFunc(list, func(m model.Info) bool { return m.ID == provider.ModelAuto }) {
		return provider.ModelAuto
	}
	for _, m := range list {
		if m.ID != now {
			return m.ID
		}
	}
	return ""
}
