package files_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// longEvent is an event that does not fit a record.
var longEvent = fmt.Appendf(nil, `{"type":"session.start","data":{"sessionId":"long","x":%q},"id":"a","timestamp":"2026-11-22T00:00:00.000Z","parentId":null}`,
	strings.Repeat("x", eventlog.MaxRecord))

// appendLong opens or creates session "s" and appends longEvent durably as its nth.
func appendLong(fsys vfs.FS, create bool, n int) error {
	store, err := files.Open(files.Options{Root: root, FS: fsys})
	if err != nil {
		return err
	}
	open := store.Open
	if create {
		open = store.Create
	}
	s, err := open(context.Background(), "s")
	if err != nil {
		return err
	}
	l := eventlog.NewLog(s, eventlog.Options{})
	defer l.Close()
	if _, err := l.Claim(context.Background(), ""); err != nil {
		return err
	}
	return l.Append(context.Background(), uint64(n-1), true, longEvent)
}

// events are the complete events of session "s".
func events(t *testing.T, fsys vfs.FS) []string {
	t.Helper()
	return logtest.Collect(t, eventlog.Scan(t.Context(), mustOpen(t, files.Options{Root: root, FS: fsys}), "s"))
}

// TestAPayloadIsOnDiskBeforeItsRecord ends the process, and the power, at every
// operation of two appends. Every record in the log has its payload.
func TestAPayloadIsOnDiskBeforeItsRecord(t *testing.T) {
	for n, acked := 1, 0; acked < 2; n++ {
		for _, power := range []bool{false, true} {
			mem := vfs.NewMem()
			acked = 0
			fails := vfs.Fail(mem, dies(n))
			if appendLong(fails, true, 1) == nil {
				acked++
				if appendLong(fails, false, 2) == nil {
					acked++
				}
			}
			if power {
				mem.Crash()
			}
			if _, err := mem.Stat(filepath.Join(root, "s", "events.jsonl")); err != nil && acked == 0 {
				continue
			}
			openS(t, mem) // repairs
			got := events(t, mem)
			if len(got) < acked {
				t.Errorf("died at operation %d, power lost %v: %d events are left of %d", n, power, len(got), acked)
			}
			for _, event := range got {
				if event != string(longEvent) {
					t.Errorf("died at operation %d, power lost %v: an event is %.200s", n, power, event)
				}
			}
		}
	}
}

func TestAFullDiskStoresNeitherPayloadNorRecord(t *testing.T) {
	mem := vfs.NewMem()
	full := false
	fsys := vfs.Fail(mem, func(op vfs.Op) error {
		if full && op.Name == "write" {
			return syscall.ENOSPC
		}
		return nil
	})
	if err := appendLong(fsys, true, 1); err != nil {
		t.Fatal(err)
	}
	full = true
	err := appendLong(fsys, false, 2)
	wantKind(t, err, fault.Unavailable)
	wantHint(t, err, "events.payloads", "free some space")
	full = false
	if err := appendLong(fsys, false, 2); err != nil {
		t.Errorf("after the disk has room again: %v", err)
	}
	if got := events(t, mem); len(got) != 2 || got[1] != string(longEvent) {
		t.Errorf("%d events are there, want two", len(got))
	}
}

// TestALostPayloadCostsOneEvent: the log can be read, the position stays, and Verify
// says what is lost.
func TestALostPayloadCostsOneEvent(t *testing.T) {
	path := filepath.Join(root, "s", "events.payloads", eventlog.PayloadName(longEvent))
	for _, tc := range []struct {
		rule string
		do   func(*vfs.Mem)
	}{
		{"missing", func(mem *vfs.Mem) { _ = mem.Remove(path) }},
		{"a directory", func(mem *vfs.Mem) { _ = mem.Remove(path); _ = mem.MkdirAll(path, 0o700) }},
		{"cut", func(mem *vfs.Mem) { put(t, mem, path, longEvent[:len(longEvent)-1]) }},
		{"changed", func(mem *vfs.Mem) { put(t, mem, path, bytes.Replace(longEvent, []byte("xx"), []byte("yy"), 1)) }},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := vfs.NewMem()
			if err := appendLong(mem, true, 1); err != nil {
				t.Fatal(err)
			}
			s, _ := openS(t, mem)
			logtest.Append(t, s, 2, 2)
			s.Close()
			store := mustOpen(t, files.Options{Root: root, FS: mem})
			if report, err := store.Verify("s"); err != nil || !report.Intact() || report.Matched != 2 {
				t.Errorf("Verify() = %+v, %v before", report, err)
			}
			tc.do(mem)
			report, err := store.Verify("s")
			if err != nil || report.Intact() || report.Payloads != 1 || report.Records != 2 ||
				len(report.Lost) != 1 || report.Lost[0].Event != 1 || report.Lost[0].Type != "session.start" {
				t.Errorf("Verify() = %+v, %v; want one payload lost", report, err)
			}
			got := events(t, mem)
			if len(got) != 2 || got[1] != string(logtest.Record(2)) || !strings.HasPrefix(got[0], `{"payload":"sha256-`) ||
				!strings.Contains(got[0], `"type":"session.start","data":{},"id":"a"`) {
				t.Errorf("the events are %.300q, want what is left of the first, and the second", got)
			}
		})
	}
}

// TestAnImportTakesPayloads from beside the log, and does not take what a line only
// claims to refer to.
func TestAnImportTakesPayloads(t *testing.T) {
	mem := vfs.NewMem()
	if err := appendLong(mem, true, 1); err != nil {
		t.Fatal(err)
	}
	s, _ := openS(t, mem)
	forged := fmt.Sprintf(`{"payload":"sha256-%s","bytes":3,"type":"session.info"}`, strings.Repeat("0", 64))
	if err := s.Append(1, [][]byte{[]byte(forged), []byte(`{"payload":"sha256-../../s/events.jsonl","type":"x"}`)}, true); err != nil {
		t.Fatal(err)
	}
	s.Close()
	store := mustOpen(t, files.Options{Root: root, FS: mem})
	made, err := store.Import(filepath.Join(root, "s"), "copy", nothing)
	if err != nil || made.Records != 3 {
		t.Fatalf("Import() = %+v, %v", made, err)
	}
	lost := []files.Lost{
		{Event: 2, Type: "session.info", Why: "the payload of an event is missing"},
		{Event: 3, Type: "x", Why: `"sha256-../../s/events.jsonl" is not the name of a payload`},
	}
	if diff := cmp.Diff(lost, made.Lost); diff != "" || made.LostCount != 2 {
		t.Errorf("Import() lists %d lost (-want +got):\n%s", made.LostCount, diff)
	}
	if report, err := store.Verify("copy"); err != nil || report.Payloads != 2 || !cmp.Equal(lost, report.Lost) {
		t.Errorf("Verify() of the copy = %+v, %v; want %+v lost", report, err, lost)
	}
	want := events(t, mem)
	if err := store.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	got := logtest.Collect(t, eventlog.Scan(t.Context(), store, "copy"))
	if len(got) != 3 || got[0] != string(longEvent) || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("the copy has %.300q, want %.300q", got, want)
	}
}
