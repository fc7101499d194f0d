package tree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Both ways to open a folder refuse a link, wherever on the way it is.
func TestFoldersAreOpenedWithoutLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"l": "a", "a/l": "b", "abs": top} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, open := range map[string]func(string) (*os.Root, error){"step by step": descend, "at once": openAtOnce} {
		for path, want := range map[string]error{"a/b": nil, ".": nil, "l": ErrMoved, "l/b": ErrMoved, "a/l": ErrMoved, "abs/a/b": ErrMoved} {
			dir, err := open(filepath.Join(top, path))
			if !errors.Is(err, want) || (dir == nil) != (want != nil) {
				t.Errorf("%s, %s: %v, %v", path, name, dir, err)
			}
			if dir != nil {
				dir.Close()
			}
		}
	}
}
