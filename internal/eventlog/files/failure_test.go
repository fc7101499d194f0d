package files_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func wantKind(t *testing.T, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("got %v, want a fault of kind %v", err, want)
	}
}

// wantHint checks that the text of err has all of parts.
func wantHint(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want it to say %q", err, part)
		}
	}
}

func TestErrorsSayWhereAndWhatToDo(t *testing.T) {
	log := filepath.Join(root, "s", "events.jsonl")
	for _, tc := range []struct {
		rule, op string
		err      error
		do       func(*files.Store) error
		kind     fault.Kind
		says     []string
	}{
		{"a home that one may not write", "mkdirall", fs.ErrPermission, create, fault.Denied, []string{filepath.Join(root, "new"), "SIDESTICK_HOME"}},
		{"a read-only disk", "open", syscall.EROFS, create, fault.Denied, []string{root, "read-only"}},
		{"no space for a new session", "open", syscall.ENOSPC, create, fault.Unavailable, []string{root, "free some space"}},
		{"too many open files", "open", syscall.EMFILE, create, fault.Unavailable, []string{"ulimit"}},
		{"a log that one may not read", "open", fs.ErrPermission, open, fault.Denied, []string{log, "SIDESTICK_HOME"}},
		{"a disk that fails", "read", syscall.EIO, open, fault.Unavailable, []string{log, "check the disk"}},
		{"no space to save what is cut", "write", syscall.ENOSPC, open, fault.Unavailable, []string{log, "free some space"}},
		{"a log that cannot be cut", "truncate", syscall.EIO, open, fault.Unavailable, []string{log}},
		{"a folder that cannot be listed", "readdir", fs.ErrPermission, list, fault.Denied, []string{root, "SIDESTICK_HOME"}},
		{"a scan that cannot be read", "read", syscall.EIO, scan, fault.Unavailable, []string{log}},
		{"a session that cannot be moved", "rename", fs.ErrPermission, remove, fault.Denied, []string{root, "SIDESTICK_HOME"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			fsys := withLog(t, []byte("{}\n{\"torn"))
			armed := false
			store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(fsys, func(op vfs.Op) error {
				if armed && op.Name == tc.op {
					return tc.err
				}
				return nil
			})})
			armed = true
			err := tc.do(store)
			wantKind(t, err, tc.kind)
			wantHint(t, err, tc.says...)
			if got := logOf(t, fsys); got != "{}\n{\"torn" {
				t.Errorf("the log is now %q", got)
			}
		})
	}
}

func create(s *files.Store) error { _, err := createIn(s, "new"); return err }
func open(s *files.Store) error   { _, _, err := openIn(s, "s"); return err }
func list(s *files.Store) error   { _, err := s.Sessions(context.Background()); return err }
func scan(s *files.Store) (last error) {
	for _, last = range s.Scan(context.Background(), "s") {
	}
	return last
}
func remove(s *files.Store) error { return s.Delete(context.Background(), "s") }

// A folder that cannot be looked into may hold a session. It is listed, and reading it says
// what is wrong.
func TestASessionThatCannotBeReadIsListed(t *testing.T) {
	log := filepath.Join(root, "s", "events.jsonl")
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(withLog(t, []byte("{}\n")), func(op vfs.Op) error {
		if op.Path == log {
			return fs.ErrPermission
		}
		return nil
	})})
	infos, err := store.Sessions(t.Context())
	if err != nil || len(infos) != 1 || infos[0].ID != "s" || infos[0].Size != 0 {
		t.Errorf("Sessions() = %+v, %v; want s", infos, err)
	}
	_, err = store.Verify("s")
	wantKind(t, err, fault.Denied)
}

// A test bench or a user clears the home of a server that runs.
func TestAFolderThatIsRemovedHasNoSessions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "session-state")
	store := mustOpen(t, files.Options{Root: dir})
	if err := create(store); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if infos, err := store.Sessions(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("Sessions() = %+v, %v; want none", infos, err)
	}
	if err := create(store); err != nil {
		t.Errorf("a new session after that: %v", err)
	}
}

func TestRootThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"", file, filepath.Join(file, "below")} {
		_, err := files.Open(files.Options{Root: root})
		wantKind(t, err, fault.Invalid)
		wantHint(t, err, root)
	}
	if os.Getuid() == 0 {
		t.Log("the rest needs a user who can be refused something")
		return
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := files.Open(files.Options{Root: filepath.Join(dir, "new")})
	wantKind(t, err, fault.Denied)
}

func TestAnotherProcessIsNamed(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, 1, 1)
	f, err := mem.OpenFile(filepath.Join(root, "s", "events.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("{}\n"))
	err = s.Append(1, [][]byte{logtest.Record(2)}, false)
	wantKind(t, err, fault.Conflict)
	wantHint(t, err, "another process has written", "has 66 bytes", "up to 63")
}

// TestSyncs counts the syncs of each operation.
func TestSyncs(t *testing.T) {
	for _, tc := range []struct {
		rule string
		sync files.Sync
		want string // syncs of a file (f) and of a directory (d) per step
	}{
		{"durable appends", files.SyncTurn, "create: append: durable:fddd append: durable:f durable nothing:f"},
		{"always", files.SyncAlways, "create: append:fddd durable:f append:f durable:f durable nothing:f"},
		{"never", files.SyncOS, "create: append: durable: append: durable: durable nothing:"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := vfs.NewMem()
			mustOpen(t, files.Options{Root: root, FS: mem})
			var got strings.Builder
			store := mustOpen(t, files.Options{Root: root, Sync: tc.sync, FS: vfs.Fail(mem, func(op vfs.Op) error {
				switch op.Name {
				case "sync":
					got.WriteByte('f')
				case "syncdir":
					got.WriteByte('d')
				}
				return nil
			})})
			got.WriteString("create:")
			s, err := createIn(store, "s")
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []string{"append", "durable", "append", "durable", "durable nothing"} {
				got.WriteString(" " + step + ":")
				recs := [][]byte{logtest.Record(1)}
				if step == "durable nothing" {
					recs = nil
				}
				if err := s.Append(s.Len(), recs, step != "append"); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != tc.want {
				t.Errorf("got  %s\nwant %s", got.String(), tc.want)
			}
		})
	}
}

func TestWhatCannotBeRemovedIsRemovedLater(t *testing.T) {
	fsys := withLog(t, []byte("{}\n"))
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(fsys, vfs.NthOp("removeall", 1, fs.ErrPermission))})
	if err := store.Delete(context.Background(), "s"); err != nil {
		t.Errorf("Delete() = %v, want the session to be gone", err)
	}
	deleted := filepath.Join(root, ".deleted")
	if left, err := fsys.ReadDir(deleted); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v; want one folder", left, err)
	}
	mustOpen(t, files.Options{Root: root, FS: fsys})
	if left, err := fsys.ReadDir(deleted); err != nil || len(left) != 0 {
		t.Errorf("%v is left after the next Open, %v", left, err)
	}
}

func TestDir(t *testing.T) {
	t.Chdir(t.TempDir())
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	store := mustOpen(t, files.Options{Root: "state"})
	if got, want := store.Dir("a b"), filepath.Join(cwd, "state", "a%20b"); got != want {
		t.Errorf("Dir() = %q, want %q", got, want)
	}
	if got := store.Dir("../x"); got != "" {
		t.Errorf("Dir() of a refused id = %q, want none", got)
	}
}

func TestASessionCanBeDeletedFromAFullDisk(t *testing.T) {
	for _, op := range []string{"mkdirall", "rename"} {
		mem := vfs.NewMem()
		logtest.Append(t, createS(t, mem), 1, 1)
		store := mustOpen(t, files.Options{Root: root, FS: mem})
		full := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, func(o vfs.Op) error {
			if o.Name == op {
				return syscall.ENOSPC
			}
			return nil
		})})
		if err := full.Delete(context.Background(), "s"); err != nil {
			t.Errorf("Delete() without room for %s = %v", op, err)
		}
		if _, err := createIn(store, "s"); err != nil {
			t.Errorf("Create() afterwards = %v", err)
		}
	}
}
