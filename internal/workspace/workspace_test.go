package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/workspacetest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

func TestStores(t *testing.T) {
	t.Run("disk", func(t *testing.T) {
		workspacetest.Run(t, func(t *testing.T) workspace.Store {
			root := t.TempDir()
			return workspace.Disk{FS: vfs.OS{}, Dir: func(id string) string { return filepath.Join(root, id) }}
		})
	})
	t.Run("simulated disk", func(t *testing.T) {
		workspacetest.Run(t, func(*testing.T) workspace.Store {
			return workspace.Disk{FS: vfs.NewMem(), Dir: func(id string) string { return "/" + id }}
		})
	})
	t.Run("memory", func(t *testing.T) {
		workspacetest.Run(t, func(*testing.T) workspace.Store { return &workspacetest.Memory{} })
	})
}

// A link that leads out of the folder is not followed.
func TestNoLinkLeadsOut(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file": secret, "dir": outside} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := workspace.Folder{FS: vfs.OS{}, Dir: root}
	for _, name := range []string{"file", "dir/secret", "dir/sub/new"} {
		if data, err := f.Read(t.Context(), name, 100); err == nil {
			t.Errorf("%s reads %q", name, data)
		}
		if _, err := f.Write(t.Context(), name, []byte("x"), workspace.Durable); err == nil && name != "file" { // the link itself is replaced
			t.Errorf("%s was written", name)
		}
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" || err != nil {
		t.Errorf("the file outside holds %q (%v)", data, err)
	}
	if list, err := os.ReadDir(outside); len(list) != 1 || err != nil {
		t.Errorf("the folder outside holds %v (%v)", list, err)
	}
}
