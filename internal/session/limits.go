package session

import (
	"context"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The GitHub service reports what each call has cost, in billionths of an AI credit. A session
// may have a limit for the sum. Other providers report no credits, so the limit does not
// concern their calls.

// nanoPerCredit is how many of the units in which calls are reported make an AI credit.
// Source: docs/features/usage-and-billing.md of the SDK.
const nanoPerCredit = 1e9

// credits is what the session has cost, in all processes that have worked in it.
func (m *Metrics) credits() float64 { return m.nanoAIU() / nanoPerCredit }

// nanoAIU is the same in the units of the service.
func (m *Metrics) nanoAIU() float64 { return m.s.state.NanoAIU + float64(m.totals.unsaved) }

// checkpoint records what the session has cost, if that has grown, so that a resume knows it.
func (m *Metrics) checkpoint() error {
	if m.totals.unsaved == 0 {
		return nil
	}
	total := m.nanoAIU()
	m.totals.unsaved = 0 // if it cannot be recorded, the session ends
	return m.s.log.record(&wire.UsageCheckpoint{TotalNanoAiu: total})
}

// maxCredits is the limit of the session, 0 for none.
func (c *configuration) maxCredits() float64 {
	if c.limits == nil {
		return 0
	}
	return c.limits.MaxAICredits
}

// withinLimit returns nil if the session may cost more. If it has used up its limit, the user
// is asked to raise it; the error is why the run ends.
func (t *thread) withinLimit(ctx context.Context) error {
	type spent struct{ used, limit float64 }
	for {
		now, err := mailbox.Ask(ctx, t.s.post, func() (spent, error) {
			return spent{t.s.metrics.credits(), t.s.config.maxCredits()}, nil
		})
		if err != nil || now.limit <= 0 || now.used < now.limit {
			return err
		}
		a, err := t.s.questions.RaiseLimit(ctx, now.used, now.limit)
		if err != nil || a.Action == wire.LimitCancel {
			return exhausted("%s of %s AI credits of the session are used", decimal(now.used), decimal(now.limit))
		}
		if err := t.s.post(ctx, func() error { return t.s.Settings().setLimit(raised(a, now.limit)) }); err != nil {
			return err
		}
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// raised is the limit after an answer; 0 for none. The answer fits: it names what its action
// needs.
func raised(a wire.LimitAnswer, limit float64) float64 {
	switch a.Action {
	case wire.LimitAdd:
		return limit + *a.AdditionalAiCredits
	case wire.LimitSet:
		return *a.MaxAiCredits
	}
	return 0
}

// setLimit records and applies another limit. A resume does not bring it back, because a log
// grants nothing: its client brings its own.
func (t Settings) setLimit(limit float64) error {
	if err := t.s.log.record(limitsChanged(limit)); err != nil {
		return err
	}
	t.s.config.limits = &wire.SessionLimits{MaxAICredits: limit}
	return nil
}

func limitsChanged(limit float64) *wire.LimitsChanged {
	return &wire.LimitsChanged{SessionLimits: limitsConfig(limit)}
}

// limitsConfig is a limit in the protocol's form, nil for none.
func limitsConfig(limit float64) *wire.LimitsConfig {
	if limit <= 0 {
		return nil
	}
	return &wire.LimitsConfig{MaxAiCredits: &limit}
}

// limitsStatus is the text for the model about the rest of the session's limits, "" if there
// are none.
func (i input) limitsStatus() string {
	limit := i.s.config.maxCredits()
	if limit <= 0 {
		return ""
	}
	return prompt.LimitsStatus(limit - i.s.metrics.credits())
}
