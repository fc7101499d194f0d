package provider

import (
	"context"
	"errors"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// Spending is what one conversation of a run has used, and holds, of what the run's ledger allows. The zero value
// has used nothing. It is safe for concurrent use, but for Reserve and ReserveTurn, which the goroutine calls that
// makes the calls of the conversation, and Settle of what they have returned.
type Spending struct {
	counted Counted // of its requests

	mu     sync.Mutex // guards the rest
	tokens int64
	turn   Reservation // for the call of its turn
}

// Account is where the calls of a conversation are charged.
type Account struct {
	Ledger              ledger.Ledger
	Session, Run, Agent string // their ids; Agent is "" for the main agent
	// Counts says that it matters how many tokens a request has at most. Otherwise nothing of the requests is
	// kept and compared.
	Counts bool
}

// Reservation is what a ledger keeps for one call. The zero value holds nothing.
type Reservation struct {
	hold    ledger.Hold
	call    ledger.Call
	request *model.Request // of which the tokens are to be counted; nil if nobody needs that
}

// Reserve asks the ledger for the next call, which may wait for calls of other conversations, and bounds the
// answer by what that allows. If the call must not be made, p.Stop says why. Text whose tokens were not counted yet
// counts with one token a byte, because no token is shorter; so more may remain at the end than was assumed.
func (u *Spending) Reserve(ctx context.Context, a Account, e *Endpoint, p *turn.Prompt) (r Reservation, err error) {
	r.call = ledger.Call{
		Session: a.Session, Run: a.Run, Agent: a.Agent, Vendor: e.Vendor(), Model: p.Request.Model, Price: e.Price(p.Request.Model),
	}
	if !e.IsExtension() { // agents report no tokens
		r.call.Request, r.call.Answer = p.Bytes(), e.LongestAnswer(p.Request)
		if a.Counts {
			r.call.Request, r.call.Counted = u.counted.AtMost(p)
		}
	}
	r.hold, err = a.Ledger.Reserve(ctx, r.call)
	if used := (*ledger.Exhausted)(nil); errors.As(err, &used) {
		p.Stop = &fault.Error{Op: "session", Kind: fault.Denied, Err: used}
		return Reservation{}, nil
	}
	if err != nil {
		return Reservation{}, err
	}
	if most := r.hold.Answer(); most > 0 {
		p.Request.MaxOutputTokens = int(most)
	}
	if a.Counts {
		asked := p.Request
		r.request = &asked
	}
	return r, nil
}

// ReserveTurn is Reserve for the call of a turn, which Spend and Free find by themselves.
func (u *Spending) ReserveTurn(ctx context.Context, a Account, e *Endpoint, p *turn.Prompt) error {
	r, err := u.Reserve(ctx, a, e, p)
	u.mu.Lock()
	u.turn = r
	u.mu.Unlock()
	return err
}

// Free gives back what is held, if the call has not been settled: it was refused, or has panicked. It counts as
// a call that has cost nothing.
func (r Reservation) Free() {
	if r.hold != nil {
		r.hold.Settle(ledger.Used{})
	}
}

// Free gives back what the call of the last turn holds, if that has not been settled.
func (u *Spending) Free() { u.take().Free() }

// Spend adds what the call of a turn has used.
func (u *Spending) Spend(call turn.Usage) { u.Settle(u.take(), call) }

// take returns what is held for the call of a turn, and forgets it.
func (u *Spending) take() Reservation {
	u.mu.Lock()
	defer u.mu.Unlock()
	r := u.turn
	u.turn = Reservation{}
	return r
}

// Settle adds what a call has used; its bytes if the provider did not count tokens.
func (u *Spending) Settle(r Reservation, call turn.Usage) {
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

// Total returns the tokens that the conversation has used.
func (u *Spending) Total() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.tokens
}
