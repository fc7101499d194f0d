package prompt_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// memory is a disk with these files: names and contents in turn.
func memory(t *testing.T, files ...string) prompt.Disk {
	t.Helper()
	m := vfs.NewMem()
	for i := 0; i < len(files); i += 2 {
		if err := m.MkdirAll(filepath.Dir(files[i]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(m, files[i], []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return prompt.Disk{FS: m}
}

// real is the operating system's disk, and a folder on it with these files. A
// content that begins with -> is a link.
func real(t *testing.T, files ...string) (prompt.Disk, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(files[i+1], "->"); ok {
			err = os.Symlink(target, name)
		} else {
			err = os.WriteFile(name, []byte(files[i+1]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return prompt.Disk{FS: vfs.OS{}, Resolve: filepath.EvalSymlinks}, root
}

// refusing is a disk on which one file may not be read.
func refusing(d prompt.Disk, name string) prompt.Disk {
	d.FS = vfs.Fail(d.FS, func(op vfs.Op) error {
		if op.Path == name && op.Name == "open" {
			return fs.ErrPermission
		}
		return nil
	})
	return d
}
