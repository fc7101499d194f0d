package vfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// TestCrash runs small scripts: steps separated by ";", each a verb and names. The result
// is every remaining file with its bytes; directories have a slash.
func TestCrash(t *testing.T) {
	for _, tc := range []struct{ name, script, want string }{
		{"without a crash all is there", "append a one; mkdir d", "a=one d/"},
		{"nothing synced, nothing left", "append a one; mkdir d; crash", ""},
		{"a name without its bytes", "append a one; syncdir /; crash", "a="},
		{"bytes without a name", "append a one; sync a; crash", ""},
		{"name and bytes", "append a one; sync a; syncdir /; crash", "a=one"},
		{"what came after the sync is lost", "append a one; sync a; syncdir /; append a two; crash", "a=one"},
		{"the name may be synced before the bytes", "append a one; syncdir /; append a two; sync a; crash", "a=onetwo"},
		{"a cut that was not synced is undone", "append a one; sync a; syncdir /; truncate a 1; crash", "a=one"},
		{"so is what was written over the cut", "append a one; sync a; syncdir /; truncate a 1; append a xyz; crash", "a=one"},
		{"so are zeros in place of the cut", "append a one; sync a; syncdir /; truncate a 1; truncate a 3; crash", "a=one"},
		{"what was written over the front is undone", "append a one; sync a; syncdir /; overwrite a xy; crash", "a=one"},
		{"a synced cut stays", "append a one; syncdir /; truncate a 1; sync a; append a x; crash", "a=o"},
		{"a removed file is back", "append a one; sync a; syncdir /; remove a; crash", "a=one"},
		{"a synced removal stays", "append a one; sync a; syncdir /; remove a; syncdir /; crash", ""},
		{"a rename is undone", "append a one; sync a; syncdir /; rename a b; crash", "a=one"},
		{"a synced rename stays", "append a one; sync a; rename a b; syncdir /; crash", "b=one"},
		{"a replaced file is back", "append a old; sync a; syncdir /; append b new; sync b; rename b a; crash", "a=old"},
		{"replaced without syncing the new bytes", "append a old; sync a; syncdir /; append b new; rename b a; syncdir /; crash", "a="},
		{"a directory needs its parent synced", "mkdir d; append d/a one; sync d/a; syncdir d; crash", ""},
		{"and itself", "mkdir d; syncdir /; append d/a one; sync d/a; crash", "d/"},
		{"both synced", "mkdir d; syncdir /; append d/a one; sync d/a; syncdir d; crash", "d/ d/a=one"},
		{"everything synced at once, by any file", "mkdir d; append d/a one; append b two; syncall b; append b x; append c y; crash", "b=two d/ d/a=one"},
		{"also what was removed and renamed", "append a one; append b two; syncall a; remove a; rename b c; syncall c; crash", "c=two"},
		{"a kill loses nothing", "append a one; mkdir d; kill", "a=one d/"},
		{"but makes nothing durable", "append a one; kill; crash", ""},
		{"all levels in one go", "mkdirsync d/e/f; crash", "d/ d/e/ d/e/f/"},
		{"a directory whose maker died is synced by the next", "mkdir d; mkdirsync d; crash", "d/"},
		{"moved, and only the new side synced", "mkdirsync d; append a one; sync a; syncdir /; rename a d/a; syncdir d; crash", "a=one d/ d/a=one"},
		{"moved, and only the old side synced", "mkdirsync d; append a one; sync a; syncdir /; rename a d/a; syncdir /; crash", "d/"},
		{"a second crash changes nothing", "append a one; sync a; syncdir /; append a two; crash; crash", "a=one"},
		{"work goes on after a crash", "append a one; sync a; syncdir /; append a two; crash; append a three; sync a; crash", "a=onethree"},
		{"so do names: a new one needs a new sync", "append a one; syncdir /; crash; append b two; crash", "a="},
		{"a torn tail keeps its front", "append a one; sync a; syncdir /; append a two; torn 2", "a=onetw"},
		{"what a torn tail kept is durable", "append a one; syncdir /; torn 2; crash", "a=on"},
		{"a torn tail is no longer than it was", "append a one; syncdir /; torn 99", "a=one"},
		{"nor shorter than nothing", "append a one; syncdir /; torn -1", "a="},
		{"a nameless file has no torn tail", "append a one; torn 2", ""},
		{"a file that did not only grow has none", "append a one; sync a; syncdir /; truncate a 0; append a xyzzy; torn 4", "a=one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := vfs.NewMem()
			for step := range strings.SplitSeq(tc.script, ";") {
				run(disk{t, m, "/"}, m, strings.Fields(step))
			}
			if got := list(t, m, "/"); got != tc.want {
				t.Errorf("%s\nleaves %q\nwant   %q", tc.script, got, tc.want)
			}
		})
	}
}

