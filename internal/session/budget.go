package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
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
	return ledger.All(ledger.NewBudget(limits), s.reg.opts.Ledger)
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
	return t.budget != nil && t.budget.MaxTokens > 0 || t.s.reg.opts.Ledger != nil
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
