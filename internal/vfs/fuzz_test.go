package vfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// FuzzMemIsLikeOS reads its bytes as operations, does each on Mem and on OS, and checks
// that both succeed or fail alike, with the same bytes and the same names.
func FuzzMemIsLikeOS(f *testing.F) {
	f.Add([]byte("a0b1c2d3"))
	f.Add([]byte("\x00\x01\x10\x02\x21\x12\x30\x03\x41\x13\x52\x00\x63\x21"))
	f.Add([]byte("\x30\x00\x31\x10\x20\x12\x40\x32\x01\x02\x50\x30\x03\x20"))
	f.Add([]byte("\x04\x02\x03\x22")) // a directory renamed to itself
	f.Fuzz(func(t *testing.T, program []byte) {
		program = program[:min(len(program), 64)] // longer ones find nothing more
		sys := disk{t, vfs.OS{}, t.TempDir()}
		mem := disk{t, vfs.NewMem(), "/"}
		for len(program) >= 2 {
			verb, names := program[0], program[1]
			program = program[2:]
			onSys, onMem := step(sys, verb, names), step(mem, verb, names)
			if (onSys == nil) != (onMem == nil) {
				t.Fatalf("step %#x %#x: OS says %v, Mem says %v", verb, names, onSys, onMem)
			}
		}
		if got, want := tree(t, mem), tree(t, sys); got != want {
			t.Errorf("Mem holds %q\nOS holds  %q", got, want)
		}
	})
}

// step does one operation on one or two of a few names.
func step(d disk, verb, names byte) error {
	const choices = "a b d d/a d/b d/e d/e/a a/b"
	all := strings.Fields(choices)
	one, two := d.path(all[int(names)%len(all)]), d.path(all[int(names>>4)%len(all)])
	switch verb % 7 {
	case 0:
		return writeThrough(d, one, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0)
	case 1:
		return writeThrough(d, one, os.O_WRONLY, int64(names>>5))
	case 2:
		return writeThrough(d, one, os.O_CREATE|os.O_EXCL|os.O_RDWR, 2)
	case 3:
		return d.fsys.Rename(one, two)
	case 4:
		return d.fsys.MkdirAll(one, 0o700)
	case 5:
		return d.fsys.Remove(one)
	default:
		return d.fsys.RemoveAll(one)
	}
}

// writeThrough opens a file, writes to it, sets its size and writes again.
func writeThrough(d disk, name string, flag int, size int64) error {
	f, err := d.fsys.OpenFile(name, flag, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	d.put(f, "one")
	d.must(f.Truncate(size))
	d.put(f, "2")
	return nil
}

// tree is list for a file system whose files are below d.dir.
func tree(t *testing.T, d disk) string {
	t.Helper()
	return list(t, below{d.fsys, d.dir}, "/")
}

// below presents one directory of a file system as its root.
type below struct {
	vfs.FS
	dir string
}

func (b below) ReadDir(name string) ([]os.DirEntry, error) {
	return b.FS.ReadDir(filepath.Join(b.dir, name))
}

func (b below) ReadFile(name string) ([]byte, error) {
	return b.FS.ReadFile(filepath.Join(b.dir, name))
}
