//go:build linux

package sandbox_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// A look that reads only what the kernel has told it of finds what one finds that reads everything, whatever is
// made, moved and replaced in between.
func TestALookThatIsToldOfChangesFindsAll(t *testing.T) {
	seed := rand.Uint64()
	dice := rand.New(rand.NewPCG(seed, 0))
	work := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".envrc", ".vscode", ".config/git"}}
	boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
	defer boxes.EndLooks()
	names := []string{"a", "b", "c", ".envrc", ".vscode", ".git", "HEAD", "objects", "refs", ".config", "git", "node_modules"}
	path := func() string {
		at := work
		for range 1 + dice.IntN(4) {
			at = filepath.Join(at, names[dice.IntN(len(names))])
		}
		return at
	}
	for round := range 400 {
		for range 1 + dice.IntN(4) { // most of them fail, because the folder is missing
			switch at := path(); dice.IntN(6) {
			case 0, 1:
				_ = os.MkdirAll(at, 0o755)
			case 2:
				_ = os.WriteFile(at, []byte(fmt.Sprint(round)), 0o644)
			case 3:
				_ = os.Rename(at, path())
			case 4:
				_ = os.Symlink(names[dice.IntN(len(names))], at)
			case 5:
				_ = os.RemoveAll(at)
			}
		}
		if dice.IntN(20) == 0 { // the folder itself is another one
			if err := errors.Join(os.Rename(work, work+fmt.Sprint(round)), os.MkdirAll(filepath.Join(work, "a/b"), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := p.Look()
		got, _ := boxes.Look(p)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, round %d (-all +told):\n%s", seed, round, diff)
		}
	}
}
