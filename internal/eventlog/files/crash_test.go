package files_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// life is what one process did to session "s" before it ended.
type life struct {
	tried   int // records it began to append
	acked   int // records that Append returned nil for
	durable int // as many of them as it may rely on after loss of power
}

// live appends records, some durably, one by one and many at once so that the index is
// written, too, and opens the session again in between. It ends at the first error, as a
// process that is killed does, or closes the session.
func live(fsys vfs.FS, sync files.Sync) (l life) {
	store, err := files.Open(files.Options{Root: root, FS: fsys, Sync: sync})
	if err != nil {
		return l
	}
	s, err := createIn(store, "s")
	for i, n := range []int{1, 2, 67, 1, 68, 3} {
		if i == 3 && err == nil {
			s, _, err = openIn(store, "s")
		}
		if err == nil {
			err = l.append(s, n, i%2 == 1, sync)
		}
	}
	if err == nil {
		_ = s.Close() // it makes nothing durable, and so nothing is promised
	}
	return l
}

// append appends n records and counts them in l.
func (l *life) append(s *logtest.Writer, n int, durable bool, sync files.Sync) error {
	at := l.acked
	var recs [][]byte
	for range n {
		recs = append(recs, logtest.Record(at+len(recs)+1))
	}
	l.tried = at + n
	if err := s.Append(uint64(at), recs, durable); err != nil {
		return err
	}
	l.acked = l.tried
	if durable && sync != files.SyncOS || sync == files.SyncAlways {
		l.durable = l.acked
	}
	return nil
}

// check opens session "s" and checks what is left: at least min records, the first of
// those that l tried, complete, and fit to be continued.
func (l life) check(t *testing.T, fsys vfs.FS, min int, when string) {
	t.Helper()
	l.checkSession(t, fsys, "s", min, when)
}

func (l life) checkSession(t *testing.T, fsys vfs.FS, id string, min int, when string) {
	t.Helper()
	store := mustOpen(t, files.Options{Root: root, FS: fsys})
	s, _, err := openIn(store, id)
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
	_, repair, err := openIn(store, id)
	if err != nil || repair != nil {
		t.Errorf("%s: a second Open repairs %+v, %v", when, repair, err)
	}
}

// dies ends a process before its nth operation.
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
				when := fmt.Sprintf("killed before operation %d, having acked %+v", n, l)
				l.check(t, mem, l.acked, when)

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
				when := fmt.Sprintf("operation %d failed, acked %+v", n, l)
				l.check(t, mem, l.acked, when)

				mem = vfs.NewMem()
				l = live(vfs.Fail(mem, vfs.NthOp("", n, syscall.EIO)), sync) // buffers come and go, so it may be another operation
				mem.Crash()
				l.check(t, mem, l.durable, fmt.Sprintf("operation %d failed, acked %+v, power lost", n, l))
			}
			if whole.acked != whole.tried || whole.acked == 0 {
				t.Errorf("without a failure %+v", whole)
			}
		})
	}
}

// TestPowerLossAtManyBytes keeps any number of the bytes that were not synced, of
// the log, of its index, and of both.
func TestPowerLossAtManyBytes(t *testing.T) {
	keeps := map[string]func(name string, keep, unsynced int) int{
		"both": func(_ string, keep, _ int) int { return keep },
		"the log, and all of the index": func(name string, keep, unsynced int) int {
			if name == indexPath {
				return unsynced
			}
			return keep
		},
		"the index, and all of the log": func(name string, keep, unsynced int) int {
			if name == indexPath {
				return keep
			}
			return unsynced
		},
	}
	for name, sync := range syncs {
		for what, kept := range keeps {
			for keep, more := 0, true; more; keep += 1 + keep/8 {
				mem := vfs.NewMem()
				l := live(mem, sync)
				if err := mem.SyncDir(filepath.Dir(indexPath)); err != nil {
					t.Fatal(err)
				}
				more = false
				mem.CrashTorn(func(name string, unsynced int) int {
					more = more || keep < unsynced
					return kept(name, keep, unsynced)
				})
				l.check(t, mem, l.durable, fmt.Sprintf("%s: kept %d bytes of %s", name, keep, what))
			}
		}
	}
}

// TestPowerLossWithHoles has what disks leave that write in no order: pages of the
// log behind the synced part that never arrived, and pages of the index that are
// zero, or of another file.
func TestPowerLossWithHoles(t *testing.T) {
	for name, sync := range syncs {
		mem := vfs.NewMem()
		l := live(mem, sync)
		log := []byte(logOf(t, mem))
		index, err := mem.ReadFile(indexPath)
		if err != nil {
			t.Fatal(err)
		}
		durable := len(strings.Join(append(logtest.Records(1, l.durable), ""), "\n"))
		for _, left := range holes(log, durable) {
			for _, with := range append(holes(index, 0), foreign(index)...) {
				fsys := withLog(t, left)
				put(t, fsys, indexPath, with)
				s, _, err := openIn(mustOpen(t, files.Options{Root: root, FS: fsys}), "s")
				if err != nil {
					t.Fatalf("%s: with a log of %d bytes and an index of %d: %v", name, len(left), len(with), err)
				}
				wantSome(t, logtest.Collect(t, s.Read(1)), l)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if _, repair := openS(t, fsys); repair != nil {
					t.Errorf("%s: a second Open repairs %+v", name, repair)
				}
			}
		}
	}
}

// holes returns data cut off, and with zeros, at many places from from on.
func holes(data []byte, from int) [][]byte {
	all := [][]byte{data}
	for at := from; at < len(data); at += 1 + (len(data)-from)/9 {
		for _, size := range []int{100, 4096} {
			holed := slices.Clone(data)
			clear(holed[at:min(at+size, len(data))])
			all = append(all, holed)
		}
		all = append(all, data[:at])
	}
	return all
}

// foreign returns data with pages of another file.
func foreign(data []byte) [][]byte {
	swapped := slices.Concat(data[len(data)/2:], data[:len(data)/2])
	text := slices.Clone(data)
	copy(text[len(text)/3:], strings.Repeat("what was here before ", 50))
	return [][]byte{swapped, text}
}

// wantSome checks that all durable records are there, and any of the others, in order.
func wantSome(t *testing.T, got []string, l life) {
	t.Helper()
	durable := logtest.Records(1, l.durable)
	if len(got) < len(durable) || !slices.Equal(got[:len(durable)], durable) {
		t.Errorf("%d records are left, want all %d durable ones", len(got), len(durable))
	}
	rest := logtest.Records(1, l.tried)
	for _, rec := range got {
		i := slices.Index(rest, rec)
		if i < 0 {
			t.Fatalf("%q is not what follows", rec)
		}
		rest = rest[i+1:]
	}
}
