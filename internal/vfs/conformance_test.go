package vfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// TestEveryFileSystem tests the contract on OS, Mem, and a Fail that never fails.
func TestEveryFileSystem(t *testing.T) {
	for _, impl := range []struct {
		name string
		make func(t *testing.T) (vfs.FS, string)
	}{
		{"OS", func(t *testing.T) (vfs.FS, string) { return vfs.OS{}, t.TempDir() }},
		{"Mem", func(t *testing.T) (vfs.FS, string) { return vfs.NewMem(), "/" }},
		{"Fail", func(t *testing.T) (vfs.FS, string) {
			return vfs.Fail(vfs.NewMem(), func(vfs.Op) error { return nil }), "/"
		}},
		{"OS root", func(t *testing.T) (vfs.FS, string) { return root(t, vfs.OS{}, t.TempDir()), "." }},
		{"Mem root", func(t *testing.T) (vfs.FS, string) { return root(t, memWith(t, "/a/b"), "/a/b"), "." }},
		{"Fail root", func(t *testing.T) (vfs.FS, string) {
			return root(t, vfs.Fail(memWith(t, "/a/b"), func(vfs.Op) error { return nil }), "/a/b"), "."
		}},
	} {
		t.Run(impl.name, func(t *testing.T) {
			for _, rule := range contract {
				t.Run(rule.name, func(t *testing.T) {
					fsys, dir := impl.make(t)
					rule.check(disk{t, fsys, dir})
				})
			}
		})
	}
}

