package quarantine

import (
	"os"
	"path/filepath"
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
