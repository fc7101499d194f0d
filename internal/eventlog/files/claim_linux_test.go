package files_test

import (
	"fmt"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// TestTwoProcesses: who comes second is told who is at work, and takes over when
// that process is killed, with all that it has recorded.
func TestTwoProcesses(t *testing.T) {
	root := t.TempDir()
	store := mustOpen(t, files.Options{Root: root})
	s, err := store.Create("s")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logtest.Append(t, s, 1, 1)
	if got := s.Others(); got != 0 {
		t.Errorf("Others() = %d before there are any", got)
	}
	child, stdin := startWorker(t, root)
	defer stdin.Close()

	if got := s.Others(); got != child.Process.Pid {
		t.Errorf("Others() = %d, want %d", got, child.Process.Pid)
	}
	says := []string{fmt.Sprintf("process %d (%s", child.Process.Pid, child.Args[0][:20]), "wait until it is done there"}
	for what, err := range map[string]error{
		"Claim":  s.Claim(),
		"Append": s.Append(1, [][]byte{logtest.Record(2)}, true),
		"Delete": store.Delete("s"),
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
	if err := s.Claim(); err != nil || s.Len() != 3 || s.Others() != 0 {
		t.Errorf("after kill -9: Claim() = %v with %d records, Others() = %d", err, s.Len(), s.Others())
	}
	logtest.Append(t, s, 4, 4)
}
