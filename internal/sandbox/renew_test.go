//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// A file that replaces a denied one is not covered, even if it has got the same number.
func TestAReplacedFileThatHasTheSameNumber(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	env := filepath.Join(work, ".env")
	tree(t, work, ".env")
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Deny: []string{env}}
	for range 5 {
		if out, _ := bash(t, b, p, "cat .env"); strings.Contains(out, "hunter2") {
			t.Fatalf("%s", out)
		}
		if err := errors.Join(os.Remove(env), os.WriteFile(env, []byte("hunter2"), 0o644)); err != nil {
			t.Fatal(err)
		}
		if ended := b.Renew(); !slices.Contains(ended, p.Key()) {
			t.Errorf("ended: %q", ended)
		}
	}
}

// Protected files may be made while a sandbox runs, as by git init or an editor outside. The
// next command has a sandbox that protects them, whatever policy that command has.
func TestProtectedFilesThatAreMadeLater(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".vscode", "*.code-workspace"}}
	git := p
	git.Git = true
	for _, name := range []string{".git/config", ".git/hooks/x", ".vscode/settings.json", "a.code-workspace"} {
		_, _ = bash(t, b, p, "true")
		_, _ = bash(t, b, git, "true")
		tree(t, work, name)
		if ended := b.Renew(); len(ended) != 2 {
			t.Errorf("after %s was made, sandboxes ended: %q", name, ended)
		}
		for _, policy := range []sandbox.Policy{p, git} {
			if out, _ := bash(t, b, policy, "{ echo evil > "+name+" && echo written; } 2>/dev/null"); out != "" {
				t.Errorf("%s: %q", name, out)
			}
		}
	}
	if ended := b.Renew(); len(ended) != 0 {
		t.Errorf("without a change: %q", ended)
	}
}