func run(d disk, m *vfs.Mem, step []string) {
	d.t.Helper()
	arg := func(i int) string { return step[i] }
	num := func(i int) int {
		n, err := strconv.Atoi(step[i])
		d.must(err)
		return n
	}
	switch step[0] {
	case "append":
		d.write(arg(1), arg(2))
	case "overwrite":
		d.put(d.open(arg(1), os.O_WRONLY), arg(2))
	case "sync":
		d.must(d.open(arg(1), os.O_RDONLY).Sync())
	case "syncall":
		d.must(d.open(arg(1), os.O_RDONLY).SyncAll())
	case "kill":
		m.Kill()
	case "truncate":
		d.must(d.open(arg(1), os.O_RDWR).Truncate(int64(num(2))))
	case "rename":
		d.must(m.Rename(arg(1), arg(2)))
	case "remove":
		d.must(m.Remove(arg(1)))
	case "mkdir":
		d.must(m.MkdirAll(arg(1), 0o700))
	case "mkdirsync":
		d.must(vfs.MkdirAllSync(m, arg(1), 0o700))
	case "syncdir":
		d.must(m.SyncDir(arg(1)))
	case "crash":
		m.Crash()
	case "torn":
		keep := num(1)
		m.CrashTorn(func(string, int) int { return keep })
	default:
		d.t.Fatalf("no step %q", step)
	}
}

// list returns "name=bytes" of every file below dir and "name/" of every directory.
func list(t *testing.T, fsys vfs.FS, dir string) string {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			all = append(all, strings.Fields(name[1:]+"/ "+list(t, fsys, name))...)
			continue
		}
		data, err := fsys.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s=%s", name[1:], data))
	}
	return strings.Join(all, " ")
}

func TestCrashTornAsksInOrderOfNames(t *testing.T) {
	m := vfs.NewMem()
	d := disk{t, m, "/"}
	d.must(vfs.MkdirAllSync(m, "b", 0o700))
	for name, text := range map[string]string{"c": "123", "b/x": "1", "a": "12", "empty": ""} {
		d.write(name, text)
	}
	d.must(m.SyncDir("/"))
	d.must(m.SyncDir("b"))
	var asked []string
	m.CrashTorn(func(name string, unsynced int) int {
		asked = append(asked, fmt.Sprint(name, " ", unsynced))
		return unsynced
	})
	if diff := cmp.Diff([]string{"/a 2", "/b/x 1", "/c 3"}, asked); diff != "" {
		t.Error("asked (-want +got):\n" + diff)
	}
}

func TestAHandleDoesNotSurviveACrash(t *testing.T) {
	m := vfs.NewMem()
	d := disk{t, m, "/"}
	f := d.open("a", os.O_CREATE|os.O_RDWR)
	d.must(f.Sync())
	d.must(m.SyncDir("/"))
	m.Crash()
	if _, err := f.Write([]byte("late")); !errors.Is(err, vfs.ErrCrashed) {
		t.Errorf("Write after the crash = %v, want ErrCrashed", err)
	}
	if err := f.Sync(); !errors.Is(err, vfs.ErrCrashed) {
		t.Errorf("Sync after the crash = %v, want ErrCrashed", err)
	}
	d.wantContents("a", "")
}

