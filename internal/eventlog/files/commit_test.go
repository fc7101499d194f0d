package files_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// busy has several sessions on a disk, in a bubble of synctest. The sync of one file takes
// each, a SyncAll takes all. The folders are durable, so a single append is one sync.
type busy struct {
	t       *testing.T
	streams []*logtest.Writer
	each    time.Duration
	all     time.Duration // 0 is each

	mu    sync.Mutex
	syncs []string              // what was synced, as "sync 0": the session of the file
	fails func(op vfs.Op) error // decides on syncs
}

func newBusy(t *testing.T, sessions int) *busy {
	t.Helper()
	b := &busy{t: t, each: 10 * time.Millisecond, fails: func(vfs.Op) error { return nil }}
	setUp := true
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if setUp || !strings.HasPrefix(op.Name, "sync") {
			return nil
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.syncs = append(b.syncs, op.Name+" "+filepath.Base(filepath.Dir(op.Path)))
		took := b.each
		if op.Name == "syncall" && b.all > 0 {
			took = b.all
		}
		return &vfs.Slow{For: took, Err: b.fails(op)}
	})})
	for i := range sessions {
		s, err := createIn(store, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		logtest.Append(t, s, 1, 1)
		b.streams = append(b.streams, s)
	}
	setUp = false
	return b
}

// append appends durably to the given sessions, which begin in this order, and
// returns their errors and the syncs that it took.
func (b *busy) append(order ...int) (errs []error, syncs string) {
	errs = make([]error, len(order))
	b.syncs = nil
	var wg sync.WaitGroup
	for i, n := range order {
		s := b.streams[n]
		wg.Go(func() { errs[i] = s.Append(s.Len(), [][]byte{logtest.Record(int(s.Len()) + 1)}, true) })
		synctest.Wait()
	}
	wg.Wait()
	return errs, strings.Join(b.syncs, ", ")
}

// want appends and compares the syncs, and how many of them came one after the
// other.
func (b *busy) want(syncs string, steps int, order ...int) {
	b.t.Helper()
	start := time.Now()
	errs, got := b.append(order...)
	if err := errors.Join(errs...); err != nil {
		b.t.Errorf("appending to %v: %v", order, err)
	}
	took, want := time.Since(start), time.Duration(steps)*b.each
	if strings.Contains(syncs, "syncall") && b.all > 0 {
		want += b.all - b.each
	}
	if diff := cmp.Diff(syncs, got); diff != "" || took != want {
		b.t.Errorf("appending to %v took %v, want %v; syncs (-want +got):\n%s", order, took, want, diff)
	}
}

func TestOneSessionSyncsItsFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 3)
		for range 3 {
			b.want("sync 1", 1, 1)
		}
	})
}

// TestThoseWhoWaitAreSyncedTogether, through the file that was opened first.
func TestThoseWhoWaitAreSyncedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newBusy(t, 6).want("sync 5, syncall 0", 2, 5, 3, 0, 4)
	})
}

func TestOneWhoWaitsAloneSyncsItsFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newBusy(t, 3).want("sync 2, sync 1", 2, 2, 1)
	})
}

// TestWhoComesLateIsOfTheNextGroup: a sync does not cover what is written while it runs.
func TestWhoComesLateIsOfTheNextGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 6)
		var wg sync.WaitGroup
		for i, s := range b.streams { // 0 alone, 1 to 3 after it, 4 and 5 while these are synced
			wg.Go(func() {
				time.Sleep(time.Duration(i/4*(9+i)) * time.Millisecond)
				logtest.Append(t, s, 2, 2)
			})
			synctest.Wait()
		}
		wg.Wait()
		if got := strings.Join(b.syncs, ", "); got != "sync 0, syncall 1, syncall 4" {
			t.Errorf("syncs: %s", got)
		}
	})
}

// TestWhatWasSlowIsLeftAlone: a SyncAll of a second is not tried again for fifty.
func TestWhatWasSlowIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 3)
		b.all = time.Second
		b.want("sync 0, syncall 1", 2, 0, 1, 2)
		b.want("sync 0, sync 1, sync 2", 1, 0, 1, 2) // all at the same time
		time.Sleep(49 * time.Second)
		b.want("sync 0, sync 1, sync 2", 1, 0, 1, 2)
		time.Sleep(time.Second)
		b.want("sync 0, syncall 1", 2, 0, 1, 2)
	})
}

