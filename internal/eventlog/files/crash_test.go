package files_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// life is what one process did to session "s" before it ended.
type life struct {
	tried   int // records it began to append
	told    int // records that Append returned nil for
	durable int // as many of them as it may rely on after loss of power
}

// live writes some records, some durably, one by one and several at once, and
// opens the session anew in between. It ends at the first error, as a process
// that is killed does.
func live(fsys vfs.FS, sync files.Sync) (l life) {
	store, err := files.Open(files.Options{Root: root, FS: fsys, Sync: sync})
	if err != nil {
		return l
	}
	s, err := store.Create("s")
	for i := 0; err == nil && i < 6; i++ {
		if i == 3 {
			s, _, err = store.Open("s")
		}
		if err == nil {
			err = l.append(s, i%3+1, i%2 == 1, sync)
		}
	}
	return l
}

// append appends n records and keeps account.
func (l *life) append(s eventlog.Stream, n int, durable bool, sync files.Sync) error {
	at := l.told
	var recs [][]byte
	for range n {
		recs = append(recs, logtest.Record(at+len(recs)+1))
	}
	l.tried = at + n
	if err := s.Append(uint64(at), recs, durable); err != nil {
		return err
	}
	l.told = l.tried
	if durable && sync != files.SyncOS || sync == files.SyncAlways {
		l.durable = l.told
	}
	return nil
}

// check opens what is left of session "s", which must be a prefix of what l tried with at least
// min records, whole, and fit to go on with.
func (l life) check(t *testing.T, fsys vfs.FS, min int, when string) {
	t.Helper()
	l.checkSession(t, fsys, "s", min, when)
}

func (l life) checkSession(t *testing.T, fsys vfs.FS, id string, min int, when string) {
	t.Helper()
	store := mustOpen(t, files.Options{Root: root, FS: fsys})
	s, _, err := store.Open(id)
	if err != nil && fault.KindOf(err) == fault.NotFound && min == 0 {
		return
	}
	if err != nil {
		t.Errorf("%s: Open = %v, want at least %d records", when, err, min)
		return
	}
	defer s.Close()
	got := logtest.Collect(t, s.Read(1))
	if len(got) < min || len(got) > l.tried || !slices.Equal(got, logtest.Records(1, len(got))) {
		t.Errorf("%s: %d records are left, want the first %d to %d: %q", when, len(got), min, l.tried, got)
	}
	logtest.Append(t, s, len(got)+1, len(got)+1)
	_, repair, err := store.Open(id)
	if err != nil || repair != nil {
		t.Errorf("%s: a second Open repairs %+v, %v", when, repair, err)
	}
}

// dies is a process that ends before its nth operation.
func dies(n int) vfs.Rule {
	return func(op vfs.Op) error {
		if op.N >= n {
			return syscall.EIO
		}
		return nil
	}
}

var syncs = map[string]files.Sync{"turn": files.SyncTurn, "always": files.SyncAlways, "os": files.SyncOS}

func TestDeathBeforeEveryOperation(t *testing.T) {
	for name, sync := range syncs {
		t.Run(name, func(t *testing.T) {
			whole := live(vfs.NewMem(), sync)
			for n := 1; ; n++ {
				mem := vfs.NewMem()
				l := live(vfs.Fail(mem, dies(n)), sync)
				when := fmt.Sprintf("killed before operation %d, having told %+v", n, l)
				l.check(t, mem, l.told, when)

				mem = vfs.NewMem()
				l = live(vfs.Fail(mem, dies(n)), sync)
				mem.Crash()
				l.check(t, mem, l.durable, when+", power lost")
				if l == whole {
					return
				}
			}
		})
	}
}

func TestOneFailureAnywhere(t *testing.T) {
	for name, sync := range syncs {
		t.Run(name, func(t *testing.T) {
			whole := live(vfs.NewMem(), sync)
			for n := 1; n < 200; n++ {
				mem := vfs.NewMem()
				l := live(vfs.Fail(mem, vfs.NthOp("", n, syscall.EIO)), sync)
				when := fmt.Sprintf("operation %d failed, told %+v", n, l)
				l.check(t, mem, l.told, when)

				mem = vfs.NewMem()
				live(vfs.Fail(mem, vfs.NthOp("", n, syscall.EIO)), sync)
				mem.Crash()
				l.check(t, mem, l.durable, when+", power lost")
			}
			if whole.told != whole.tried || whole.told == 0 {
				t.Errorf("without a failure %+v", whole)
			}
		})
	}
}

// TestPowerLossAtEveryByte keeps any number of the bytes that were not synced.
func TestPowerLossAtEveryByte(t *testing.T) {
	for name, sync := range syncs {
		t.Run(name, func(t *testing.T) {
			for keep, more := 0, true; more; keep++ {
				mem := vfs.NewMem()
				l := live(mem, sync)
				more = false
				mem.CrashTorn(func(_ string, unsynced int) int {
					more = more || keep < unsynced
					return keep
				})
				l.check(t, mem, l.durable, fmt.Sprintf("kept %d bytes", keep))
			}
		})
	}
}

func TestTornWriteAtEveryByte(t *testing.T) {
	for keep := range len(logtest.Record(1)) + 1 {
		mem := vfs.NewMem()
		s := createS(t, vfs.Fail(mem, vfs.TornWrite(2, keep)))
		logtest.Append(t, s, 1, 1)
		before := logOf(t, mem)
		wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
		if got := logOf(t, mem); got != before || s.Len() != 1 {
			t.Fatalf("%d bytes written and taken back: the log is %q", keep, got)
		}
		logtest.Append(t, s, 2, 3) // the disk works again
		life{tried: 3}.check(t, mem, 3, "after")
	}
}

