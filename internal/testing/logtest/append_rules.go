package logtest

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var appendRules = []rule{
	{"records of one append are stored together", together},
	{"an append elsewhere than at the end is a conflict", wrongPosition},
	{"an append needs a lease", leaseNeeded},
	{"only objects on one line are records", invalidRecords},
	{"a record has a bound", bounded},
	{"the store keeps no reference to a record", noReference},
}

func together(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	if err := s.Append(0, nil, true); err != nil {
		t.Errorf("Append of nothing = %v", err)
	}
	if err := s.Append(0, [][]byte{Record(1), Record(2), Record(3)}, true); err != nil {
		t.Fatal(err)
	}
	size := s.Size()
	bad := [][]byte{Record(4), []byte("no object")}
	wantKind(t, "Append of one good and one bad record", s.Append(3, bad, true), fault.Invalid)
	wantRecords(t, s, Records(1, 3))
	if s.Size() != size {
		t.Errorf("Size() = %d after a refused append, want %d", s.Size(), size)
	}
	Append(t, s, 4, 4)
	wantRecords(t, reopened(t, reopen(), "s"), Records(1, 4))
}

func wrongPosition(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 2)
	for _, at := range []uint64{0, 1, 3, 1 << 63} {
		wantKind(t, "Append elsewhere", s.Append(at, [][]byte{Record(3)}, false), fault.Conflict)
	}
	wantRecords(t, s, Records(1, 2))
	Append(t, s, 3, 3)
}

func leaseNeeded(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	claim(t, first)
	old := first.Lease
	Append(t, first, 2, 2)
	wantKind(t, "Append by the second", second.Append(2, [][]byte{Record(9)}, false), fault.Conflict)
	first.Release()
	wantKind(t, "Append after Release", old.Append(t.Context(), 2, [][]byte{Record(9)}, false), fault.Conflict)
	claim(t, second)
	Append(t, second, 3, 3)
	wantKind(t, "Append after another stream has claimed", old.Append(t.Context(), 2, [][]byte{Record(9)}, false), fault.Conflict)
	old.Release() // does nothing
	Append(t, second, 4, 4)
	second.Release()
	claim(t, first)
	wantKind(t, "Append under an earlier lease", old.Append(t.Context(), 4, [][]byte{Record(9)}, false), fault.Conflict)
	wantRecords(t, first, Records(1, 4))
}

// bounded tries the longest record, and one that is a byte longer.
func bounded(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	long := func(n int) []byte { return []byte(`{"x":"` + strings.Repeat("x", n-len(`{"x":""}`)) + `"}`) }
	if err := s.Append(0, [][]byte{long(eventlog.MaxRecord)}, true); err != nil {
		t.Fatalf("Append of %d bytes = %v", eventlog.MaxRecord, err)
	}
	wantKind(t, "Append of a byte more", s.Append(1, [][]byte{Record(2), long(eventlog.MaxRecord + 1)}, true), fault.Invalid)
	if s.Len() != 1 {
		t.Errorf("Len() = %d after a refused append, want 1", s.Len())
	}
	wantRecords(t, reopened(t, reopen(), "s"), []string{string(long(eventlog.MaxRecord))})
}

func invalidRecords(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	for _, rec := range []string{
		"", " ", "null", "1", `"{}"`, "[{}]", "{}\n", "\n{}", "{\n}", "{}{}", "{", `{"a":}`, ` {}`, "{} ", "\x00{}",
	} {
		err := s.Append(0, [][]byte{[]byte(rec)}, false)
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("Append(%q) = %v, want invalid", rec, err)
		}
	}
	wantRecords(t, s, nil)
}

func noReference(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	rec := Record(1)
	if err := s.Append(0, [][]byte{rec}, false); err != nil {
		t.Fatal(err)
	}
	clear(rec)
	wantRecords(t, s, Records(1, 1))
}
