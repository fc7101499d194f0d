package vfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// disk is one file system under test and the directory to work in.
type disk struct {
	t    *testing.T
	fsys vfs.FS
	dir  string
}

func (d disk) path(name string) string { return filepath.Join(d.dir, name) }

func (d disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// open opens a file until the test ends.
func (d disk) open(name string, flag int) vfs.File {
	d.t.Helper()
	f, err := d.fsys.OpenFile(d.path(name), flag, 0o600)
	d.must(err)
	d.t.Cleanup(func() { _ = f.Close() }) // some tests have closed it
	return f
}

// write appends to a file, and makes it if necessary.
func (d disk) write(name, text string) {
	d.t.Helper()
	f := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	d.put(f, text)
	d.must(f.Close())
}

func (d disk) put(f vfs.File, text string) {
	d.t.Helper()
	if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
		d.t.Fatalf("Write(%q) = %d, %v", text, n, err)
	}
}

func (d disk) wantContents(name, want string) {
	d.t.Helper()
	got, err := d.fsys.ReadFile(d.path(name))
	if string(got) != want || err != nil {
		d.t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

func (d disk) wantLines(name string, want map[string]int) {
	d.t.Helper()
	data, err := d.fsys.ReadFile(d.path(name))
	d.must(err)
	got := map[string]int{}
	for line := range strings.Lines(string(data)) {
		got[strings.TrimSuffix(line, "\n")]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("lines of %s (-want +got):\n%s", name, diff)
	}
}

func (d disk) wantRest(f vfs.File, want string) {
	d.t.Helper()
	got, err := io.ReadAll(f)
	if string(got) != want || err != nil {
		d.t.Errorf("rest of the file = %q, %v; want %q", got, err, want)
	}
}

func (d disk) wantRead(p []byte, n int, err error, want string, wantErr error) {
	d.t.Helper()
	if string(p[:n]) != want || !errors.Is(err, wantErr) {
		d.t.Errorf("read %q, %v; want %q, %v", p[:n], err, want, wantErr)
	}
}

func (d disk) wantStat(info fs.FileInfo, err error) func(name string, size int64, dir bool) {
	d.t.Helper()
	d.must(err)
	return func(name string, size int64, dir bool) {
		d.t.Helper()
		if info.Name() != name || info.Size() != size || info.IsDir() != dir || info.ModTime().IsZero() {
			d.t.Errorf("Stat = %q, %d bytes, directory %v, changed %v; want %q, %d, %v",
				info.Name(), info.Size(), info.IsDir(), info.ModTime(), name, size, dir)
		}
	}
}

// claim takes a claim that must be free.
func (d disk) claim(f vfs.File, c vfs.Claim) {
	d.t.Helper()
	if err := f.Claim(c); err != nil {
		d.t.Errorf("Claim(%v) = %v", c, err)
	}
}

// wantHolders checks which processes have the file open and write it, according to f.
func (d disk) wantHolders(f vfs.File, open, write int) {
	d.t.Helper()
	o, w := f.Holder(vfs.ClaimOpen), f.Holder(vfs.ClaimWrite)
	if o == -1 && w == -1 && runtime.GOOS != "linux" {
		return // this system cannot tell
	}
	if o != open || w != write {
		d.t.Errorf("held open by %d and written by %d, want %d and %d", o, w, open, write)
	}
}

func (d disk) wantSame(f vfs.File, name string, want bool) {
	d.t.Helper()
	a, err := f.Stat()
	d.must(err)
	b, err := d.fsys.Stat(d.path(name))
	d.must(err)
	if vfs.SameFile(a, b) != want {
		d.t.Errorf("SameFile of the handle and %s = %v, want %v", name, !want, want)
	}
}

// wantNames compares the names in a directory; those of directories have a slash.
func (d disk) wantNames(dir string, want ...string) {
	d.t.Helper()
	entries, err := d.fsys.ReadDir(d.path(dir))
	d.must(err)
	got := []string{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		got = append(got, name)
	}
	if !slices.Equal(got, want) {
		d.t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// wantError checks for an error that names its path, and for target if that is given.
func (d disk) wantError(err, target error) {
	d.t.Helper()
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case err == nil:
		d.t.Error("no error")
	case !errors.As(err, &pathErr) && !errors.As(err, &linkErr):
		d.t.Errorf("%s has no path", describe(err))
	case target != nil && !errors.Is(err, target):
		d.t.Errorf("%s is not %v", describe(err), target)
	}
}

func describe(err error) string { return fmt.Sprintf("%T %q", err, err) }
