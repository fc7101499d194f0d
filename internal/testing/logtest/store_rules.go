package logtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var storeRules = []rule{
	{"a new log is empty and can be opened", newLog},
	{"a session is created once", createdOnce},
	{"a session that does not exist is not found", notFound},
	{"an empty id is invalid", emptyID},
	{"ids are kept apart or refused", ids},
	{"a scan reads while others write", scan},
	{"sessions are listed", sessions},
	{"a deleted session can be created again, empty", deleted},
}

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
		_, err := store.Create(t.Context(), "s")
		wantKind(t, "a second Create", err, fault.Conflict)
	}
	wantRecords(t, s, Records(1, 1))
}

func notFound(t *testing.T, open Open) {
	store, _ := open(t)
	create(t, store, "another")
	_, err := store.Open(t.Context(), "s")
	wantKind(t, "Open", err, fault.NotFound)
	wantKind(t, "Scan", scanError(t, store, "s"), fault.NotFound)
	wantKind(t, "Delete", store.Delete(t.Context(), "s"), fault.NotFound)
}

func emptyID(t *testing.T, open Open) {
	store, _ := open(t)
	_, err := store.Create(t.Context(), "")
	wantKind(t, "Create", err, fault.Invalid)
	_, err = store.Open(t.Context(), "")
	wantKind(t, "Open", err, fault.Invalid)
	wantKind(t, "Scan", scanError(t, store, ""), fault.Invalid)
	wantKind(t, "Delete", store.Delete(t.Context(), ""), fault.Invalid)
}

// ids tries ids that clients might choose. A store may refuse some of them, but must
// not confuse any two.
func ids(t *testing.T, open Open) {
	store, reopen := open(t)
	taken := map[string]bool{}
	for i, id := range []string{
		"s", "s ", " s", "s.", ".s", "..s", "s-1", "s_1", "s 1", "s%201", "s%2520", "%", "%%", "s:1", "s*", "~", "CON", "nul.txt",
		"com1", "$HOME", "日本", "é", "e\u0301", "..", ".", "../s", "a/b", `a\b`, "/s", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 300),
	} {
		s, err := store.Create(t.Context(), id)
		if fault.KindOf(err) == fault.Invalid && err != nil {
			continue
		}
		if err != nil {
			t.Errorf("Create(%q) = %v", id, err)
			continue
		}
		taken[id] = true
		Append(t, Write(t, s, nil), 1, i+1)
	}
	again := reopen()
	infos, err := again.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if !taken[info.ID] {
			t.Errorf("Sessions() lists %q, which nobody made", info.ID)
		}
		delete(taken, info.ID)
		n := 0
		for _, err := range again.Scan(t.Context(), info.ID) {
			if err != nil {
				t.Errorf("Scan(%q) = %v", info.ID, err)
			}
			n++
		}
		if n == 0 {
			t.Errorf("Scan(%q) finds no records", info.ID)
		}
		if err := again.Delete(t.Context(), info.ID); err != nil {
			t.Errorf("Delete(%q) = %v", info.ID, err)
		}
	}
	for id := range taken {
		t.Errorf("Sessions() does not list %q", id)
	}
}

// scanError is the error that a scan ends with.
func scanError(t *testing.T, store eventlog.Store, session string) (last error) {
	for _, last = range store.Scan(t.Context(), session) {
	}
	return last
}

func scan(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	for n := range 4 {
		var got []eventlog.Record
		for rec, err := range store.Scan(t.Context(), "s") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rec)
		}
		if len(got) != n || n > 0 && (got[n-1].Pos != uint64(n) || !cmp.Equal(got[n-1].JSON, Record(n))) {
			t.Errorf("Scan of %d records, while they are written, = %v", n, got)
		}
		Append(t, s, n+1, n+1)
	}
	for rec := range store.Scan(t.Context(), "s") {
		if rec.Pos > 2 {
			t.Error("Scan goes on after its reader stopped")
		}
		if rec.Pos == 2 {
			break
		}
	}
}

func sessions(t *testing.T, open Open) {
	store, reopen := open(t)
	if got, err := store.Sessions(t.Context()); err != nil || len(got) != 0 {
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
	got, err := reopen().Sessions(t.Context())
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
		if err := store.Delete(t.Context(), "s"); err != nil {
			t.Fatalf("Delete() = %v", err)
		}
		_, err := reopen().Open(t.Context(), "s")
		wantKind(t, "Open of a deleted session", err, fault.NotFound)
		if got, err := store.Sessions(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("Sessions() = %v, %v; want none", got, err)
		}
	}
	wantRecords(t, create(t, store, "s"), nil)
}
