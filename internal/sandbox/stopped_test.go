//go:build linux

package sandbox_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// stopsItsKeeper starts a program that stops the keeper of its sandbox, and returns it when that
// has happened.
func stopsItsKeeper(t *testing.T, b *sandbox.Boxes, p sandbox.Policy) *sandbox.Process {
	t.Helper()
	attack := launch(t, b, p, "read; kill -STOP $PPID; echo done; sleep 600")
	attack.proceed(t)
	attack.hear(t, "done\n")
	t.Cleanup(attack.close)
	return attack.proc
}

// A command can stop the keeper. That ends the sandbox, and not the program that waits for it:
// not at the next start, however long its arguments are, and not when the command is killed.
func TestAStoppedKeeper(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	for name, then := range map[string]func(*sandbox.Process){
		"a start": func(*sandbox.Process) {
			spec := sandbox.Spec{Path: "/bin/true", Args: []string{"true"}, Dir: work}
			if _, _, err := start(t, b, p, spec); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%v", err)
			}
		},
		"a long start": func(*sandbox.Process) {
			spec := sandbox.Spec{Path: "/bin/true", Args: []string{"true", strings.Repeat("x", 4<<20)}, Dir: work}
			if _, _, err := start(t, b, p, spec); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%v", err)
			}
		},
		"a kill": func(proc *sandbox.Process) { proc.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			proc := stopsItsKeeper(t, b, p)
			then(proc)
			if code := proc.Wait(); code != 137 {
				t.Errorf("the command ended with %d", code)
			}
			if out, code := bash(t, b, p, "echo again"); out != "again\n" || code != 0 {
				t.Errorf("afterwards: %d, %s", code, out)
			}
		})
	}
}
