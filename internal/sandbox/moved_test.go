//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// A command cannot give hidden files of the home folder, or those of this program, a path at which
// the next sandbox does not hide them.
func TestHiddenFoldersCannotBeMovedForTheNextSandbox(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".config/gcloud/key", "a/state/key"} {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("hunter2"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}, Hide: []string{filepath.Join(home, "a", "state")}})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{home}}
	bash(t, b, p, "mv .config c2; mv a a2")
	p.Mode = sandbox.ReadOnly
	if out, _ := bash(t, b, p, "find . -name key | xargs cat"); strings.Contains(out, "hunter2") {
		t.Errorf("%s", out)
	}
}

// To keep a denied file where it is does not make the protected folders above it writable.
func TestADeniedFileInAProtectedFolder(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	for _, name := range []string{"a/b/.env", ".git/hooks/key"} {
		file := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("hunter2"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Protect: []string{filepath.Join(work, "a")}, Git: true,
		Deny: []string{filepath.Join(work, "a", "b", ".env"), filepath.Join(work, ".git", "hooks", "key")},
	}
	out, _ := bash(t, b, p, "echo x > a/new; echo x > a/b/new; echo x > .git/hooks/new; echo x > new; cat a/b/.env .git/hooks/key; find . -name new")
	if strings.Contains(out, "hunter2") || !strings.HasSuffix(out, "denied\n./new\n") {
		t.Errorf("%s", out)
	}
}

// The next sandbox with the same folder finds the caches of one that may write, and nothing of one
// that only reads: nobody has approved what that one runs.
func TestWhichCachesAreKept(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
	bash(t, b, p, "mkdir -p ~/.cache; echo read > ~/.cache/read")
	p.Mode = sandbox.WorkspaceWrite
	bash(t, b, p, "echo written > ~/.cache/written; echo other > ~/.other")
	p.Git = true // another sandbox
	if out, _ := bash(t, b, p, "cd; cat .cache/read .cache/written .other 2>/dev/null"); out != "written\n" {
		t.Errorf("%q", out)
	}
}
