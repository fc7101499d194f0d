package logtest

import (
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

var keepRules = []rule{
	{"an owner that keeps its claim learns that it is wanted", wanted},
}

// wanted checks that a store whose claims are kept passes on who asks for one, and that all
// streams of a store say the same.
func wanted(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	keeping := first.Keeping()
	if keeping != second.Keeping() || keeping.Keep < 0 || keeping.ClaimWait < 0 || keeping.AppendWait < 0 {
		t.Errorf("Keeping() = %+v and %+v", keeping, second.Keeping())
	}
	claim(t, first)
	lease := first.Lease
	if isWanted(lease) {
		t.Error("the claim is wanted, and nobody has asked")
	}
	if second.Claim() == nil {
		t.Fatal("two streams have the claim")
	}
	if keeping.Keep == 0 {
		return // nothing is kept that anybody could want
	}
	select {
	case <-lease.Wanted():
	case <-time.After(patience):
		t.Fatalf("the owner has not learned within %v that another one asks", patience)
	}
	wantHeld(t, "a lease that is wanted", lease)
	Append(t, first, 2, 2)
	first.Release()
	claim(t, second)
	if isWanted(second.Lease) {
		t.Error("the next claim is wanted, and nobody has asked for it")
	}
	Append(t, second, 3, 3)
}

func isWanted(h eventlog.Hold) bool {
	select {
	case <-h.Wanted():
		return true
	default:
		return false
	}
}
