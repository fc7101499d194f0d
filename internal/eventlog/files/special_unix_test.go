//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// A pipe in place of a log, an index or a payload is refused. Nothing waits for its other end.
func TestAPipeInPlaceOfAFile(t *testing.T) {
	payload := filepath.Join("events.payloads", eventlog.PayloadName(longEvent))
	for _, tc := range []struct {
		name   string
		refuse bool // opening and verifying the session, as opposed to one event being lost
	}{{"events.jsonl", true}, {"events.idx", true}, {payload, false}} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			store := mustOpen(t, files.Options{Root: dir})
			s, err := createIn(store, "s")
			if err != nil {
				t.Fatal(err)
			}
			lease, err := s.Stream.Claim(t.Context(), s.Owner)
			if err != nil {
				t.Fatal(err)
			}
			name, err := lease.Put(t.Context(), longEvent)
			if err != nil {
				t.Fatal(err)
			}
			logtest.Append(t, s, 1, 1)
			if err := s.Append(1, [][]byte{[]byte(`{"payload":"` + name + `","bytes":3,"type":"session.info","data":{}}`)}, true); err != nil {
				t.Fatal(err)
			}
			s.Close()
			path := filepath.Join(dir, "s", tc.name)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			report, err := store.Verify("s")
			if !tc.refuse {
				if err != nil || report.Payloads != 1 {
					t.Errorf("Verify() = %+v, %v; want one payload lost", report, err)
				}
				return
			}
			wantKind(t, err, fault.Denied)
			wantHint(t, err, path, "not a regular file", "move it away")
			_, _, err = openIn(store, "s")
			wantKind(t, err, fault.Denied)
		})
	}
}
