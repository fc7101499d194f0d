package ledger

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// Cap is a ledger that ends work once it has cost an amount of money. It refuses calls whose price is not known, and
// those that would exceed the amount even if what is new in their request had as few tokens as its text can have. Unlike a [Budget],
// which must never exceed its limits, it lets a call be made that may exceed the amount: it is the last one, and
// calls under way beside it end as well.
type Cap struct {
	dollars float64

	mu    sync.Mutex // guards the rest
	spent float64
	held  float64 // the least that the calls under way cost
	cut   bool    // the answer of the last call was limited
}

// NewCap returns a cap of an amount in US dollars, of which nothing is spent. The amount is above 0.
func NewCap(dollars float64) *Cap { return &Cap{dollars: dollars} }

// bytesPerToken is how many bytes a token of a long text has at most, on average. Uncounted text has at least this
// many fewer tokens than bytes. Ordinary text has three to five, and rows of spaces more.
const bytesPerToken = 8

// Reserve implements [Ledger]. The error of a call without a price names its model.
func (c *Cap) Reserve(_ context.Context, call Call) (Hold, error) {
	if call.Price == nil {
		return nil, Unpriced(call.Model)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	least := leastOf(call)
	left := c.dollars - c.spent - c.held
	answer := affordable(least, left, call.Answer)
	if left <= 0 || answer < min(call.Answer, leastAnswer) {
		why := fmt.Sprintf("%s of %s dollars are spent", amount(c.spent), amount(c.dollars))
		if c.spent < c.dollars {
			why += ", and the next call would cost more than the rest"
		}
		return nil, &Exhausted{why}
	}
	h := &capHold{of: c, held: costOf(least, 0)}
	if c.cut = answer < call.Answer; c.cut {
		h.answer = answer
	}
	c.held += h.held
	return h, nil
}

// leastOf is a call with the least that its request costs: few tokens, all of them from the cache of the provider.
func leastOf(call Call) Call {
	price := *call.Price
	price.Rates = cheapest(price.Rates)
	price.Long = nil
	call.Price, call.Request = &price, call.Counted+max(call.Request-call.Counted, 0)/bytesPerToken
	return call
}

// cheapest are rates whose input costs what it costs in the cheapest case.
func cheapest(r known.Rates) known.Rates {
	if r.CacheRead != nil {
		r.Input = min(r.Input, *r.CacheRead)
	}
	r.CacheRead, r.CacheWrite = nil, nil
	return r
}

// amount is dollars with cents, and with as many digits as a small amount needs.
func amount(dollars float64) string {
	digits := 2
	if dollars > 0 && dollars < 1 {
		digits = min(2-int(math.Floor(math.Log10(dollars))), 8)
	}
	return fmt.Sprintf("%.*f", digits, dollars)
}

// Rest is what is left of the amount, in US dollars; below 0 if the last call has exceeded it. cut says that the answer of
// that call was limited by what was left.
func (c *Cap) Rest() (dollars float64, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dollars - c.spent, c.cut
}

// Unpriced is the error of a call under a limit of money whose price is not known.
func Unpriced(model string) error {
	return &fault.Error{
		Kind: fault.Denied, Err: fmt.Errorf("it is not known what tokens of the model %s cost, so a limit of money cannot hold", fault.Bounded(model)),
		Hint: "name its prices in the file models.json (docs/models.md), or limit tokens instead",
	}
}

// capHold is what a cap holds for one call.
type capHold struct {
	of     *Cap
	answer int64
	held   float64
	ended  bool // guarded by of.mu
}

// Answer implements [Hold].
func (h *capHold) Answer() int64 { return h.answer }

// Settle implements [Hold].
func (h *capHold) Settle(u Used) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	h.of.held -= h.held
	h.of.spent += u.Cost
}

// Free implements [Hold].
func (h *capHold) Free() { h.Settle(Used{}) }
