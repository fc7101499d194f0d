//go:build unix

package vfs_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A pipe, a device or a socket is refused at once, by every way to open it: opening a
// pipe that has no other end waits forever otherwise.
func TestWhatIsNoRegularFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // because the path of a socket must be short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	below, err := vfs.OS{}.Root(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	for _, name := range []string{"pipe", "link", "socket", "/dev/null"} {
		systems := map[string]vfs.FS{"OS": vfs.OS{}, "root": below}
		if filepath.IsAbs(name) {
			delete(systems, "root")
		}
		for which, fsys := range systems {
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_APPEND, os.O_WRONLY | os.O_CREATE} {
				if f, err := fsys.OpenFile(name, flag, 0o600); !errors.Is(err, vfs.ErrNotRegular) {
					t.Errorf("%s: OpenFile(%s, %#x) = %v, %v; want ErrNotRegular", which, name, flag, f, err)
				}
			}
			if _, err := fsys.ReadFile(name); !errors.Is(err, vfs.ErrNotRegular) {
				t.Errorf("%s: ReadFile(%s) = %v; want ErrNotRegular", which, name, err)
			}
		}
	}
	if f, err := (vfs.OS{}).OpenFile(dir, os.O_RDONLY, 0); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("OpenFile of a directory = %v, %v; want EISDIR", f, err)
	}
}
