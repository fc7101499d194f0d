package ledger

import (
	"context"
	"fmt"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// Limits are those of a [Budget]. A value of 0 is no limit.
type Limits struct {
	Calls  int
	Tokens int64
	Cost   float64 // in US dollars, of the calls whose price is known
}

// Budget is a ledger that allows calls up to its limits. Where less remains than the longest answer could take, it
// bounds the answer by that. It never exceeds the limits, unless a provider counts more tokens than the call could
// have.
type Budget struct {
	limits Limits

	mu     sync.Mutex // guards the rest
	calls  int
	used   Used
	held   Used          // by calls under way
	priced int           // how many of them hold money, of which sums are not exact
	freed  chan struct{} // closed when less is held; nil if no call waits for that
}

// NewBudget returns a budget of which nothing is used.
func NewBudget(limits Limits) *Budget { return &Budget{limits: limits} }

// leastAnswer is the shortest answer worth a call, in tokens: with less left than
// that, a model could not even name a tool.
const leastAnswer = 256

// Reserve implements [Ledger].
func (b *Budget) Reserve(ctx context.Context, c Call) (Hold, error) {
	for {
		h, freed, err := b.try(c)
		if freed == nil {
			if err != nil {
				return nil, err
			}
			return h, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try is Reserve without waiting: freed is what to wait for, nil if the call is decided on.
func (b *Budget) try(c Call) (h *hold, freed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limits.Calls > 0 && b.calls >= b.limits.Calls {
		return nil, nil, &Exhausted{fmt.Sprintf("%d of %d turns are used", b.calls, b.limits.Calls)}
	}
	most, answer := c.Answer, c.Answer
	if b.limits.Tokens > 0 && c.Request+c.Answer > 0 {
		left := b.limits.Tokens - b.used.Tokens - b.held.Tokens - c.Request
		switch {
		case left < answer && b.held.Tokens > 0:
			return nil, b.wait(), nil
		case left < leastAnswer:
			return nil, nil, &Exhausted{fmt.Sprintf("%d of %d tokens are used, and the next call could need more than the rest", b.used.Tokens, b.limits.Tokens)}
		}
		answer = min(answer, left)
	}
	if b.limits.Cost > 0 && c.Price != nil {
		can := affordable(c, b.limits.Cost-b.used.Cost-b.held.Cost, answer)
		switch {
		case can < answer && b.priced > 0:
			return nil, b.wait(), nil
		case can < min(answer, leastAnswer):
			return nil, nil, &Exhausted{fmt.Sprintf("%.2f of %.2f dollars are spent, and the next call could cost more than the rest", b.used.Cost, b.limits.Cost)}
		}
		answer = can
	}
	h = &hold{of: b, held: Used{Tokens: c.Request + answer, Cost: costOf(c, answer)}}
	if answer < most {
		h.answer = answer
	}
	b.calls++
	b.held.Tokens += h.held.Tokens
	b.held.Cost += h.held.Cost
	if h.held.Cost > 0 {
		b.priced++
	}
	return h, nil, nil
}

// wait returns what is closed when less is held. It is called with mu.
func (b *Budget) wait() <-chan struct{} {
	if b.freed == nil {
		b.freed = make(chan struct{})
	}
	return b.freed
}

// costOf is what a call costs at most whose answer has a number of tokens; 0 if its price is not known.
func costOf(c Call, answer int64) float64 {
	if c.Price == nil {
		return 0
	}
	// The provider may write all of the request to its cache.
	return max(c.Price.Cost(known.Tokens{Input: c.Request, Output: answer}), c.Price.Cost(known.Tokens{Input: c.Request, CacheWrite: c.Request, Output: answer}))
}

// affordable is how many tokens of an answer an amount of money is enough for, with its request: most at most, and
// -1 if not even the request.
func affordable(c Call, left float64, most int64) int64 {
	request, whole := costOf(c, 0), costOf(c, most)
	switch {
	case whole <= left:
		return most
	case request > left:
		return -1
	}
	return int64(float64(most) * (left - request) / (whole - request))
}

// hold is what a budget holds for one call.
type hold struct {
	of     *Budget
	answer int64
	held   Used
	ended  bool // guarded by of.mu
}

// Answer implements [Hold].
func (h *hold) Answer() int64 { return h.answer }

// Settle implements [Hold].
func (h *hold) Settle(u Used) { h.end(u, true) }

// Free implements [Hold].
func (h *hold) Free() { h.end(Used{}, false) }

// end replaces what is held by what was used, if the call was made.
func (h *hold) end(u Used, made bool) {
	b := h.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	if !made {
		b.calls--
	}
	b.used.Tokens += u.Tokens
	b.used.Cost += u.Cost
	b.held.Tokens -= h.held.Tokens
	b.held.Cost -= h.held.Cost
	if h.held.Cost > 0 {
		b.priced--
	}
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// Within returns a ledger that also bounds the calls of an agent; 0: nothing does.
func Within(l Ledger, calls int) Ledger {
	if calls == 0 {
		return l
	}
	return All(NewBudget(Limits{Calls: calls}), l)
}
