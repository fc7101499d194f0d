package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
)

// A call is limited only where less remains than its answer could take, and never by more.
func TestABudgetLimitsACallByWhatRemains(t *testing.T) {
	dollars := &known.Price{Rates: known.Rates{Input: 1000, Output: 10_000}} // a cent for ten tokens, and for one
	for _, tc := range []struct {
		name   string
		limits ledger.Limits
		call   ledger.Call
		answer int64 // the bound, 0 for none
		why    string
	}{
		{"nothing is limited", ledger.Limits{}, ledger.Call{Request: 1 << 40, Answer: 1 << 40, Price: dollars}, 0, ""},
		{"more remains than the answer takes", ledger.Limits{Tokens: 1_000_000}, ledger.Call{Request: 100, Answer: 16_384}, 0, ""},
		{"less remains", ledger.Limits{Tokens: 10_000}, ledger.Call{Request: 100, Answer: 16_384}, 9900, ""},
		{"exactly that remains", ledger.Limits{Tokens: 10_000}, ledger.Call{Request: 100, Answer: 9900}, 0, ""},
		{"too little remains", ledger.Limits{Tokens: 300}, ledger.Call{Request: 100, Answer: 16_384}, 0, "0 of 300 tokens are used, and the next call could need more than the rest"},
		{"tokens are not counted", ledger.Limits{Tokens: 1}, ledger.Call{}, 0, ""},
		{"enough money remains", ledger.Limits{Cost: 1}, ledger.Call{Request: 100, Answer: 90, Price: dollars}, 0, ""},
		{"less money remains", ledger.Limits{Cost: 10}, ledger.Call{Request: 1000, Answer: 16_384, Price: dollars}, 900, ""},
		{"too little money remains", ledger.Limits{Cost: 1}, ledger.Call{Request: 100, Answer: 16_384, Price: dollars}, 0, "0.00 of 1.00 dollars are spent, and the next call could cost more than the rest"},
		{"not even for the request", ledger.Limits{Cost: 1}, ledger.Call{Request: 2000, Answer: 1, Price: dollars}, 0, "0.00 of 1.00 dollars are spent, and the next call could cost more than the rest"},
		{"the price is not known", ledger.Limits{Cost: 1}, ledger.Call{Request: 1 << 40, Answer: 1 << 40}, 0, ""},
	} {
		h, err := ledger.NewBudget(tc.limits).Reserve(t.Context(), tc.call)
		if why := exhausted(err); why != tc.why || why == "" && err != nil {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.why)
		} else if err == nil && h.Answer() != tc.answer {
			t.Errorf("%s: the answer may have %d tokens, want %d", tc.name, h.Answer(), tc.answer)
		}
	}
}

// exhausted is why a call was refused, "" if it was not because of a limit.
func exhausted(err error) string {
	if e := (*ledger.Exhausted)(nil); errors.As(err, &e) {
		return e.Why
	}
	return ""
}

// What a call has used counts, and not what was held for it. A call that was made counts also if it has cost
// nothing, and one that was not made does not.
func TestWhatCallsHaveUsedCounts(t *testing.T) {
	b := ledger.NewBudget(ledger.Limits{Calls: 2, Tokens: 1000})
	call := ledger.Call{Request: 100, Answer: 900}
	reserve := func() ledger.Hold {
		t.Helper()
		h, err := b.Reserve(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := reserve()
	h.Free()
	h.Settle(ledger.Used{Tokens: 999}) // comes too late
	h.Free()
	h = reserve()
	h.Settle(ledger.Used{})
	h = reserve()
	h.Settle(ledger.Used{Tokens: 200})
	h.Free()
	if _, err := b.Reserve(t.Context(), call); exhausted(err) != "2 of 2 turns are used" {
		t.Errorf("the third call: %v", err)
	}
}

// While calls under way may use up the rest, the next one waits: a bound on its answer, or its refusal, would be the
// fault of what they do not use in the end.
func TestACallWaitsWhileOthersHold(t *testing.T) {
	dear := &known.Price{Rates: known.Rates{Input: 10_000, Output: 10_000}} // a cent for a token
	for name, limits := range map[string]ledger.Limits{"tokens": {Tokens: 40_000}, "money": {Cost: 400}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, began := ledger.NewBudget(limits), time.Now()
				first, err := b.Reserve(t.Context(), ledger.Call{Request: 10_000, Answer: 20_000, Price: dear})
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Minute, func() { first.Settle(ledger.Used{Tokens: 10_000, Cost: 100}) })
				next, err := b.Reserve(t.Context(), ledger.Call{Request: 10_000, Answer: 20_000, Price: dear})
				if err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(began); waited != time.Minute || next.Answer() != 0 {
					t.Errorf("after %v the next call may have an answer of %d tokens; want the whole answer after a minute", waited, next.Answer())
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := b.Reserve(ctx, ledger.Call{Request: 10_000, Answer: 20_000, Price: dear}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a call that stops waiting: %v", err)
				}
				next.Settle(ledger.Used{Tokens: 10_000, Cost: 100})
				if h, err := b.Reserve(t.Context(), ledger.Call{Request: 10_000, Answer: 20_000, Price: dear}); err != nil || h.Answer() != 10_000 {
					t.Errorf("nothing is held any more: %v, %v; want an answer of 10000 tokens", h, err)
				}
			})
		})
	}
}

// noted is a ledger that notes what it is asked.
type noted struct {
	name   string
	answer int64
	err    error
	log    *[]string
}

func (n noted) Reserve(_ context.Context, c ledger.Call) (ledger.Hold, error) {
	*n.log = append(*n.log, fmt.Sprintf("%s %d", n.name, c.Answer))
	return n, n.err
}
func (n noted) Answer() int64 { return n.answer }
func (n noted) Settle(u ledger.Used) {
	*n.log = append(*n.log, fmt.Sprintf("%s settles %d", n.name, u.Tokens))
}
func (n noted) Free() { *n.log = append(*n.log, n.name+" frees") }

// Several ledgers are asked in their order; each may bound the answer, and where one refuses, the others give back.
func TestSeveralLedgers(t *testing.T) {
	var log []string
	run, home := noted{name: "run", answer: 500, log: &log}, noted{name: "home", log: &log}
	tenant := noted{name: "tenant", answer: 400, log: &log}
	h, err := ledger.All(run, nil, home, tenant).Reserve(t.Context(), ledger.Call{Answer: 1000})
	if err != nil || h.Answer() != 400 {
		t.Fatalf("%v, %v; want an answer of 400 tokens", h, err)
	}
	h.Settle(ledger.Used{Tokens: 7})
	if want := []string{"run 1000", "home 500", "tenant 500", "tenant settles 7", "home settles 7", "run settles 7"}; !slices.Equal(log, want) {
		t.Errorf("asked and told: %q, want %q", log, want)
	}
	log, tenant.err = nil, &ledger.Exhausted{Why: "the month is over"}
	if h, err := ledger.All(run, home, tenant).Reserve(t.Context(), ledger.Call{Answer: 1000}); exhausted(err) != "the month is over" || h != nil {
		t.Errorf("%v, %v", h, err)
	}
	if want := []string{"run 1000", "home 500", "tenant 500", "home frees", "run frees"}; !slices.Equal(log, want) {
		t.Errorf("asked and told: %q, want %q", log, want)
	}
	if h, err := ledger.All().Reserve(t.Context(), ledger.Call{}); err != nil || h.Answer() != 0 {
		t.Errorf("no ledger: %v, %v", h, err)
	}
}
