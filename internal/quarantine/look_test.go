package quarantine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A folder that the look before a command could not read, because the disk was slow, is covered for the command. What a
// later look sees in it is the user's.
func TestWhatWasUnseenBeforeIsNotMovedAside(t *testing.T) {
	dir := t.TempDir()
	boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
	g := Open(vfs.OS{}, t.TempDir()).Guard(Options{Boxes: boxes, Runs: func(string) string { return "" }})
	defer g.Close()
	policy := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".envrc"}}
	end := g.Begin(policy)
	g.seen[filepath.Join(dir, "slow")] = sandbox.Trace{Kind: sandbox.Unseen}
	for _, name := range []string{"slow/deep/.envrc", "new/.envrc"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := end("a command")
	if len(found.Aside) != 1 || found.Aside[0].Path != filepath.Join(dir, "new/.envrc") {
		t.Errorf("moved aside: %+v", found.Aside)
	}
}

// If a file cannot be moved aside, the user is told once, and the program tries again: at the next look, at the end of
// the session, and in the next session, in whatever folder that works.
func TestWhatIsStuckIsTriedAgain(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	plant := filepath.Join(dir, ".envrc")
	policy := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".envrc"}}
	open := func() *Guard {
		boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
		return Open(vfs.OS{}, home).Guard(Options{Boxes: boxes, Protected: policy.ProtectNames, Runs: func(string) string { return "" }})
	}
	g := open()
	g.aside = func(string) (string, error) { return "", os.ErrPermission }
	end := g.Begin(policy)
	if err := os.WriteFile(plant, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found := end("a command"); len(found.Left) != 1 {
		t.Errorf("left: %q", found.Left)
	}
	if found := g.Look(); found.Any() {
		t.Errorf("it is told again: %+v", found)
	}
	g.Close()

	elsewhere := open()
	defer elsewhere.Close()
	if found := elsewhere.Recover(); len(found.Aside) != 1 || found.Aside[0].Path != plant {
		t.Errorf("the next session: %+v", found)
	}
	if found := elsewhere.Recover(); found.Any() {
		t.Errorf("it is found again: %+v", found)
	}
}

// Names that somebody has taken keep nothing in its place.
func TestEveryNameIsTaken(t *testing.T) {
	dir := t.TempDir()
	plant := filepath.Join(dir, ".envrc")
	names := []string{plant, plant + ending}
	for i := 2; i <= mostNames+1; i++ {
		names = append(names, fmt.Sprintf("%s.%d%s", plant, i, ending))
	}
	for _, name := range names {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	aside, err := moveAside(plant)
	if _, there := os.Lstat(aside); err != nil || there != nil || !strings.HasSuffix(aside, ending) || slices.Contains(names, aside) {
		t.Errorf("moved to %q, %v", aside, err)
	}
}
