//go:build linux

package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// A process that a command has left makes files while no command is waited for: they are moved aside. An idle shell
// makes none, so what the user makes beside it stays.
func TestWhatIsLeftInTheBackgroundIsWatched(t *testing.T) {
	x, _ := newRepository(t)
	p := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{x.cwd}, ProtectNames: []string{".envrc", ".npmrc"}}
	found := make(chan quarantine.Found, 10)
	x.guard.OnFound(func(f quarantine.Found) { found <- f })
	t.Cleanup(x.guard.Close)

	if res := x.inRepository(t.Context(), t, p, `{"command":"true","description":"d"}`); res.Outcome != "success" {
		t.Fatalf("%+v", res)
	}
	if x.boxes.Busy(true) {
		t.Error("an idle shell counts as busy")
	}
	if err := os.WriteFile(filepath.Join(x.cwd, ".npmrc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	res := x.inRepository(t.Context(), t, p, `{"command":"(setsid bash -c 'sleep 0.5; touch .envrc; sleep 600' >/dev/null 2>&1 </dev/null &)","description":"d"}`)
	if len(res.After) > 0 || !x.boxes.Busy(true) {
		t.Errorf("%+v, busy: %v", res.After, x.boxes.Busy(true))
	}
	select {
	case f := <-found:
		if len(f.Aside) != 1 || !strings.HasSuffix(f.Aside[0].Path, "/.envrc") {
			t.Errorf("%+v", f)
		}
	case <-time.After(time.Minute):
		t.Error("nobody has said so")
	}
	if _, err := os.Stat(filepath.Join(x.cwd, ".npmrc")); err != nil {
		t.Error("what the user has made was moved aside")
	}
}
