package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, dir string) {
	t.Helper()
	if _, err := workspace.SaveOutput(t.Context(), workspace.Folder{FS: vfs.OS{}, Dir: dir}, ".", "12345"); err != nil {
		t.Fatal(err)
	}
}

func TestOutputsKeepTheNewest(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		put(t, filepath.Join(dir, fmt.Sprintf("%d-copilot-tool-output-a.txt", 1000+i)), "x")
	}
	put(t, filepath.Join(dir, "notes.txt"), "of somebody else")
	put(t, filepath.Join(dir, "my-copilot-tool-output-a.txt"), "of somebody else")
	save(t, dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 200+2 {
		t.Errorf("%d files are left (%v), want 202", len(left), err)
	}
	for name, want := range map[string]bool{
		"notes.txt": true, "my-copilot-tool-output-a.txt": true,
		"1050-copilot-tool-output-a.txt": false, "1051-copilot-tool-output-a.txt": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

func TestOutputsKeepABoundedSize(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"1000-copilot-tool-output-a.txt", "1001-copilot-tool-output-a.txt"} {
		put(t, filepath.Join(dir, name), "")
		if err := os.Truncate(filepath.Join(dir, name), int64(150-i)<<20); err != nil { // a hole: it takes no room
			t.Fatal(err)
		}
	}
	save(t, dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 || left[0].Name() != "1001-copilot-tool-output-a.txt" {
		t.Errorf("%v are left (%v)", left, err)
	}
}
