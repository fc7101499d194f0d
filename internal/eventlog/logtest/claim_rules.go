package logtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// two opens a session of n records twice, as two processes would.
func two(t *testing.T, open Open, n int) (store eventlog.Store, first, second eventlog.Stream) {
	t.Helper()
	store, reopen := open(t)
	first = create(t, store, "s")
	Append(t, first, 1, n)
	return store, first, reopened(t, reopen(), "s")
}

func claim(t *testing.T, s eventlog.Stream) {
	t.Helper()
	if err := s.Claim(); err != nil {
		t.Fatalf("Claim() = %v", err)
	}
}

func claimed(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	claim(t, first)
	claim(t, first)
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
	sides := []eventlog.Stream{first, second}
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

func unclaimed(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	Append(t, first, 2, 2)
	claim(t, second)
	Append(t, second, 3, 3)
	second.Release()
	wantKind(t, "Append that missed a record", first.Append(2, [][]byte{Record(9)}, false), fault.Conflict)
	claim(t, first)
	Append(t, first, 4, 4)
	wantRecords(t, first, Records(1, 4))
}

func others(t *testing.T, open Open) {
	store, reopen := open(t)
	first := create(t, store, "s")
	if first.Others() == -1 {
		t.Skip("this store cannot tell on this system")
	}
	want := func(s eventlog.Stream, somebody bool) {
		t.Helper()
		if got := s.Others(); got < 0 || (got > 0) != somebody {
			t.Errorf("Others() = %d, want somebody: %v", got, somebody)
		}
	}
	want(first, false)
	claim(t, first)
	want(first, false)
	second := reopened(t, reopen(), "s")
	want(first, true)
	want(second, true)
	second.Close()
	want(first, false)
}

func claimOfTheDeleted(t *testing.T, open Open) {
	store, first, second := two(t, open, 1)
	claim(t, second)
	wantKind(t, "Delete while another stream is at work", store.Delete("s"), fault.Conflict)
	second.Release()
	if err := store.Delete("s"); err != nil {
		t.Fatalf("Delete() = %v", err)
	}
	wantKind(t, "Claim", first.Claim(), fault.NotFound)
	anew := create(t, store, "s")
	Append(t, anew, 1, 1) // as many as there were
	wantKind(t, "Claim after it was made again", second.Claim(), fault.NotFound)
	claim(t, anew)
	wantRecords(t, anew, Records(1, 1))
}

// logsInTurn is two processes, each with a log and a client that watches it.
func logsInTurn(t *testing.T, open Open) {
	_, first, second := two(t, open, 2)
	logs := []*eventlog.Log{eventlog.NewLog(first, eventlog.Options{Lag: 4}), eventlog.NewLog(second, eventlog.Options{})}
	tails := []*eventlog.Tail{logs[0].Tail(0), logs[1].Tail(2)}
	n := uint64(2)
	for round := range uint64(6) {
		l := logs[round%2]
		before := l.Len()
		fresh, err := l.Claim()
		if err != nil || before+fresh != n || l.Len() != n {
			t.Fatalf("Claim() = %d, %v at %d; now at %d, want %d", fresh, err, before, l.Len(), n)
		}
		if _, err := logs[(round+1)%2].Claim(); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Claim by the other = %v", err)
		}
		for range 3 {
			n++
			if err := l.Append(n-1, true, Record(int(n))); err != nil {
				t.Fatal(err)
			}
		}
		l.Release()
	}
	if _, err := logs[0].Claim(); err != nil {
		t.Fatal(err)
	}
	logs[0].Close() // gives back the claim, although a tail still reads
	if _, err := logs[1].Claim(); err != nil {
		t.Errorf("Claim after the other log was closed = %v", err)
	}
	logs[1].Close()
	if diff := cmp.Diff(Records(1, int(n)), untilClosed(t, tails[0])); diff != "" {
		t.Errorf("the client of the first sees (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Records(3, int(n)), untilClosed(t, tails[1])); diff != "" {
		t.Errorf("the client of the second, from cursor 2, sees (-want +got):\n%s", diff)
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
