package logtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var payloadRules = []rule{
	{"a payload is found by its name, in any process", payloads},
	{"a payload that is not there is not found", noPayload},
	{"a payload is deleted with its session", deletedPayload},
	{"a log takes events of any length and gives them back", longEvents},
}

func payloads(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	claim(t, s)
	for _, data := range [][]byte{{}, []byte("a\nb\x00"), bytes.Repeat([]byte("x"), 3<<20)} {
		for range 2 { // the second time changes nothing
			name, err := s.Lease.Put(t.Context(), data)
			if err != nil || name != eventlog.PayloadName(data) {
				t.Fatalf("Put of %d bytes = %q, %v; want %q", len(data), name, err, eventlog.PayloadName(data))
			}
			got, err := s.Payload(t.Context(), name)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("Payload() = %d bytes, %v; want the %d that were put", len(got), err, len(data))
			}
			if got, err = reopen().Payload(t.Context(), "s", name); err != nil || !bytes.Equal(got, data) {
				t.Errorf("Payload() in the next process = %d bytes, %v; want the %d that were put", len(got), err, len(data))
			}
		}
	}
	lease := s.Lease
	s.Release()
	_, err := lease.Put(t.Context(), []byte("y"))
	wantKind(t, "Put after Release", err, fault.Conflict)
	if s.Len() != 0 || s.Size() != 0 {
		t.Errorf("the log has %d records, %d bytes after Put; want none", s.Len(), s.Size())
	}
}

func noPayload(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	for _, name := range []string{eventlog.PayloadName([]byte("x")), "", "..", "../s", "sha256-", "x"} {
		_, err := s.Payload(t.Context(), name)
		wantKind(t, fmt.Sprintf("Payload(%q)", name), err, fault.NotFound)
		_, err = store.Payload(t.Context(), "s", name)
		wantKind(t, fmt.Sprintf("Payload(%q) of the store", name), err, fault.NotFound)
	}
	_, err := store.Payload(t.Context(), "another", eventlog.PayloadName([]byte("x")))
	wantKind(t, "Payload of a session that does not exist", err, fault.NotFound)
}

func deletedPayload(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	claim(t, s)
	name, err := s.Lease.Put(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := store.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	s = create(t, store, "s")
	_, err = s.Payload(t.Context(), name)
	wantKind(t, "Payload after the session was deleted and created again", err, fault.NotFound)
	_, err = reopen().Payload(t.Context(), "s", name)
	wantKind(t, "and in the next process", err, fault.NotFound)
}

// longEvents writes events below, at and above the bound of a record, and reads them in
// each way that there is.
func longEvents(t *testing.T, open Open) {
	store, reopen := open(t)
	var want []string
	for i, n := range []int{10, eventlog.MaxRecord - 200, eventlog.MaxRecord, 1 << 20, 3 << 20, 20} {
		want = append(want, fmt.Sprintf(
			`{"type":"session.info","data":{"infoType":"x","message":%q},"id":"id-%d","timestamp":"2026-11-22T00:00:00.000Z","parentId":null}`,
			strings.Repeat("y", n), i))
	}
	first := create(t, store, "s")
	l := eventlog.NewLog(first.Stream, eventlog.Options{})
	live := l.Tail(0)
	if _, err := l.Claim(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	for i, event := range want {
		if err := l.Append(t.Context(), uint64(i), true, []byte(event)); err != nil {
			t.Fatalf("Append of %d bytes = %v", len(event), err)
		}
	}
	if size := l.Size(); size > 3*eventlog.MaxRecord {
		t.Errorf("the log has %d bytes, with long events beside it", size)
	}
	same := func(how string, got []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs (-want +got):\n%.2000s", how, diff)
		}
	}
	same("Read", Collect(t, l.Read(t.Context(), 1)))
	same("Scan", Collect(t, eventlog.Scan(t.Context(), reopen(), "s")))
	page, err := l.Pager().Read(t.Context(), eventlog.PageRequest{Max: 2, Backward: true})
	if err != nil || len(page.Records) != 2 || string(page.Records[0].JSON) != want[4] {
		t.Errorf("a page has %d records, %v; want the last two", len(page.Records), err)
	}
	l.Release()
	second := eventlog.NewLog(reopened(t, reopen(), "s").Stream, eventlog.Options{})
	stored := second.Tail(0)
	second.Close()
	l.Close()
	same("a tail from storage", untilClosed(t, stored))
	same("a tail", untilClosed(t, live))
}
