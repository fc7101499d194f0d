package ledger_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
)

// A cap refuses calls that would certainly exceed it, and those without a price; it limits the answers of the others.
func TestACapRefusesWhatWouldCertainlyExceedIt(t *testing.T) {
	cached := 100.0
	dollars := &known.Price{Rates: known.Rates{Input: 1000, Output: 10_000, CacheRead: &cached}} // a tenth of a cent for a token, and a cent
	for _, tc := range []struct {
		name   string
		amount float64
		call   ledger.Call
		answer int64 // the bound, 0 for none
		why    string
	}{
		{"enough remains", 1000, ledger.Call{Request: 8000, Answer: 1000, Price: dollars}, 0, ""},
		{"the request may be cheap", 5, ledger.Call{Request: 80_000, Answer: 256, Price: dollars}, 0, ""},
		{"the request was counted before", 5, ledger.Call{Request: 80_000, Counted: 60_000, Answer: 256, Price: dollars}, 0, "0.00 of 5.00 dollars are spent, and the next call would cost more than the rest"},
		{"the answer is limited", 5, ledger.Call{Request: 8000, Answer: 16_384, Price: dollars}, 490, ""},
		{"no answer is left", 1, ledger.Call{Request: 8000, Answer: 16_384, Price: dollars}, 0, "0.00 of 1.00 dollars are spent, and the next call would cost more than the rest"},
		{"not even the request", 0.01, ledger.Call{Request: 8000, Answer: 1, Price: dollars}, 0, "0.00 of 0.0100 dollars are spent, and the next call would cost more than the rest"},
	} {
		h, err := ledger.NewCap(tc.amount).Reserve(t.Context(), tc.call)
		if why := exhausted(err); why != tc.why || why == "" && err != nil {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.why)
		} else if err == nil && h.Answer() != tc.answer {
			t.Errorf("%s: the answer may have %d tokens, want %d", tc.name, h.Answer(), tc.answer)
		}
	}
	_, err := ledger.NewCap(1000).Reserve(t.Context(), ledger.Call{Model: "free"})
	if err == nil || exhausted(err) != "" || !strings.Contains(err.Error(), "free") {
		t.Errorf("a call without a price: %v", err)
	}
}

// The call that exceeds a cap is the last one; what is given back counts as nothing.
func TestTheCallThatExceedsACapIsTheLast(t *testing.T) {
	price := &known.Price{Rates: known.Rates{Input: 1, Output: 1}}
	c := ledger.NewCap(0.5)
	call := ledger.Call{Request: 1000, Answer: 1000, Price: price}
	for _, cost := range []float64{0, 0.4, 0.2} {
		h, err := c.Reserve(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if cost == 0 {
			h.Free()
		}
		h.Settle(ledger.Used{Cost: cost})
		h.Settle(ledger.Used{Cost: 100}) // only the first one counts
	}
	if rest, _ := c.Rest(); rest > -0.099 || rest < -0.101 {
		t.Errorf("%v is left, want -0.1", rest)
	}
	if _, err := c.Reserve(t.Context(), call); exhausted(err) != "0.600 of 0.500 dollars are spent" {
		t.Errorf("after the cap: %v", err)
	}
}