// TestOnceSlowIsNotSlow: a SyncAll that takes 100 ms once is used again, after two in a
// row it is not.
func TestOnceSlowIsNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 3)
		b.each = time.Millisecond
		for range 5 {
			b.all = 100 * time.Millisecond
			b.want("sync 0, syncall 1", 2, 0, 1, 2)
			b.all = time.Millisecond
			for range 12 {
				b.want("sync 0, syncall 1", 2, 0, 1, 2)
			}
		}
		b.all = 100 * time.Millisecond
		for range 2 {
			b.want("sync 0, syncall 1", 2, 0, 1, 2)
		}
		b.want("sync 0, sync 1, sync 2", 1, 0, 1, 2)
		time.Sleep(5 * time.Second)
		b.want("sync 0, syncall 1", 2, 0, 1, 2)
	})
}

// TestASlowDiskIsNoReason: where every sync takes long, SyncAll is still the better way.
func TestASlowDiskIsNoReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 3)
		b.each = 300 * time.Millisecond
		for range 20 {
			b.want("sync 0, syncall 1", 2, 0, 1, 2)
		}
	})
}

// TestWhereSyncAllCannotBeHad: every session syncs its own file and waits for no other.
func TestWhereSyncAllCannotBeHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 4)
		b.fails = func(op vfs.Op) error {
			if op.Name == "syncall" {
				return errors.ErrUnsupported
			}
			return nil
		}
		errs, syncs := b.append(0, 1, 2, 3)
		if err := errors.Join(errs...); err != nil || !strings.HasPrefix(syncs, "sync 0, syncall 1, sync ") || strings.Count(syncs, "sync ") != 4 {
			t.Errorf("%v; syncs: %s", err, syncs)
		}
		time.Sleep(time.Hour) // it is not tried again
		b.want("sync 3, sync 2, sync 1, sync 0", 1, 3, 2, 1, 0)
	})
}

// TestAFailedSyncAllFailsAllWhoWait. A session that was not among them learns of the
// failure from the sync of its own file, because SyncAll does not report it twice.
func TestAFailedSyncAllFailsAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusy(t, 6)
		b.fails = func(op vfs.Op) error {
			if op.Name == "syncall" || op.Name == "sync" && strings.Contains(op.Path, "4") {
				return syscall.EIO
			}
			return nil
		}
		errs, syncs := b.append(0, 1, 2, 3)
		if errs[0] != nil || syncs != "sync 0, syncall 1" {
			t.Errorf("the first: %v; syncs: %s", errs[0], syncs)
		}
		for i, err := range errs[1:] {
			wantKind(t, err, fault.Unavailable)
			s := b.streams[i+1]
			if s.Len() != 1 {
				t.Errorf("session %d has %d records, want the one from before", i+1, s.Len())
			}
			wantKind(t, s.Append(1, nil, true), fault.Unavailable)
			wantKind(t, s.Claim(), fault.Unavailable)
		}
		time.Sleep(time.Hour) // it is not tried again
		errs, syncs = b.append(0, 5, 4)
		if errs[0] != nil || errs[1] != nil || syncs != "sync 0, sync 5, sync 4" {
			t.Errorf("after the failure: %v, %v; syncs: %s", errs[0], errs[1], syncs)
		}
		wantKind(t, errs[2], fault.Unavailable)
	})
}

// TestAGroupMakesNewNamesDurable: a session that was never synced before needs only the
// one SyncAll.
func TestAGroupMakesNewNamesDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		slow := vfs.SlowSync(time.Second)
		syncs := map[string]int{}
		store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, func(op vfs.Op) error {
			syncs[op.Name]++
			return slow(op)
		})})
		clear(syncs)
		var wg sync.WaitGroup
		for i := range 4 {
			s, err := createIn(store, fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() { logtest.Append(t, s, 1, 1) })
			synctest.Wait()
		}
		wg.Wait()
		if syncs["sync"] != 1 || syncs["syncall"] != 1 || syncs["syncdir"] != 3 {
			t.Errorf("syncs: %v, want those of the first alone and one for all others", syncs)
		}
		mem.Crash()
		for i := range 4 {
			life{tried: 1}.checkSession(t, mem, fmt.Sprint(i), 1, "after a crash")
		}
	})
}
