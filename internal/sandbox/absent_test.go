//go:build linux

package sandbox_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// without says in the environment of a test process what it has to do without.
const without = "SIDESTICK_SANDBOX_WITHOUT"

// A machine that has lost a part of what sandboxes are made of uses the other part, or says what
// is missing. Each runs in namespaces of its own, where the part is taken away.
func TestWithoutAPartOfTheSystem(t *testing.T) {
	host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	for name, script := range map[string]string{
		"namespaces":   `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`,
		"a whole proc": `mount -t tmpfs none /proc/irq 2>/dev/null || mount -t tmpfs none /proc/fs && exec "$@"`,
		"landlock":     `exec "$@"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("unshare", "-Urmpf", "--mount-proc", "bash", "-c", script, "bash", executable(t), "-test.run=^TestInsideWithout$", "-test.v")
			cmd.Env = append(os.Environ(), without+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestInsideWithout") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestInsideWithout is the part of [TestWithoutAPartOfTheSystem] that runs there.
func TestInsideWithout(t *testing.T) {
	name := os.Getenv(without)
	if name == "" {
		return
	}
	opts := sandbox.Options{State: t.TempDir()}
	if name == "landlock" {
		opts.Bwrap = "-"
		if err := attempt.HideLandlock(); err != nil {
			t.Fatal(err)
		}
	}
	h := sandbox.NewHost(opts)
	refuses(t, h, sandbox.WorkspaceWrite)
	if name == "landlock" {
		refuses(t, h, sandbox.ReadOnly)
		return
	}
	if s := h.Support(); !s.Has(sandbox.ReadOnly) || !s.Weaker() || s.Parts[0].Works || len(s.Parts[0].Detail) < 20 {
		t.Fatalf("%+v", s)
	}
	b := h.Boxes(t.TempDir())
	defer b.Close()
	p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{t.TempDir()}}
	if out, code := bash(t, b, p, "echo x > file; echo x > "+t.TempDir()+"/file || echo refused"); code != 0 || !strings.HasSuffix(out, "refused\n") {
		t.Errorf("%d, %s", code, out)
	}
	if entries, err := os.ReadDir(p.Folders[0]); err != nil || len(entries) > 0 {
		t.Errorf("a file was written: %v, %v", entries, err)
	}
}
