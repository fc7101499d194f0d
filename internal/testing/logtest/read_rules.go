package logtest

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var readRules = []rule{
	{"records are read from any position", positions},
	{"records outlive the process", outlive},
	{"a session is continued as often as it is opened", rounds},
	{"a record is kept as it is", verbatim},
	{"a read ends where the log ended when it began", readEnds},
	{"a read can be left", readLeft},
	{"readers do not disturb the writer", readers},
	{"a closed stream says so", closed},
}

func positions(t *testing.T, open Open) {
	const n = 200 // more than any index of a store is likely to skip
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, n)
	wantRecords(t, s, Records(1, n))
	for _, from := range []int{1, 2, 63, 64, 65, 66, 128, 129, n} {
		first := uint64(0)
		for rec := range s.Read(uint64(from)) {
			first = rec.Pos
			break
		}
		if first != uint64(from) {
			t.Errorf("Read(%d) begins at record %d", from, first)
		}
		if diff := cmp.Diff(Records(from, n), Collect(t, s.Read(uint64(from)))); diff != "" {
			t.Errorf("Read(%d) (-want +got):\n%s", from, diff)
		}
	}
	if got := Collect(t, s.Read(0)); len(got) != n {
		t.Errorf("Read(0) yields %d records, want all %d", len(got), n)
	}
	if got := Collect(t, s.Read(n+1)); len(got) != 0 {
		t.Errorf("Read past the end yields %d records", len(got))
	}
}

func outlive(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 70)
	if err := s.Append(70, [][]byte{Record(71)}, false); err != nil {
		t.Fatal(err)
	}
	again := reopened(t, reopen(), "s") // the first process never closed it
	wantRecords(t, again, Records(1, 71))
	if again.Size() != s.Size() {
		t.Errorf("Size() = %d after opening, %d before", again.Size(), s.Size())
	}
	Append(t, again, 72, 72)
	wantRecords(t, again, Records(1, 72))
}

// rounds opens a session again after a few records, and after more than a store is
// likely to index at once, with and without closing it before.
func rounds(t *testing.T, open Open) {
	store, reopen := open(t)
	create(t, store, "s")
	n := 0
	for i, more := range []int{1, 63, 64, 65, 0, 130, 2} {
		s := reopened(t, reopen(), "s")
		Append(t, s, n+1, n+more)
		n += more
		wantRecords(t, s, Records(1, n))
		if i%3 == 2 {
			continue // like a process that is killed
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
	s := reopened(t, reopen(), "s")
	wantRecords(t, s, Records(1, n))
	if diff := cmp.Diff(Records(1, n), Collect(t, reopen().Scan(t.Context(), "s"))); diff != "" {
		t.Errorf("Scan (-want +got):\n%s", diff)
	}
}

func verbatim(t *testing.T, open Open) {
	recs := []string{
		`{}`,
		`{"b":1, "a":[1.0,1e9,-0,true,null],"b":2}`,
		`{"content":"a\nb \u2028 \ud83d\ude00"}`,
		"{\"content\":\"raw \u2028 \u2029 \u0085 \U0001F600 \x7f\"}",
		"{\"not utf-8\":\"\xff\xfe\"}",
		`{"long":"` + strings.Repeat("x", 1<<17) + `"}`,
		`{"after":"the long one"}`,
	}
	store, reopen := open(t)
	s := create(t, store, "s")
	for i, rec := range recs {
		if err := s.Append(uint64(i), [][]byte{[]byte(rec)}, i%2 == 0); err != nil {
			t.Fatalf("Append(%.40q) = %v", rec, err)
		}
	}
	wantRecords(t, s, recs)
	s.Close() // a store may replace bytes that are no UTF-8 after a crash, but not after Close
	wantRecords(t, reopened(t, reopen(), "s"), recs)
}

func readEnds(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 3)
	read := s.Read(2)
	Append(t, s, 4, 100)
	for range 2 { // the second time over yields the same
		if diff := cmp.Diff(Records(2, 3), Collect(t, read)); diff != "" {
			t.Errorf("Read(2) from before the append (-want +got):\n%s", diff)
		}
	}
}

func readLeft(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 10)
	for rec, err := range s.Read(4) {
		if err != nil || rec.Pos != 4 || rec.Ephemeral || rec.Delta != nil || !bytes.Equal(rec.JSON, Record(4)) {
			t.Errorf("Read(4) yields %+v, %v", rec, err)
		}
		break
	}
	Append(t, s, 11, 11)
}

func readers(t *testing.T, open Open) {
	const n = 300
	store, _ := open(t)
	s := create(t, store, "s")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for seen := uint64(0); seen < n; {
				for rec, err := range s.Read(seen + 1) {
					if err != nil || rec.Pos != seen+1 || !bytes.Equal(rec.JSON, Record(int(seen+1))) {
						t.Errorf("after record %d comes %d %s, %v", seen, rec.Pos, rec.JSON, err)
						return
					}
					seen = rec.Pos
				}
			}
		})
	}
	for i := range n {
		if err := s.Append(uint64(i), [][]byte{Record(i + 1)}, false); err != nil {
			t.Errorf("Append(%d) = %v", i, err)
		}
	}
	wg.Wait()
}

func closed(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 2)
	early := s.Read(1)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close() = %v", err)
	}
	wantClosed(t, "Append", s.Append(2, [][]byte{Record(3)}, false))
	for _, err := range early {
		wantClosed(t, "Read from before", err)
	}
	yielded := 0
	for _, err := range s.Read(1) {
		yielded++
		wantClosed(t, "Read", err)
	}
	if yielded != 1 {
		t.Errorf("Read on a closed stream yields %d pairs, want one error", yielded)
	}
	if s.Len() != 2 {
		t.Errorf("Len() = %d on a closed stream, want the last one, 2", s.Len())
	}
}
