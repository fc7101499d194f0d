package logtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var lossRules = []rule{
	{"a lost lease says who has the session now", lostLease},
	{"nothing is stored under a lost lease", nothingUnderALostLease},
	{"a log that has lost its lease can claim again", logAfterALoss},
	{"a log that has lost its lease delivers what the new owner appends", tailAfterALoss},
}

// takenOver opens a session of one record, claims it, and has another owner take it
// over.
func takenOver(t *testing.T, open Open) (first, second *Writer) {
	t.Helper()
	store, _ := open(t)
	first = create(t, store, "s")
	claim(t, first)
	Append(t, first, 1, 1)
	wantHeld(t, "a lease", first.Lease)
	s, lease := store.(taker).TakeOver("s", "node-b")
	second = Write(t, s, nil)
	second.Lease = lease
	return first, second
}

func lostLease(t *testing.T, open Open) {
	first, second := takenOver(t, open)
	select {
	case <-first.Lease.Lost():
	default:
		t.Error("Lost is not closed")
	}
	err := first.Lease.Err()
	wantKind(t, "the reason", err, fault.Conflict)
	if !strings.Contains(fault.Message(err), "taken over by node-b") {
		t.Errorf("the reason is %v, which does not name the owner", err)
	}
	if first.Lease.Epoch() >= second.Lease.Epoch() {
		t.Errorf("the epoch is %d, and was %d before", second.Lease.Epoch(), first.Lease.Epoch())
	}
	if owner, known := first.Others(); known && owner != "node-b" {
		t.Errorf("Others() = %q, want node-b", owner)
	}
}

func nothingUnderALostLease(t *testing.T, open Open) {
	first, second := takenOver(t, open)
	lost := first.Lease
	wantKind(t, "Append under a lost lease", lost.Append(t.Context(), 1, [][]byte{Record(9)}, true), fault.Conflict)
	_, err := lost.Put(t.Context(), []byte("x"))
	wantKind(t, "Put under a lost lease", err, fault.Conflict)
	wantKind(t, "Claim", first.Claim(), fault.Conflict)
	lost.Release() // does nothing
	Append(t, second, 2, 3)
	second.Release()
	claim(t, first)
	wantKind(t, "Append under the lost lease after another claim", lost.Append(t.Context(), 3, [][]byte{Record(9)}, true), fault.Conflict)
	Append(t, first, 4, 4)
	wantRecords(t, first, Records(1, 4))
}

// logAfterALoss checks that a log passes the loss on, and that its readers then receive
// what the other owner has recorded.
func logAfterALoss(t *testing.T, open Open) {
	store, _ := open(t)
	l := eventlog.NewLog(create(t, store, "s").Stream, eventlog.Options{})
	tail := l.Tail(0)
	hold, err := l.Claim(t.Context(), "node-a")
	if err != nil {
		t.Fatal(err)
	}
	s, lease := store.(taker).TakeOver("s", "node-b")
	second := Write(t, s, nil)
	second.Lease = lease
	<-hold.Lost()
	wantKind(t, "Append", l.Append(t.Context(), 0, true, Record(9)), fault.Conflict)
	_, err = l.Claim(t.Context(), "node-a")
	wantKind(t, "Claim while the other owner works", err, fault.Conflict)
	Append(t, second, 1, 2)
	second.Release()
	again, err := l.Claim(t.Context(), "node-a")
	if err != nil || l.Len() != 2 || again.Epoch() <= lease.Epoch() {
		t.Fatalf("Claim() = %v, %v with %d records; want two and a higher epoch", again, err, l.Len())
	}
	if err := l.Append(t.Context(), 2, true, Record(3)); err != nil {
		t.Errorf("Append() = %v", err)
	}
	l.Close()
	if diff := cmp.Diff(Records(1, 3), untilClosed(t, tail)); diff != "" {
		t.Errorf("the reader receives (-want +got):\n%s", diff)
	}
}

func tailAfterALoss(t *testing.T, open Open) {
	store, _ := open(t)
	l := eventlog.NewLog(create(t, store, "s").Stream, eventlog.Options{})
	defer l.Close()
	next := reader(t, l.Follow(0))
	if _, err := l.Claim(t.Context(), "node-a"); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), 0, true, Record(1)); err != nil {
		t.Fatal(err)
	}
	s, lease := store.(taker).TakeOver("s", "node-b")
	second := Write(t, s, nil)
	second.Lease = lease
	Append(t, second, 2, 3) // the log has not released what it has lost
	for n := 1; n <= 3; n++ {
		if rec, ok := next(); !ok || rec != string(Record(n)) {
			t.Fatalf("the tail delivers %q, want record %d", rec, n)
		}
	}
}
