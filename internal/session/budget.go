package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// spending is what one conversation of a run has used, and holds, of what the run's ledger allows.
type spending struct {
	counted provider.Counted // of its requests

	mu     sync.Mutex // guards the rest
	tokens int64
	turn   reservation // for the call of its turn
}

// reservation is what a ledger keeps for one call. The zero value holds nothing.
type reservation struct {
	hold    ledger.Hold
	call    ledger.Call
	request *model.Request // of which the tokens are to be counted; nil if nobody needs that
}

// ledgerOf is the ledger of a new run: its budget, and what the process is asked for.
func ledgerOf(s *Session) ledger.Ledger {
	var limits ledger.Limits
	if b := s.config.budget; b != nil {
		limits = ledger.Limits{Calls: b.MaxTurns, Tokens: b.MaxTokens}
	}
	return ledger.All(ledger.NewBudget(limits), s.home.Ledger)
}

// reserve asks the ledger for the next call, which may wait for calls of other conversations, and bounds the
// answer by what that allows. If the call must not be made, p.Stop says why. Text whose tokens were not counted yet
// counts with one token a byte, because no token is shorter; so more may remain at the end than was assumed.
func (t *thread) reserve(ctx context.Context, p *turn.Prompt) (r reservation, err error) {
	r.call = ledger.Call{
		Session: t.s.id, Run: t.id, Agent: t.agentID, Vendor: t.endpoint.Vendor(), Model: p.Request.Model, Price: t.endpoint.Price(p.Request.Model),
	}
	if !t.endpoint.IsExtension() { // agents report no tokens
		r.call.Request, r.call.Answer = p.Bytes(), t.endpoint.LongestAnswer(p.Request)
		if t.counts() {
			r.call.Request = t.spending.counted.AtMost(p)
		}
	}
	r.hold, err = t.ledger.Reserve(ctx, r.call)
	if used := (*ledger.Exhausted)(nil); errors.As(err, &used) {
		p.Stop = exhausted("%w", used)
		return reservation{}, nil
	}
	if err != nil {
		return reservation{}, err
	}
	if most := r.hold.Answer(); most > 0 {
		p.Request.MaxOutputTokens = int(most)
	}
	if t.counts() {
		asked := p.Request
		r.request = &asked
	}
	return r, nil
}

// counts reports whether it matters how many tokens a request has at most. Otherwise nothing of the requests is
// kept and compared.
func (t *thread) counts() bool {
	return t.budget != nil && t.budget.MaxTokens > 0 || t.s.home.Ledger != nil
}

// reserveTurn is reserve for the call of a turn.
func (t *thread) reserveTurn(ctx context.Context, p *turn.Prompt) error {
	r, err := t.reserve(ctx, p)
	t.spending.mu.Lock()
	t.spending.turn = r
	t.spending.mu.Unlock()
	return err
}

// free gives back what is held, if the call has not been settled: it was refused, or has panicked. It counts as
// a call that has cost nothing.
func (r reservation) free() {
	if r.hold != nil {
		r.hold.Settle(ledger.Used{})
	}
}

// free gives back what the call of the last turn holds, if that has not been settled.
func (u *spending) free() { u.take().free() }

// spend adds what the call of a turn has used.
func (u *spending) spend(call turn.Usage) { u.settle(u.take(), call) }

// take returns what is held for the call of a turn, and forgets it.
func (u *spending) take() reservation {
	u.mu.Lock()
	defer u.mu.Unlock()
	r := u.turn
	u.turn = reservation{}
	return r
}

// settle adds what a call has used; its bytes if the provider did not count tokens.
func (u *spending) settle(r reservation, call turn.Usage) {
	n := known.Tokens{Input: call.RequestBytes, Output: call.AnswerBytes}
	if call.Tokens.Reported && !call.Tokens.Partial {
		n = known.Tokens{Input: call.Tokens.Input, Output: call.Tokens.Output, CacheRead: call.Tokens.CacheRead, CacheWrite: call.Tokens.CacheWrite}
		if r.request != nil {
			u.counted.Note(*r.request, n.Input)
		}
	}
	used := ledger.Used{Tokens: n.Input + n.Output}
	switch {
	case call.Tokens.Cost != nil:
		used.Cost = *call.Tokens.Cost
	case r.call.Price != nil:
		used.Cost = r.call.Price.Cost(n)
	}
	u.mu.Lock()
	u.tokens += used.Tokens
	u.mu.Unlock()
	if r.hold != nil {
		r.hold.Settle(used)
	}
}

// total returns the tokens that the conversation has used.
func (u *spending) total() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.tokens
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
		now, err := mailbox.Ask(ctx, t.s.post, func() (spent, error) {
			return spent{t.s.metrics.Credits(), t.s.config.maxCredits()}, nil
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
	if err := t.s.log.Record("", limitsChanged(limit)); err != nil {
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
