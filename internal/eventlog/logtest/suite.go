package logtest

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Open makes an empty store. reopen returns another store on the same storage,
// as the next process would see it: what the first one holds open is left as
// it is.
type Open func(t *testing.T) (store eventlog.Store, reopen func() eventlog.Store)

// Run tests that the stores of open keep the contract of package eventlog.
func Run(t *testing.T, open func(t *testing.T) (store eventlog.Store, reopen func() eventlog.Store)) {
	for _, tc := range []struct {
		rule string
		test func(*testing.T, Open)
	}{
		{"a new log is empty and can be opened", newLog},
		{"a session is created once", createdOnce},
		{"what is not there is not found", notFound},
		{"an empty id is invalid", emptyID},
		{"ids are kept apart or refused", ids},
		{"records are read from any position", positions},
		{"records outlive the process", outlive},
		{"a session is gone on with as often as it is opened", rounds},
		{"a record is kept as it is", verbatim},
		{"records of one append are stored together", together},
		{"an append elsewhere than at the end is a conflict", wrongPosition},
		{"of two writers the second is told", twoWriters},
		{"who claims keeps others from writing", claimed},
		{"a claim ends with Release and with Close", released},
		{"who claims takes in what others wrote", inTurn},
		{"without a claim nothing is taken in", unclaimed},
		{"who has a session open is seen", others},
		{"a claim on a deleted session is not found", claimOfTheDeleted},
		{"logs tell what another process recorded", logsInTurn},
		{"only objects on one line are records", invalidRecords},
		{"the store keeps no reference to a record", noReference},
		{"a read ends where the log ended when it began", readEnds},
		{"a read can be left", readLeft},
		{"readers do not disturb the writer", readers},
		{"a closed stream says so", closed},
		{"a scan reads while others write", scan},
		{"sessions are listed", sessions},
		{"a deleted session is gone and can begin anew", deleted},
	} {
		t.Run(tc.rule, func(t *testing.T) { tc.test(t, open) })
	}
}

// Record returns the nth record of a made-up session, a small event.
func Record(n int) []byte {
	return fmt.Appendf(nil, `{"type":"session.info","data":{"message":"record %d"},"id":"%[1]d"}`, n)
}

// Append appends records from to to, as [Record] makes them, one by one and
// durably, and fails the test if it cannot.
func Append(t testing.TB, s eventlog.Stream, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		if err := s.Append(uint64(n-1), [][]byte{Record(n)}, true); err != nil {
			t.Fatalf("Append(%d) = %v", n-1, err)
		}
	}
}

// Collect returns the JSON of all that seq yields, and fails the test at an
// error, or at a Seq that does not follow the one before it.
func Collect(t testing.TB, seq iter.Seq2[eventlog.Record, error]) []string {
	t.Helper()
	var all []string
	var last uint64
	for rec, err := range seq {
		if err != nil {
			t.Fatalf("after record %d: %v", last, err)
		}
		if last != 0 && rec.Seq != last+1 {
			t.Fatalf("record %d follows record %d", rec.Seq, last)
		}
		last = rec.Seq
		all = append(all, string(rec.JSON))
	}
	return all
}

// Records returns what [Collect] collects of records from to to.
func Records(from, to int) []string {
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, string(Record(n)))
	}
	return all
}

// create makes a session and fails the test if it cannot. The stream is closed
// with the test.
func create(t *testing.T, store eventlog.Store, session string) eventlog.Stream {
	t.Helper()
	s, err := store.Create(session)
	if err != nil {
		t.Fatalf("Create(%q) = %v", session, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reopened opens a session that must be undamaged.
func reopened(t *testing.T, store eventlog.Store, session string) eventlog.Stream {
	t.Helper()
	s, repair, err := store.Open(session)
	if err != nil || repair != nil {
		t.Fatalf("Open(%q) = %+v, %v; want it undamaged", session, repair, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("%s = %v, want a fault of kind %v", what, err, want)
	}
}

func wantClosed(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("%s = %v, want %v", what, err, eventlog.ErrClosed)
	}
}

func wantRecords(t *testing.T, s eventlog.Stream, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, Collect(t, s.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if s.Len() != uint64(len(want)) {
		t.Errorf("Len() = %d, want %d", s.Len(), len(want))
	}
}
