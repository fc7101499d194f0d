package logtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func newLog(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	wantRecords(t, s, nil)
	if s.Size() != 0 {
		t.Errorf("Size() = %d, want 0", s.Size())
	}
	wantRecords(t, reopened(t, reopen(), "s"), nil)
}

func createdOnce(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 1)
	for _, store := range []eventlog.Store{store, reopen()} {
		_, err := store.Create("s")
		wantKind(t, "a second Create", err, fault.Conflict)
	}
	wantRecords(t, s, Records(1, 1))
}

func notFound(t *testing.T, open Open) {
	store, _ := open(t)
	create(t, store, "another")
	_, _, err := store.Open("s")
	wantKind(t, "Open", err, fault.NotFound)
	_, err = store.Head("s", 1)
	wantKind(t, "Head", err, fault.NotFound)
	wantKind(t, "Delete", store.Delete("s"), fault.NotFound)
}

func emptyID(t *testing.T, open Open) {
	store, _ := open(t)
	_, err := store.Create("")
	wantKind(t, "Create", err, fault.Invalid)
	_, _, err = store.Open("")
	wantKind(t, "Open", err, fault.Invalid)
	_, err = store.Head("", 1)
	wantKind(t, "Head", err, fault.Invalid)
	wantKind(t, "Delete", store.Delete(""), fault.Invalid)
}

// ids tries what clients might call a session. Which ids it takes is the
// store's choice; that it mixes none up is not.
func ids(t *testing.T, open Open) {
	store, reopen := open(t)
	taken := map[string]bool{}
	for i, id := range []string{
		"s", "s ", " s", "s.", ".s", "..s", "s-1", "s_1", "s 1", "s%201", "s%2520", "%", "%%", "s:1", "s*", "~", "CON", "nul.txt",
		"com1", "$HOME", "日本", "é", "e\u0301", "..", ".", "../s", "a/b", `a\b`, "/s", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 300),
	} {
		s, err := store.Create(id)
		if fault.KindOf(err) == fault.Invalid && err != nil {
			continue
		}
		if err != nil {
			t.Errorf("Create(%q) = %v", id, err)
			continue
		}
		defer s.Close()
		taken[id] = true
		Append(t, s, 1, i+1)
	}
	again := reopen()
	infos, err := again.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if !taken[info.ID] {
			t.Errorf("Sessions() lists %q, which nobody made", info.ID)
		}
		delete(taken, info.ID)
		head, err := again.Head(info.ID, 1000)
		if err != nil || len(head) == 0 {
			t.Errorf("Head(%q) = %d records, %v", info.ID, len(head), err)
		}
		if err := again.Delete(info.ID); err != nil {
			t.Errorf("Delete(%q) = %v", info.ID, err)
		}
	}
	for id := range taken {
		t.Errorf("Sessions() does not list %q", id)
	}
}

func head(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	for n := range 3 {
		got, err := store.Head("s", 2)
		if err != nil || len(got) != min(n, 2) {
			t.Errorf("Head of %d records = %d records, %v", n, len(got), err)
		}
		Append(t, s, n+1, n+1)
	}
	got, err := store.Head("s", 2)
	if want := [][]byte{Record(1), Record(2)}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("Head(2) = %s, %v", got, err)
	}
	if got, err := store.Head("s", 0); err != nil || len(got) != 0 {
		t.Errorf("Head(0) = %s, %v", got, err)
	}
}

func headBounded(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	large := fmt.Appendf(nil, `{"large":"%s"}`, bytes.Repeat([]byte("x"), eventlog.HeadBytes/2))
	for n, rec := range [][]byte{Record(1), large, large, Record(4)} {
		if err := s.Append(uint64(n), [][]byte{rec}, false); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.Head("s", 10)
	if err != nil || len(got) != 2 || !bytes.Equal(got[0], Record(1)) || !bytes.Equal(got[1], large) {
		t.Errorf("Head(10) = %d records, %v; want the 2 that are whole within %d bytes", len(got), err, eventlog.HeadBytes)
	}
}

func sessions(t *testing.T, open Open) {
	store, reopen := open(t)
	if got, err := store.Sessions(); err != nil || len(got) != 0 {
		t.Errorf("Sessions() of an empty store = %v, %v", got, err)
	}
	before := time.Now().Add(-2 * time.Second) // some file systems count in seconds
	sizes := map[string]int64{}
	for n := range 5 {
		id := fmt.Sprintf("s%d", n)
		s := create(t, store, id)
		Append(t, s, 1, n)
		sizes[id] = s.Size()
	}
	got, err := reopen().Sessions()
	if err != nil || len(got) != len(sizes) {
		t.Fatalf("Sessions() = %v, %v; want %d", got, err, len(sizes))
	}
	for _, info := range got {
		if size, ok := sizes[info.ID]; !ok || info.Size != size {
			t.Errorf("%q has %d bytes, want %d (it exists: %v)", info.ID, info.Size, size, ok)
		}
		if info.Modified.Before(before) || info.Modified.After(time.Now().Add(2*time.Second)) {
			t.Errorf("%q was modified %v, want now", info.ID, info.Modified)
		}
	}
}

func deleted(t *testing.T, open Open) {
	store, reopen := open(t)
	for round := range 3 {
		s := create(t, store, "s")
		Append(t, s, 1, 5-round)
		s.Close()
		if err := store.Delete("s"); err != nil {
			t.Fatalf("Delete() = %v", err)
		}
		_, _, err := reopen().Open("s")
		wantKind(t, "Open of a deleted session", err, fault.NotFound)
		if got, err := store.Sessions(); err != nil || len(got) != 0 {
			t.Errorf("Sessions() = %v, %v; want none", got, err)
		}
	}
	wantRecords(t, create(t, store, "s"), nil)
}
