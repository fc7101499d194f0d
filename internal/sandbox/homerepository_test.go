//go:build linux

package sandbox_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Many users have their home folder in a repository, for their settings. A project below it does
// not show the home folder to commands, nor does a repository of the whole machine.
func TestARepositoryOfTheHomeFolderShowsNothingOfIt(t *testing.T) {
	work, secret := world(t)
	home := filepath.Dir(secret)
	tree(t, home, ".git/HEAD", ".git/config", ".git/objects/x", ".git/refs/x", ".ssh/id_ed25519", "notes.txt")
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		b := host(t, mode, sandbox.Options{Env: []string{"HOME=" + home, "PATH=/usr/bin:/bin"}}).Boxes(t.TempDir())
		p := sandbox.Policy{Mode: mode, Folders: []string{work}, Git: true}
		if out, _ := bash(t, b, p, "cat ../.ssh/id_ed25519 ../notes.txt ../secret ../.git/config 2>/dev/null; ls -a .."); strings.Contains(out, "hunter2") || strings.Contains(out, ".ssh") {
			t.Errorf("%s: %s", mode, out)
		}
		b.Close()
	}
}
