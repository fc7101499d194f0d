package files_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// campaign has several sessions append at the same time until the nth operation
// on the disk, at which the machine or the process ends.
type campaign struct {
	sessions int
	sync     files.Sync
	end      func(*vfs.Mem) // nil: only the one operation fails
	at       int            // 0: never
}

// run returns what was acknowledged to each session, how many operations there were, and
// how many of them were a SyncAll. It runs in a bubble of synctest.
func (c campaign) run(mem *vfs.Mem) (lives []life, ops, groups int) {
	fsys := vfs.Fail(mem, func(op vfs.Op) error {
		ops = op.N
		if op.N == c.at && c.end != nil {
			c.end(mem)
		}
		if op.N == c.at || c.end != nil && c.at > 0 && op.N > c.at {
			return syscall.EIO
		}
		if op.Name == "syncall" {
			groups++
		}
		return slowly(op)
	})
	lives = make([]life, c.sessions)
	store, err := files.Open(files.Options{Root: root, FS: fsys, Sync: c.sync})
	if err != nil {
		return lives, ops, groups
	}
	var wg sync.WaitGroup
	for i := range lives {
		wg.Go(func() { lives[i].work(store, i, c.sync) })
	}
	wg.Wait()
	return lives, ops, groups
}

// slowly delays each operation. No two sessions have the same delays, so that their order
// is the same in every run.
func slowly(op vfs.Op) error {
	took := 100 * time.Microsecond
	if i := strings.IndexAny(op.Path, "0123456789"); i >= 0 { // the session
		took += time.Duration(op.Path[i]-'0') * time.Microsecond
	}
	if strings.HasPrefix(op.Name, "sync") {
		took += 5 * time.Millisecond
	}
	return &vfs.Slow{For: took}
}

// work claims a session for two runs and appends records, some durably. It pauses in
// between, so that some sessions come early in the sync of others, and some late.
func (l *life) work(store *files.Store, session int, sync files.Sync) {
	rng := rand.New(rand.NewPCG(1, uint64(session)))
	s, err := createIn(store, fmt.Sprint(session))
	if err != nil {
		return
	}
	defer s.Close()
	for i := 0; err == nil && i < 9; i++ {
		if i%3 == 0 {
			s.Release()
			err = s.Claim()
		}
		if err == nil {
			err = l.append(s, i%2+1, i%3 != 1, sync)
			time.Sleep(time.Duration(rng.IntN(6000)) * time.Microsecond)
		}
	}
}

// TestTheEndWhileManyAppend ends the machine, or the process, at each operation while
// several sessions append at once. Each keeps what was acknowledged.
func TestTheEndWhileManyAppend(t *testing.T) {
	for name, c := range map[string]campaign{
		"two, power lost":           {sessions: 2, sync: files.SyncTurn, end: (*vfs.Mem).Crash},
		"three, power lost":         {sessions: 3, sync: files.SyncTurn, end: (*vfs.Mem).Crash},
		"three, always, power lost": {sessions: 3, sync: files.SyncAlways, end: (*vfs.Mem).Crash},
		"five, power lost":          {sessions: 5, sync: files.SyncTurn, end: (*vfs.Mem).Crash},
		"three, killed":             {sessions: 3, sync: files.SyncTurn, end: (*vfs.Mem).Kill},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, ops, groups := c.run(vfs.NewMem())
				if c.sessions > 2 && groups == 0 {
					t.Error("there was no group, so this test tests nothing")
				}
				for c.at = 1; c.at <= ops; c.at++ {
					mem := vfs.NewMem()
					lives, _, _ := c.run(mem)
					for i, l := range lives {
						when := fmt.Sprintf("ended at operation %d of %d, having acked %+v", c.at, ops, l)
						keeps := l.durable
						if strings.Contains(name, "killed") {
							keeps = l.acked
						}
						l.checkSession(t, mem, fmt.Sprint(i), keeps, when)
					}
				}
			})
		})
	}
}

// TestOneFailureWhileManyAppend lets one operation fail. Acknowledged
// records stay in the log.
func TestOneFailureWhileManyAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ops, _ := campaign{sessions: 3}.run(vfs.NewMem())
		for n := 1; n <= ops; n++ {
			mem := vfs.NewMem()
			lives, _, _ := campaign{sessions: 3, at: n}.run(mem)
			mem.Crash()
			for i, l := range lives {
				l.checkSession(t, mem, fmt.Sprint(i), l.durable, fmt.Sprintf("operation %d of %d failed, acked %+v", n, ops, l))
			}
		}
	})
}