var contract = []struct {
	name  string
	check func(d disk)
}{
	{"what was written is read back", func(d disk) {
		d.write("a", "one")
		d.wantContents("a", "one")
	}},
	{"appends go to the end from any handle", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_RDWR|os.O_APPEND)
		g := d.open("a", os.O_WRONLY|os.O_APPEND)
		d.put(f, "1")
		d.put(g, "2")
		d.put(f, "3")
		d.wantContents("a", "123")
	}},
	{"without append a write goes to the offset", func(d disk) {
		d.write("a", "12345")
		f := d.open("a", os.O_RDWR)
		d.put(f, "ab")
		d.wantRest(f, "345")
		d.wantContents("a", "ab345")
	}},
	{"truncating on open empties", func(d disk) {
		d.write("a", "old")
		d.open("a", os.O_WRONLY|os.O_TRUNC)
		d.wantContents("a", "")
	}},
	{"truncate cuts, then fills with zeros", func(d disk) {
		d.write("a", "12345")
		f := d.open("a", os.O_RDWR)
		d.must(f.Truncate(2))
		d.must(f.Truncate(4))
		d.wantContents("a", "12\x00\x00")
		d.wantError(f.Truncate(-1), nil)
	}},
	{"writing past the end leaves zeros", func(d disk) {
		d.write("a", "123")
		f := d.open("a", os.O_RDWR)
		d.wantRest(f, "123")
		d.must(f.Truncate(1))
		d.put(f, "x")
		d.wantContents("a", "1\x00\x00x")
	}},
	{"read at an offset leaves the handle's own", func(d disk) {
		d.write("a", "12345")
		f := d.open("a", os.O_RDONLY)
		p := make([]byte, 3)
		n, err := f.ReadAt(p, 1)
		d.wantRead(p, n, err, "234", nil)
		n, err = f.ReadAt(p, 3)
		d.wantRead(p, n, err, "45", io.EOF)
		n, err = f.ReadAt(p, 9)
		d.wantRead(p, n, err, "", io.EOF)
		d.wantRest(f, "12345")
		n, err = f.Read(p)
		d.wantRead(p, n, err, "", io.EOF)
	}},
	{"many may append at once, and no two writes mix", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
		var wg sync.WaitGroup
		for _, line := range []string{"aaaa\n", "bbbb\n", "cccc\n"} {
			wg.Go(func() {
				for range 20 {
					if _, err := f.Write([]byte(line)); err != nil {
						d.t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		d.wantLines("a", map[string]int{"aaaa": 20, "bbbb": 20, "cccc": 20})
	}},
	{"a missing file is not made by opening", func(d disk) {
		_, err := d.fsys.OpenFile(d.path("a"), os.O_RDWR, 0o600)
		d.wantError(err, fs.ErrNotExist)
		_, err = d.fsys.ReadFile(d.path("a"))
		d.wantError(err, fs.ErrNotExist)
		_, err = d.fsys.Stat(d.path("a"))
		d.wantError(err, fs.ErrNotExist)
	}},
	{"an exclusive create refuses a taken name", func(d disk) {
		d.write("a", "")
		_, err := d.fsys.OpenFile(d.path("a"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		d.wantError(err, fs.ErrExist)
	}},
	{"a file is not made in a missing directory", func(d disk) {
		_, err := d.fsys.OpenFile(d.path("d/a"), os.O_WRONLY|os.O_CREATE, 0o600)
		d.wantError(err, fs.ErrNotExist)
	}},
	{"the access mode is kept to", func(d disk) {
		d.write("a", "x")
		_, err := d.open("a", os.O_RDONLY).Write([]byte("y"))
		d.wantError(err, nil)
		_, err = d.open("a", os.O_WRONLY).Read(make([]byte, 1))
		d.wantError(err, nil)
		d.wantContents("a", "x")
	}},
	{"a closed handle is closed for everything", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_RDWR)
		d.must(f.Close())
		_, err := f.Write([]byte("y"))
		d.wantError(err, fs.ErrClosed)
		d.wantError(f.Sync(), fs.ErrClosed)
		d.wantError(f.Close(), fs.ErrClosed)
	}},
	{"a directory is not a file, nor a file a directory", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d"), 0o700))
		d.write("a", "")
		_, err := d.fsys.OpenFile(d.path("d"), os.O_WRONLY, 0)
		d.wantError(err, nil)
		_, err = d.fsys.ReadFile(d.path("d"))
		d.wantError(err, nil)
		_, err = d.fsys.ReadDir(d.path("a"))
		d.wantError(err, nil)
		_, err = d.fsys.Stat(d.path("a/b"))
		d.wantError(err, nil)
		d.wantError(d.fsys.MkdirAll(d.path("a/b"), 0o700), nil)
		d.wantError(d.fsys.SyncDir(d.path("a")), nil)
	}},
	{"stat tells size and kind", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d"), 0o700))
		f := d.open("a", os.O_CREATE|os.O_RDWR)
		d.put(f, "123")
		d.wantStat(f.Stat())("a", 3, false)
		d.wantStat(d.fsys.Stat(d.path("a")))("a", 3, false)
		info, err := d.fsys.Stat(d.path("d"))
		d.must(err)
		if !info.IsDir() || info.Name() != "d" {
			d.t.Errorf("Stat(d) = %q, directory %v", info.Name(), info.IsDir())
		}
	}},
	{"a directory lists its names in order", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("x/c"), 0o700))
		d.must(d.fsys.MkdirAll(d.path("x/c"), 0o700))
		d.write("x/b", "")
		d.write("x/a", "")
		d.wantNames("x", "a", "b", "c/")
		_, err := d.fsys.ReadDir(d.path("y"))
		d.wantError(err, fs.ErrNotExist)
	}},
	{"rename replaces a file", func(d disk) {
		d.write("a", "new")
		d.write("b", "old")
		d.must(d.fsys.Rename(d.path("a"), d.path("b")))
		d.wantContents("b", "new")
		d.wantNames(".", "b")
	}},
	{"rename moves a directory with all in it", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d/e"), 0o700))
		d.write("d/e/a", "x")
		d.must(d.fsys.Rename(d.path("d"), d.path("f")))
		d.wantContents("f/e/a", "x")
		d.wantNames(".", "f/")
	}},
	{"rename refuses what would lose something", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d"), 0o700))
		d.must(d.fsys.MkdirAll(d.path("full/x"), 0o700))
		d.write("a", "x")
		d.wantError(d.fsys.Rename(d.path("a"), d.path("d")), nil)
		d.wantError(d.fsys.Rename(d.path("d"), d.path("full")), nil)
		d.wantError(d.fsys.Rename(d.path("d"), d.path("d/e")), nil)
		d.wantError(d.fsys.Rename(d.path("no"), d.path("b")), fs.ErrNotExist)
		d.wantError(d.fsys.Rename(d.path("a"), d.path("no/b")), fs.ErrNotExist)
		d.wantNames(".", "a", "d/", "full/")
	}},
	{"renaming a file to itself changes nothing", func(d disk) {
		d.write("a", "x")
		d.must(d.fsys.Rename(d.path("a"), d.path("a")))
		d.wantContents("a", "x")
	}},
	{"remove takes one name, and only an empty directory", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d/e"), 0o700))
		d.write("a", "")
		d.wantError(d.fsys.Remove(d.path("d")), nil)
		d.must(d.fsys.Remove(d.path("a")))
		d.must(d.fsys.Remove(d.path("d/e")))
		d.wantError(d.fsys.Remove(d.path("a")), fs.ErrNotExist)
		d.wantNames(".", "d/")
	}},
	{"remove all takes everything below, and nothing is fine", func(d disk) {
		d.must(d.fsys.MkdirAll(d.path("d/e"), 0o700))
		d.write("d/e/a", "")
		d.must(d.fsys.RemoveAll(d.path("d")))
		d.must(d.fsys.RemoveAll(d.path("d")))
		d.wantNames(".")
	}},
	{"syncing works on files and directories that are there", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_RDWR)
		d.must(f.Sync())
		d.must(d.fsys.SyncDir(d.dir))
		d.wantError(d.fsys.SyncDir(d.path("no")), fs.ErrNotExist)
	}},
	{"syncing everything works, or says that it cannot", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_RDWR)
		d.put(f, "x")
		if err := f.SyncAll(); !errors.Is(err, errors.ErrUnsupported) {
			d.must(err)
		}
		d.must(f.Close())
		err := f.SyncAll()
		d.wantError(err, fs.ErrClosed)
	}},
	{"one handle of a file writes, until it gives that back or is closed", func(d disk) {
		one, two := d.open("a", os.O_CREATE|os.O_RDWR), d.open("a", os.O_RDWR)
		d.claim(one, vfs.ClaimWrite)
		d.wantError(two.Claim(vfs.ClaimWrite), vfs.ErrClaimed)
		two.Unclaim(vfs.ClaimWrite) // which it does not have
		d.wantError(two.Claim(vfs.ClaimWrite), vfs.ErrClaimed)
		one.Unclaim(vfs.ClaimWrite)
		d.claim(two, vfs.ClaimWrite)
		d.wantError(one.Claim(vfs.ClaimWrite), vfs.ErrClaimed)
		d.must(two.Close())
		d.claim(one, vfs.ClaimWrite)
		d.must(d.open("a", os.O_RDWR).Close()) // takes nothing from others
		d.wantError(d.open("a", os.O_RDWR).Claim(vfs.ClaimWrite), vfs.ErrClaimed)
	}},
	{"a claim belongs to the file, not to its name", func(d disk) {
		one := d.open("a", os.O_CREATE|os.O_RDWR)
		d.claim(one, vfs.ClaimWrite)
		d.must(d.fsys.Rename(d.path("a"), d.path("b")))
		d.wantError(d.open("b", os.O_RDWR).Claim(vfs.ClaimWrite), vfs.ErrClaimed)
		d.claim(d.open("a", os.O_CREATE|os.O_RDWR), vfs.ClaimWrite)
	}},
	{"a claim keeps nobody from reading, writing and cutting", func(d disk) {
		one, two := d.open("a", os.O_CREATE|os.O_RDWR), d.open("a", os.O_RDWR)
		d.claim(one, vfs.ClaimWrite)
		d.put(two, "123")
		d.must(two.Truncate(2))
		d.wantRest(one, "12")
		d.wantContents("a", "12")
	}},
	{"any number of handles have a file open, and who is seen by the others", func(d disk) {
		one, two, three := d.open("a", os.O_CREATE|os.O_RDWR), d.open("a", os.O_RDWR), d.open("a", os.O_RDWR)
		d.wantHolders(one, 0, 0)
		if err := one.Claim(vfs.ClaimOpen); errors.Is(err, errors.ErrUnsupported) {
			d.t.Skip("not on this system")
		}
		d.claim(two, vfs.ClaimOpen)
		d.claim(two, vfs.ClaimWrite)
		self := os.Getpid()
		d.wantHolders(one, self, self)
		d.wantHolders(two, self, 0)
		d.wantHolders(three, self, self)
		two.Unclaim(vfs.ClaimOpen)
		d.wantHolders(one, 0, self)
		d.must(two.Close())
		d.wantHolders(one, 0, 0)
		d.wantHolders(three, self, 0)
		d.must(one.Close())
		d.wantHolders(three, 0, 0)
		d.wantHolders(one, -1, -1)
	}},
	{"who only reads cannot claim to write, nor who is closed claim anything", func(d disk) {
		d.write("a", "")
		reader, closed := d.open("a", os.O_RDONLY), d.open("a", os.O_RDWR)
		d.must(closed.Close())
		d.wantError(reader.Claim(vfs.ClaimWrite), nil)
		d.wantError(closed.Claim(vfs.ClaimWrite), fs.ErrClosed)
		closed.Unclaim(vfs.ClaimWrite)
		d.claim(d.open("a", os.O_RDWR), vfs.ClaimWrite)
	}},
	{"a file is the same by all its names and handles, and no other is", func(d disk) {
		f := d.open("a", os.O_CREATE|os.O_RDWR)
		d.must(d.fsys.Rename(d.path("a"), d.path("b")))
		d.wantSame(f, "b", true)
		d.write("a", "")
		d.wantSame(f, "a", false)
		d.must(d.fsys.Remove(d.path("b")))
		d.write("b", "")
		d.wantSame(f, "b", false)
	}},
	{"an atomic write replaces all and leaves nothing beside", func(d disk) {
		d.write("a", "old and long")
		d.must(vfs.WriteFileAtomic(d.fsys, d.path("a"), []byte("new"), 0o600))
		d.wantContents("a", "new")
		d.wantNames(".", "a")
		d.wantError(vfs.WriteFileAtomic(d.fsys, d.path("no/a"), nil, 0o600), fs.ErrNotExist)
	}},
	{"synced directories are made at any depth, again and again", func(d disk) {
		d.must(vfs.MkdirAllSync(d.fsys, d.path("a/b/c"), 0o700))
		d.must(vfs.MkdirAllSync(d.fsys, d.path("a/b/c"), 0o700))
		d.wantNames("a/b", "c/")
		d.write("f", "")
		d.wantError(vfs.MkdirAllSync(d.fsys, d.path("f/a"), 0o700), nil)
	}},
}