// The claims of a process that has ended are released.
func TestClaimsEndWithTheProcess(t *testing.T) {
	for name, end := range map[string]func(*vfs.Mem){"killed": (*vfs.Mem).Kill, "power lost": (*vfs.Mem).Crash} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			d := disk{t, m, "/"}
			f := d.open("a", os.O_CREATE|os.O_RDWR)
			d.claim(f, vfs.ClaimOpen)
			d.claim(f, vfs.ClaimWrite)
			d.must(f.SyncAll())
			end(m)
			d.wantError(f.Claim(vfs.ClaimOpen), vfs.ErrCrashed)
			d.wantError(f.SyncAll(), vfs.ErrCrashed)
			g := d.open("a", os.O_RDWR)
			d.wantHolders(g, 0, 0)
			d.claim(g, vfs.ClaimWrite)
		})
	}
}

// Renames that are synced on one side only can put a directory inside itself. Crash must
// return nevertheless.
func TestCrashEndsOnADirectoryInsideItself(t *testing.T) {
	m := vfs.NewMem()
	d := disk{t, m, "/"}
	d.must(vfs.MkdirAllSync(m, "a/b", 0o700))
	d.must(m.Rename("a/b", "b"))
	d.must(m.SyncDir("/"))
	d.must(m.Rename("a", "b/a"))
	d.must(m.SyncDir("b"))
	m.Crash()
	d.must(d.open("x", os.O_CREATE|os.O_RDWR).SyncAll()) // has to come back too
	if _, err := m.Stat("a/b/a/b"); err != nil {
		t.Errorf("the loop is not there, so this test tests nothing: %v", err)
	}
}

// TestWriteFileAtomicAtEveryPoint stops it before each of its operations and then cuts the
// power. The file must hold the old bytes or the new ones, and the new ones if it returned
// nil.
func TestWriteFileAtomicAtEveryPoint(t *testing.T) {
	stop := errors.New("stop")
	for n := 1; ; n++ {
		m := vfs.NewMem()
		d := disk{t, m, "/"}
		d.must(vfs.WriteFileAtomic(m, "a", []byte("old"), 0o600))
		err := vfs.WriteFileAtomic(vfs.Fail(m, vfs.NthOp("", n, stop)), "a", []byte("new"), 0o600)
		wantTidy(t, m, n)
		m.Crash()
		got, rerr := m.ReadFile("a")
		d.must(rerr)
		switch {
		case err == nil && string(got) != "new":
			t.Fatalf("reported done, but after a crash a holds %q", got)
		case err != nil && string(got) != "old" && string(got) != "new":
			t.Errorf("stopped at operation %d, a holds %q", n, got)
		}
		if err == nil {
			if n < 6 {
				t.Errorf("only %d operations: it cannot have synced file and directory", n-1)
			}
			return
		}
	}
}

// wantTidy checks that there is no file beside a, unless removing it was what was stopped.
func wantTidy(t *testing.T, m *vfs.Mem, n int) {
	t.Helper()
	entries, err := m.ReadDir("/")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("stopped at operation %d, left %d files", n, len(entries))
	}
}

func TestMemIsOneTreeForAllNames(t *testing.T) {
	m := vfs.NewMem()
	d := disk{t, m, "/"}
	d.write("a", "x")
	for _, name := range []string{"a", "/a", "./a", "../a", "b/../a"} {
		if _, err := m.Stat(name); err != nil {
			t.Errorf("Stat(%q): %v", name, err)
		}
	}
	if err := m.RemoveAll("/"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("RemoveAll of the root = %v, want it refused", err)
	}
}
