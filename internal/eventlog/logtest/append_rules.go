package logtest

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

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

func twoWriters(t *testing.T, open Open) {
	store, reopen := open(t)
	first := create(t, store, "s")
	Append(t, first, 1, 1)
	second := reopened(t, reopen(), "s")
	Append(t, second, 2, 2)
	wantKind(t, "Append by the first", first.Append(1, [][]byte{Record(9)}, false), fault.Conflict)
	wantKind(t, "Append by the first again", first.Append(2, [][]byte{Record(9)}, false), fault.Conflict)
	wantRecords(t, first, Records(1, 1))
	Append(t, second, 3, 3)
	wantRecords(t, second, Records(1, 3))
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
