package tool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that another program changed, replaced or removed meanwhile is left
// alone, and nothing of ours stays behind.
func TestReplaceFileThatChanged(t *testing.T) {
	for name, meddle := range map[string]func(path string) error{
		"longer":     func(path string) error { return os.WriteFile(path, []byte("theirs, longer"), 0o644) },
		"later":      func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"removed":    os.Remove,
		"replaced":   func(path string) error { return errors.Join(os.Rename(path, path+".old"), os.Mkdir(path, 0o755)) },
		"not at all": func(string) error { return nil },
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := meddle(path); err != nil {
			t.Fatal(err)
		}
		var want error = errChanged
		if name == "not at all" {
			want = nil
		}
		if err := replaceFile(path, "after", info); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if data, _ := os.ReadFile(path); (string(data) == "after") != (want == nil) {
			t.Errorf("%s: the file holds %q", name, data)
		}
		if left, _ := fs.Glob(os.DirFS(dir), ".sidestick-*"); left != nil {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}

// A link in the place of a file that was checked is not written through.
func TestCreateFileBesideALink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "target"), filepath.Join(dir, "f")); err != nil {
		t.Fatal(err)
	}
	if err := createFile(filepath.Join(dir, "f"), "x"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it says %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "target")); err == nil {
		t.Error("it wrote through the link")
	}
}
