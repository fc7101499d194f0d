package session

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ledgerOf is the ledger of a new run: its budget, and what the process is asked for.
func ledgerOf(s *Session) ledger.Ledger {
	var limits ledger.Limits
	if b := s.config.budget; b != nil {
		limits = ledger.Limits{Calls: b.MaxTurns, Tokens: b.MaxTokens}
	}
	return ledger.Within(ledger.All(ledger.NewBudget(limits), s.home.Ledger), s.agents.Main().MaxTurns)
}

// account is where the model calls of the thread are charged.
func (t *thread) account() provider.Account {
	return provider.Account{
		Ledger: t.ledger, Session: t.s.id, Run: t.id, Agent: t.agentID,
		Counts: t.budget != nil && t.budget.MaxTokens > 0 || t.s.home.Ledger != nil,
	}
}

// reserveTurn asks the run's ledger for the call of a turn.
func (t *thread) reserveTurn(ctx context.Context, p *turn.Prompt) error {
	return t.spending.ReserveTurn(ctx, t.account(), &t.endpoint, p)
}

func exhausted(format string, args ...any) error {
	return &fault.Error{Op: "session", Kind: fault.Denied, Err: fmt.Errorf(format, args...)}
}

// overtime is why a run ends whose time is over.
type overtime struct{ limit time.Duration }

func (o *overtime) Error() string { return fmt.Sprintf("%v are over", o.limit) }

// stoppedEarly is the warning that a run was not allowed to continue.
func stoppedEarly(why error) *wire.SessionWarning {
	return &wire.SessionWarning{WarningType: wire.WarningBudget, Message: "The run ended because its budget is used up: " + fault.Message(why) + "."}
}

// The GitHub service reports what each call has cost in AI credits. A session may have a limit for
// the sum. Other providers report no credits, so the limit does not concern their calls.

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
		now, err := mailbox.Ask(ctx, t.s.log.Post, func() (spent, error) {
			return spent{t.s.metrics.Credits(), t.s.config.maxCredits()}, nil
		})
		if err != nil || now.limit <= 0 || now.used < now.limit {
			return err
		}
		a, err := t.s.questions.RaiseLimit(ctx, now.used, now.limit)
		if err != nil || a.Action == wire.LimitCancel {
			return exhausted("%s of %s AI credits of the session are used", decimal(now.used), decimal(now.limit))
		}
		if err := t.s.log.Post(ctx, func() error { return t.s.Settings().setLimit(ledger.Raised(a, now.limit)) }); err != nil {
			return err
		}
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// setLimit records and applies another limit. A resume does not bring it back, because a log
// grants nothing: its client brings its own.
func (t Settings) setLimit(limit float64) error {
	if err := t.s.log.Record("", ledger.CreditsChanged(limit)); err != nil {
		return err
	}
	t.s.config.limits = &wire.SessionLimits{MaxAICredits: limit}
	return nil
}
