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
// as the next process would see it; what the first store holds open stays open.
type Open func(t *testing.T) (store eventlog.Store, reopen func() eventlog.Store)

// taker is a store that can take a session away from its owner, as [Memory.TakeOver]
// does.
type taker interface {
	TakeOver(session, owner string) (eventlog.Stream, eventlog.Lease)
}

// rule is one promise of the contract, and its test.
type rule struct {
	promise string
	test    func(*testing.T, Open)
}

// Run tests that the stores of open keep the contract of package eventlog. How a lease
// is lost is tested only with stores that can lose one on command.
func Run(t *testing.T, open func(t *testing.T) (store eventlog.Store, reopen func() eventlog.Store)) {
	for _, rules := range [][]rule{storeRules, appendRules, readRules, claimRules, payloadRules, contextRules, watchRules, keepRules} {
		for _, r := range rules {
			t.Run(r.promise, func(t *testing.T) { r.test(t, open) })
		}
	}
	store, _ := open(t)
	if _, ok := store.(taker); !ok {
		return
	}
	for _, r := range lossRules {
		t.Run(r.promise, func(t *testing.T) { r.test(t, open) })
	}
}

// Record returns the nth record of a made-up session, a small event.
func Record(n int) []byte {
	return fmt.Appendf(nil, `{"type":"session.info","data":{"message":"record %d"},"id":"%[1]d"}`, n)
}

// Append appends records from to to, as [Record] makes them, one by one and
// durably, and fails the test if it cannot.
func Append(t testing.TB, s *Writer, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		if err := s.Append(uint64(n-1), [][]byte{Record(n)}, true); err != nil {
			t.Fatalf("Append(%d) = %v", n-1, err)
		}
	}
}

// Collect returns the JSON of all that seq yields, and fails the test at an
// error, or at a position that does not follow the one before it.
func Collect(t testing.TB, seq iter.Seq2[eventlog.Record, error]) []string {
	t.Helper()
	var all []string
	var last uint64
	for rec, err := range seq {
		if err != nil {
			t.Fatalf("after record %d: %v", last, err)
		}
		if last != 0 && rec.Pos != last+1 {
			t.Fatalf("record %d follows record %d", rec.Pos, last)
		}
		last = rec.Pos
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
func create(t *testing.T, store eventlog.Store, session string) *Writer {
	t.Helper()
	s, err := store.Create(t.Context(), session)
	return Write(t, s, err)
}

// reopened opens a session that must be undamaged.
func reopened(t *testing.T, store eventlog.Store, session string) *Writer {
	t.Helper()
	s, err := store.Open(t.Context(), session)
	w := Write(t, s, err)
	if notice := w.Notice(); notice != "" {
		t.Fatalf("Open(%q) reports %q; want it undamaged", session, notice)
	}
	return w
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

func wantRecords(t *testing.T, s *Writer, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, Collect(t, s.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if s.Len() != uint64(len(want)) {
		t.Errorf("Len() = %d, want %d", s.Len(), len(want))
	}
}
