package logtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var claimRules = []rule{
	{"a claim keeps others from writing", claimed},
	{"a claim ends with Release and with Close", released},
	{"Close loses a lease, Release does not", endsOfALease},
	{"a claim takes in what others wrote", inTurn},
	{"an epoch rises when the owner changes", epochs},
	{"another stream that has the session open is seen", others},
	{"a claim on a deleted session is not found", claimOfTheDeleted},
	{"logs publish what another process recorded", logsInTurn},
}

// two opens a session of n records twice, as two processes would.
func two(t *testing.T, open Open, n int) (store eventlog.Store, first, second *Writer) {
	t.Helper()
	store, reopen := open(t)
	first = create(t, store, "s")
	Append(t, first, 1, n)
	return store, first, reopened(t, reopen(), "s")
}

func claim(t *testing.T, s *Writer) {
	t.Helper()
	if err := s.Claim(); err != nil {
		t.Fatalf("Claim() = %v", err)
	}
}

func claimed(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	claim(t, first)
	lease := first.Lease
	if claim(t, first); first.Lease != lease {
		t.Error("a second Claim returned another lease")
	}
	wantKind(t, "Claim by the second", second.Claim(), fault.Conflict)
	wantKind(t, "Append by the second", second.Append(1, [][]byte{Record(9)}, false), fault.Conflict)
	second.Release() // what it does not have
	wantKind(t, "Claim by the second", second.Claim(), fault.Conflict)
	Append(t, first, 2, 3)
	wantRecords(t, first, Records(1, 3))
	wantRecords(t, second, Records(1, 1))
	wantKind(t, "Append elsewhere", first.Append(1, [][]byte{Record(9)}, false), fault.Conflict)
}

func released(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	claim(t, first)
	first.Release()
	claim(t, second)
	second.Close()
	claim(t, first)
	wantClosed(t, "Claim of a closed stream", second.Claim())
}

func inTurn(t *testing.T, open Open) {
	_, first, second := two(t, open, 0)
	sides := []*Writer{first, second}
	n := 0
	for round := range 6 {
		s := sides[round%2]
		claim(t, s)
		if s.Len() != uint64(n) {
			t.Errorf("Len() = %d after the claim, the other has written up to %d", s.Len(), n)
		}
		old := s.Read(uint64(max(n, 1)))
		Append(t, s, n+1, n+round*40) // more than any index of a store is likely to skip
		if got := Collect(t, old); len(got) > 1 {
			t.Errorf("a read from before the append yields %d records, want at most the last", len(got))
		}
		n += round * 40
		s.Release()
	}
	claim(t, first)
	for _, s := range sides {
		wantRecords(t, s, Records(1, n))
		if diff := cmp.Diff(Records(n-70, n), Collect(t, s.Read(uint64(n-70)))); diff != "" {
			t.Errorf("Read from the middle (-want +got):\n%s", diff)
		}
	}
	if first.Size() != second.Size() {
		t.Errorf("Size() = %d and %d of one log", first.Size(), second.Size())
	}
}

// endsOfALease looks at what the owner hears of the end of its lease.
func endsOfALease(t *testing.T, open Open) {
	_, s, _ := two(t, open, 1)
	claim(t, s)
	given := s.Lease
	s.Release()
	claim(t, s)
	kept := s.Lease
	wantHeld(t, "a lease that was released", given)
	wantHeld(t, "a lease", kept)
	s.Close()
	wantHeld(t, "a lease that was released before its stream was closed", given)
	select {
	case <-kept.Lost():
	default:
		t.Error("Close has not closed Lost")
	}
	wantClosed(t, "the reason", kept.Err())
}

// wantHeld checks that a lease was not lost.
func wantHeld(t *testing.T, what string, l eventlog.Hold) {
	t.Helper()
	select {
	case <-l.Lost():
		t.Errorf("%s is lost: %v", what, l.Err())
	default:
		if l.Err() != nil {
			t.Errorf("%s was not lost, but its Err() = %v", what, l.Err())
		}
	}
}

