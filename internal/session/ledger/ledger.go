// Package ledger decides whether a call of a model may be made, and keeps what calls have used: tokens and money.
//
// A [Ledger] is asked with Reserve before every call of a model, also in a run without a budget of its own. It
// holds the most that the call may use until the caller says with Settle what it has used. [Budget] is a ledger
// with limits, and [All] makes one of several, such as that of a run and that of everything that a tenant does.
//
// A budget lets calls pass whose price is not known: a hard limit of money needs a ledger of its own, which refuses them.
// Agents that are called as models report no tokens and have no price. A budget forgets with its process what was used; one that must
// not keeps that in a file of its home.
// Homes that belong to one tenant have to share one ledger, or each of them has the whole limit.
package ledger

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// Ledger is asked before every call of a model. It is safe for concurrent use.
type Ledger interface {
	// Reserve holds what a call may use at most. Where calls under way may use up the rest, it waits until they
	// have ended. The error is [*Exhausted] if the call must not be made, and that of ctx if ctx ends first;
	// then nothing is held. A ledger that cannot tell returns any other error.
	Reserve(ctx context.Context, c Call) (Hold, error)
}

// Call is what is known of a call before it is made.
type Call struct {
	Session, Run, Agent string // whose it is; Agent is "" for the main agent
	Vendor, Model       string // Vendor is "" if it is not known
	// Request and Answer are the most tokens that either can have. Both are 0 if tokens are not counted, as in
	// calls of agents of other systems.
	Request, Answer int64
	// Counted are the tokens of the request that a provider has counted before, as part of another one.
	Counted int64
	// Price is what the tokens cost, nil if that is not known.
	Price *known.Price
}

// Hold is what a ledger keeps for a call under way. Only the first call of Settle or Free has an effect.
type Hold interface {
	// Answer is the most tokens that the answer may have, 0 if the ledger sets no bound.
	Answer() int64
	// Settle replaces what is held by what the call has used. The zero value stands for a call that was made and
	// cost nothing.
	Settle(u Used)
	// Free gives back what is held. The call was not made, and does not count.
	Free()
}

// Used is what a call has used.
type Used struct {
	Tokens int64   // of the request and the answer
	Cost   float64 // in US dollars; 0 also if it is not known
}

// Exhausted is why a call must not be made: a limit is reached. It ends the run, which has not failed.
type Exhausted struct{ Why string }

func (e *Exhausted) Error() string { return e.Why }

// All returns a ledger that allows a call if all of the given ones do; nil ones are left out. It asks them in
// their order, the narrowest first, so that a call which waits for one holds only what is narrower. Ledgers that
// several calls share must have the same order in all of them, or two calls could wait for each other.
func All(of ...Ledger) Ledger {
	of = slices.DeleteFunc(slices.Clone(of), func(l Ledger) bool { return l == nil })
	if len(of) == 1 {
		return of[0]
	}
	return all(of)
}

type all []Ledger

// Reserve implements [Ledger]. If one refuses, what the others hold is given back, the last first.
func (a all) Reserve(ctx context.Context, c Call) (Hold, error) {
	held := make(holds, 0, len(a))
	for _, l := range a {
		h, err := l.Reserve(ctx, c)
		if err != nil {
			held.Free()
			return nil, err
		}
		held = append(held, h)
		if most := h.Answer(); most > 0 { // the next one need not hold more
			c.Answer = min(c.Answer, most)
		}
	}
	return held, nil
}

// holds are those of one call, in the order of the ledgers.
type holds []Hold

func (h holds) Answer() (most int64) {
	for _, one := range h {
		if n := one.Answer(); n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	return most
}

func (h holds) Settle(u Used) {
	for _, one := range slices.Backward(h) {
		one.Settle(u)
	}
}

func (h holds) Free() {
	for _, one := range slices.Backward(h) {
		one.Free()
	}
}
