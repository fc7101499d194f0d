package vfs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func root(t *testing.T, fsys vfs.FS, dir string) vfs.Rooted {
	t.Helper()
	r, err := fsys.Root(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func memWith(t *testing.T, dir string) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	if err := m.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// leave tries every operation with a name and returns those that succeeded.
func leave(r vfs.Rooted, name string) (done []string) {
	try := func(what string, err error) {
		if err == nil {
			done = append(done, what)
		}
	}
	_, err := r.ReadFile(name)
	try("read", err)
	f, err := r.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		f.Close()
	}
	try("open", err)
	_, err = r.Stat(name)
	try("stat", err)
	_, err = r.ReadDir(filepath.Dir(name))
	try("list", err)
	try("mkdir", r.MkdirAll(name+".d", 0o700))
	try("rename to", r.Rename("inside", name))
	try("rename from", r.Rename(name, "taken"))
	try("sync", r.SyncDir(filepath.Dir(name)))
	try("atomic", vfs.WriteFileAtomic(r, name, []byte("x"), 0o600))
	_, err = r.Root(filepath.Dir(name))
	try("root", err)
	try("remove", r.Remove(name))
	try("remove all", r.RemoveAll(name))
	return done
}

func TestNothingLeavesARoot(t *testing.T) {
	for _, impl := range []struct {
		name string
		fsys vfs.FS
		dir  string
	}{
		{"OS", vfs.OS{}, t.TempDir()},
		{"Mem", memWith(t, "/tmp"), "/tmp"},
		{"Fail", vfs.Fail(memWith(t, "/tmp"), func(vfs.Op) error { return nil }), "/tmp"},
	} {
		t.Run(impl.name, func(t *testing.T) {
			below := filepath.Join(impl.dir, "below")
			outside := filepath.Join(impl.dir, "secret")
			for _, err := range []error{
				impl.fsys.MkdirAll(below, 0o700),
				vfs.WriteFileAtomic(impl.fsys, outside, []byte("mine"), 0o600),
				vfs.WriteFileAtomic(impl.fsys, filepath.Join(below, "inside"), []byte("yours"), 0o600),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			names := []string{"../secret", "a/../../secret", outside}
			if impl.name == "OS" && os.Symlink("..", filepath.Join(below, "up")) == nil {
				names = append(names, "up/secret")
			}
			r := root(t, impl.fsys, below)
			for _, name := range names {
				if done := leave(r, name); done != nil {
					t.Errorf("%s: %q was done", name, done)
				}
			}
			if data, err := impl.fsys.ReadFile(outside); string(data) != "mine" {
				t.Errorf("the file outside holds %q (%v)", data, err)
			}
			if data, err := r.ReadFile("inside"); string(data) != "yours" {
				t.Errorf("the file inside holds %q (%v)", data, err)
			}
		})
	}
}

func TestARootIsADirectory(t *testing.T) {
	m := memWith(t, "/a")
	if err := vfs.WriteFileAtomic(m, "/a/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/a/file", "/a/none"} {
		if _, err := m.Root(name); err == nil {
			t.Errorf("Root(%s) succeeded", name)
		}
	}
}

// The rule of a Fail also decides about operations below a root, by the full name.
func TestARuleSeesWhatIsDoneBelowARoot(t *testing.T) {
	var seen []string
	fsys := vfs.Fail(memWith(t, "/a/b"), func(op vfs.Op) error {
		seen = append(seen, op.Name+" "+op.Path)
		return nil
	})
	if err := vfs.WriteFileAtomic(root(t, fsys, "/a"), "b/c", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if want := "syncdir /a/b"; seen[len(seen)-1] != want || !slices.Contains(seen, "root /a") {
		t.Errorf("seen %q, want root /a and at last %q", seen, want)
	}
}