func epochs(t *testing.T, open Open) {
	_, first, second := two(t, open, 0)
	last := uint64(0)
	for n := range 6 {
		s := []*Writer{first, second}[n%2]
		claim(t, s)
		if s.Lease.Epoch() <= last {
			t.Errorf("Epoch() = %d after one of %d, under which something was appended", s.Lease.Epoch(), last)
		}
		Append(t, s, n+1, n+1)
		last = s.Lease.Epoch()
		s.Release()
	}
	claim(t, second)
	s := second.Lease.Epoch()
	second.Release()
	claim(t, first)
	if first.Lease.Epoch() < s {
		t.Errorf("Epoch() = %d after one of %d; want it not to fall", first.Lease.Epoch(), s)
	}
}

func others(t *testing.T, open Open) {
	store, reopen := open(t)
	first := create(t, store, "s")
	_, known := first.Others()
	want := func(s *Writer, owner string) {
		t.Helper()
		if got, ok := s.Others(); ok != known || known && got != owner {
			t.Errorf("Others() = %q, %v; want %q, %v", got, ok, owner, known)
		}
	}
	want(first, "")
	claim(t, first)
	want(first, "")
	second := reopened(t, reopen(), "s")
	want(first, eventlog.ThisProcess())
	want(second, eventlog.ThisProcess())
	second.Close()
	want(first, "")

	stored := func(session, owner string) {
		t.Helper()
		if got, ok, err := store.Others(t.Context(), session); err != nil || ok != known || known && got != owner {
			t.Errorf("Others(%s) of the store = %q, %v, %v; want %q, %v", session, got, ok, err, owner, known)
		}
	}
	stored("s", eventlog.ThisProcess())
	first.Close()
	stored("s", "")
	if _, _, err := store.Others(t.Context(), "none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Others of a session that does not exist: %v, want not found", err)
	}
}

func claimOfTheDeleted(t *testing.T, open Open) {
	store, first, second := two(t, open, 1)
	claim(t, second)
	wantKind(t, "Delete while another stream is at work", store.Delete(t.Context(), "s"), fault.Conflict)
	second.Release()
	if err := store.Delete(t.Context(), "s"); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
	wantKind(t, "Claim", first.Claim(), fault.NotFound)
	anew := create(t, store, "s")
	Append(t, anew, 1, 1) // as many as there were
	wantKind(t, "Claim after it was made again", second.Claim(), fault.NotFound)
	claim(t, anew)
	wantRecords(t, anew, Records(1, 1))
}

// logsInTurn has two processes, each with a log and a client that reads it.
func logsInTurn(t *testing.T, open Open) {
	_, first, second := two(t, open, 2)
	logs := []*eventlog.Log{eventlog.NewLog(first.Stream, eventlog.Options{Lag: 4}), eventlog.NewLog(second.Stream, eventlog.Options{})}
	tails := []*eventlog.Tail{logs[0].Tail(0), logs[1].Tail(2)}
	n := uint64(2)
	for round := range uint64(6) {
		l := logs[round%2]
		if _, err := l.Claim(t.Context(), "owner"); err != nil || l.Len() != n {
			t.Fatalf("Claim() = %v; now at %d, want %d", err, l.Len(), n)
		}
		_, err := logs[(round+1)%2].Claim(t.Context(), "another")
		wantKind(t, "Claim by the other", err, fault.Conflict)
		for range 3 {
			n++
			if err := l.Append(t.Context(), n-1, true, Record(int(n))); err != nil {
				t.Fatal(err)
			}
		}
		l.Release()
		wantKind(t, "Append after Release", l.Append(t.Context(), n, true, Record(int(n+1))), fault.Conflict)
	}
	if _, err := logs[0].Claim(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	logs[0].Close() // gives back the claim, although a tail still reads
	if _, err := logs[1].Claim(t.Context(), "another"); err != nil {
		t.Errorf("Claim after the other log was closed = %v", err)
	}
	logs[1].Close()
	if diff := cmp.Diff(Records(1, int(n)), untilClosed(t, tails[0])); diff != "" {
		t.Errorf("the client of the first reads (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Records(3, int(n)), untilClosed(t, tails[1])); diff != "" {
		t.Errorf("the client of the second, from cursor 2, reads (-want +got):\n%s", diff)
	}
}

// untilClosed is Collect of a tail whose log is closed.
func untilClosed(t *testing.T, tail *eventlog.Tail) []string {
	t.Helper()
	return Collect(t, func(yield func(eventlog.Record, error) bool) {
		for rec, err := range tail.Records(t.Context()) {
			if err != nil {
				wantClosed(t, "the end of a tail", err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	})
}