func TestTornWriteThatCannotBeTakenBack(t *testing.T) {
	for keep := 1; keep <= len(logtest.Record(2)); keep++ {
		mem := vfs.NewMem()
		torn, cut := vfs.TornWrite(2, keep), vfs.NthOp("truncate", 1, syscall.EIO)
		s := createS(t, vfs.Fail(mem, func(op vfs.Op) error {
			if err := torn(op); err != nil {
				return err
			}
			return cut(op)
		}))
		logtest.Append(t, s, 1, 1)
		for range 3 {
			wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, false), fault.Unavailable)
		}
		if got := logtest.Collect(t, s.Read(1)); len(got) != 1 {
			t.Errorf("readers see %q", got)
		}
		life{tried: 2}.check(t, mem, 1, fmt.Sprintf("%d bytes stayed", keep))
	}
}

func TestFullDisk(t *testing.T) {
	size := len(logtest.Record(1)) + 1
	for space := range 3 * size {
		mem := vfs.NewMem()
		full, freed := vfs.NoSpace(space), false
		s := createS(t, vfs.Fail(mem, func(op vfs.Op) error {
			if freed {
				return nil
			}
			return full(op)
		}))
		told, err := 0, error(nil)
		for err == nil {
			if err = s.Append(uint64(told), [][]byte{logtest.Record(told + 1)}, true); err == nil {
				told++
			}
		}
		if told != space/size {
			t.Errorf("with room for %d bytes %d records are told", space, told)
		}
		wantKind(t, err, fault.Unavailable)
		wantHint(t, err, "free some space", root)
		life{tried: told + 1}.check(t, mem, told, "the disk is full")
		// check has appended, as another process would: this one must notice.
		freed = true
		wantKind(t, s.Append(uint64(told), [][]byte{logtest.Record(9)}, true), fault.Conflict)
	}
}

func TestFullDiskIsGoneOnWithWhenThereIsSpace(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, vfs.Fail(mem, vfs.NthOp("write", 2, &vfs.Short{Keep: 5, Err: syscall.ENOSPC})))
	logtest.Append(t, s, 1, 1)
	wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
	logtest.Append(t, s, 2, 4)
	life{tried: 4}.check(t, mem, 4, "after")
}

func TestAFailedSyncIsNotRetried(t *testing.T) {
	for _, op := range []string{"sync", "syncdir"} {
		t.Run(op, func(t *testing.T) {
			mem := vfs.NewMem()
			mustOpen(t, files.Options{Root: root, FS: mem}) // so that the root's own syncs are done
			s := createS(t, vfs.Fail(mem, vfs.NthOp(op, 1, syscall.EIO)))
			if err := s.Append(0, [][]byte{logtest.Record(1)}, false); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
			}
			if s.Len() != 1 {
				t.Errorf("Len() = %d, want 1", s.Len())
			}
			life{tried: 1}.check(t, mem, 1, "after")
		})
	}
}

func TestDeletionIsWholeOrNothing(t *testing.T) {
	for name, sync := range syncs {
		for _, power := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, power lost %v", name, power), func(t *testing.T) {
				gone := false
				for n := 1; !gone; n++ {
					mem := vfs.NewMem()
					logtest.Append(t, createS(t, mem), 1, 3)
					store, err := files.Open(files.Options{Root: root, FS: vfs.Fail(mem, dies(n)), Sync: sync})
					if err == nil {
						gone = store.Delete("s") == nil
					}
					if power {
						mem.Crash()
					}
					left, _, err := mustOpen(t, files.Options{Root: root, FS: mem}).Open("s")
					switch {
					case err == nil && left.Len() != 3:
						t.Errorf("died at operation %d: %d of 3 records are left", n, left.Len())
					case err == nil && gone && !(power && sync == files.SyncOS):
						t.Errorf("died at operation %d: a deleted session is back", n)
					case err != nil && fault.KindOf(err) != fault.NotFound:
						t.Errorf("died at operation %d: %v", n, err)
					}
				}
			})
		}
	}
}

func createS(t *testing.T, fsys vfs.FS) eventlog.Stream {
	t.Helper()
	s, err := mustOpen(t, files.Options{Root: root, FS: fsys}).Create("s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestRepairLosesNothing: at whatever operation a repair ends, the bytes it was
// to cut are in the log or beside it.
func TestRepairLosesNothing(t *testing.T) {
	const torn = `{"torn":"what nobody may lose`
	for n := 1; ; n++ {
		mem := withLog(t, []byte("{}\n"+torn)).(*vfs.Mem)
		opened := false
		if store, err := files.Open(files.Options{Root: root, FS: vfs.Fail(mem, dies(n))}); err == nil {
			_, _, err = store.Open("s")
			opened = err == nil
		}
		mem.Crash()
		entries, err := mem.ReadDir(filepath.Join(root, "s"))
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, e := range entries {
			b, err := mem.ReadFile(filepath.Join(root, "s", e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found += string(b)
		}
		if !strings.Contains(found, torn) {
			t.Errorf("died at operation %d: left is %q", n, found)
		}
		s, _ := openS(t, mem)
		if got := logtest.Collect(t, s.Read(1)); !slices.Equal(got, []string{"{}"}) {
			t.Errorf("died at operation %d: records are %q", n, got)
		}
		if opened {
			return
		}
	}
}
