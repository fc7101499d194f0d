//go:build unix

package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// A call that waits for a command returns when the command is moved to the background; the command
// goes on, and can be read and waited for.
func TestBackground(t *testing.T) {
	s, dir := open(t, shell.Options{})
	if moved := s.Background(); moved != nil {
		t.Errorf("nothing runs, and %+v was moved", moved)
	}
	began := make(chan struct{})
	var moved []shell.Info
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-began
		moved = s.Background()
	}()
	first := true
	r, err := s.Run(t.Context(), shell.Command{Text: "echo begins; until test -e go; do sleep 0.01; done; echo ends", Dir: dir, Mode: shell.Sync, Wait: enough, OnOutput: func(string) {
		if first {
			first = false
			close(began)
		}
	}})
	<-done
	if err != nil || !r.Running || !r.Parted || r.Output != "begins\n" {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(moved) != 1 || moved[0].Shell != r.Shell || !strings.HasPrefix(moved[0].Text, "echo begins") {
		t.Errorf("moved were %+v", moved)
	}
	if again := s.Background(); again != nil {
		t.Errorf("no call waits, and %+v was moved", again)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	said := ""
	for r.Running {
		if r, err = s.Read(context.Background(), r.Shell, enough); err != nil || r.Parted {
			t.Fatalf("%+v, %v", r, err)
		}
		said += r.Output
	}
	if said != "ends\n" || r.Code != 0 {
		t.Errorf("it ended with %d after %q", r.Code, said)
	}
}
