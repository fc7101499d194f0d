package files_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// TestTwoProcesses: the second process learns which process is at work, and takes over
// with everything that is recorded when that process is killed.
func TestTwoProcesses(t *testing.T) {
	root := t.TempDir()
	store := mustOpen(t, files.Options{Root: root})
	s, err := createIn(store, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logtest.Append(t, s, 1, 1)
	wantOthers(t, s, "")
	child, stdin := startWorker(t, root)
	defer stdin.Close()

	wantOthers(t, s, eventlog.Process(child.Process.Pid))
	says := []string{fmt.Sprintf("process %d (%s", child.Process.Pid, child.Args[0][:20]), "wait until it is done there"}
	for what, err := range map[string]error{
		"Claim":  s.Claim(),
		"Append": s.Append(1, [][]byte{logtest.Record(2)}, true),
		"Delete": store.Delete(context.Background(), "s"),
	} {
		t.Run(what, func(t *testing.T) {
			wantKind(t, err, fault.Conflict)
			wantHint(t, err, says...)
		})
	}
	if s.Len() != 1 {
		t.Errorf("Len() = %d without a claim, want 1", s.Len())
	}

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // says that it was killed
	if err := s.Claim(); err != nil || s.Len() != 3 {
		t.Errorf("after kill -9: Claim() = %v with %d records", err, s.Len())
	}
	wantOthers(t, s, "")
	logtest.Append(t, s, 4, 4)
}

func wantOthers(t *testing.T, s *logtest.Writer, want string) {
	t.Helper()
	if got, known := s.Others(); got != want || !known {
		t.Errorf("Others() = %q, %v; want %q", got, known, want)
	}
}

// TestAStoreSeesAnotherProcess: that is without opening the session.
func TestAStoreSeesAnotherProcess(t *testing.T) {
	root := t.TempDir()
	store := mustOpen(t, files.Options{Root: root})
	s, err := createIn(store, "s")
	if err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, 1, 1)
	s.Close()
	child, stdin := startWorker(t, root)
	defer stdin.Close()
	want := func(owner string) {
		t.Helper()
		if got, known, err := store.Others(t.Context(), "s"); got != owner || !known || err != nil {
			t.Errorf("Others(s) = %q, %v, %v; want %q", got, known, err, owner)
		}
	}
	want(eventlog.Process(child.Process.Pid))
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // says that it was killed
	want("")
}
