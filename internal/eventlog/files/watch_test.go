package files_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// seen is what a watch has reported, and when the last time.
type seen struct {
	mu      sync.Mutex
	lengths []uint64
	last    time.Time
}

func (s *seen) grown(length uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lengths = append(s.lengths, length)
	s.last = time.Now()
}

func (s *seen) all() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lengths)
}

func (s *seen) at() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// pass lets time pass, and what is due be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// stats counts looks: each of them is one stat of an open file.
func stats(fsys vfs.FS, n *atomic.Int64) vfs.FS {
	return vfs.Fail(fsys, func(op vfs.Op) error {
		if op.Name == "stat" {
			n.Add(1)
		}
		return nil
	})
}

// TestLooksAreRareWhileNothingHappens, and soon follow one that found something. Many logs
// share one timer, and none is looked at once its watch is stopped.
func TestLooksAreRareWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, looks := vfs.NewMem(), atomic.Int64{}
		owner := createS(t, mem)
		logtest.Append(t, owner, 1, 1)
		second, _ := openS(t, stats(mem, &looks))
		var got seen
		stop, _ := second.Watch(1, got.grown)
		looks.Store(0)
		pass(time.Hour)
		if looks.Load() > 1810 {
			t.Errorf("%d looks in an hour without an append, want one in 2 s", looks.Load())
		}
		begin := time.Now()
		for n := 2; n < 50; n++ {
			logtest.Append(t, owner, n, n)
			pass(150 * time.Millisecond)
			if late := time.Since(got.at()); n > 17 && late > 250*time.Millisecond {
				t.Fatalf("%v after the first append, the last report is %v old", time.Since(begin), late)
			}
		}
		stop()
		looks.Store(0)
		if pass(time.Hour); looks.Load() > 0 {
			t.Errorf("%d looks at a log that nobody watches", looks.Load())
		}
	})
}

// TestManyWatchesBeginAndEnd: the timer fits whatever is watched.
func TestManyWatchesBeginAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		store, others := mustOpen(t, files.Options{Root: root, FS: mem}), mustOpen(t, files.Options{Root: root, FS: mem})
		const n = 20
		var owners, watchers [n]*logtest.Writer
		var got [n]seen
		var stops [n]func()
		for i := range n {
			owners[i], _ = createIn(store, fmt.Sprint(i))
			watchers[i], _, _ = openIn(others, fmt.Sprint(i))
			defer owners[i].Close()
			defer watchers[i].Close()
		}
		random := rand.New(rand.NewPCG(1, 2))
		var written, known [n]int
		for range 2000 {
			i := random.IntN(n)
			switch random.IntN(4) {
			case 0:
				if stops[i] == nil {
					stops[i], _ = watchers[i].Watch(uint64(known[i]), got[i].grown)
				}
			case 1:
				if stops[i] != nil {
					stops[i]()
					stops[i] = nil
				}
			case 2:
				written[i]++
				logtest.Append(t, owners[i], written[i], written[i])
			}
			pass(time.Duration(random.IntN(150)) * time.Millisecond)
			if told := got[i].all(); len(told) > 0 {
				known[i] = int(told[len(told)-1])
			}
		}
		for i := range n {
			if stops[i] == nil {
				stops[i], _ = watchers[i].Watch(uint64(known[i]), got[i].grown)
			}
		}
		pass(2 * time.Second)
		for i := range n {
			stops[i]()
			if told := got[i].all(); len(told) == 0 || int(told[len(told)-1]) != written[i] || !slices.IsSorted(told) {
				t.Errorf("watch %d has reported %d, there are %d records", i, told, written[i])
			}
		}
	})
}

// TestOnlyWholeLinesAreNoticed: the owner may be in the middle of an append. What is no
// append stops the watch, and the claim reports it.
func TestOnlyWholeLinesAreNoticed(t *testing.T) {
	one, two := string(logtest.Record(1))+"\n", string(logtest.Record(2))+"\n"
	for _, tc := range []struct {
		rule, log string
		records   int // that are noticed
		claim     bool
	}{
		{"half a record", one + two + `{"half":`, 2, false},
		{"a record without its line feed", one + two + "{}", 2, false},
		{"a long half", one + two + `{"x":"` + strings.Repeat("x", 9<<10), 2, false},
		{"nothing but half a record", one + `{"half":`, 1, false},
		{"bytes that never arrived", one + two + "\x00\x00", 2, false},
		{"several records", one + two + "{}\n{}\n", 4, true},
		{"two records on a line", one + "{}{}\n" + two, 1, false},
		{"lines that hold no record", one + "\nwhat?\n" + two, 1, false},
		{"a cut", one[:10], 1, false},
		{"nothing left", "", 1, false},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := vfs.NewMem()
				owner := createS(t, mem)
				logtest.Append(t, owner, 1, 1)
				second, _ := openS(t, mem)
				var got seen
				stop, _ := second.Watch(1, got.grown)
				defer stop()
				overwrite(t, mem, tc.log)
				pass(5 * time.Second)
				if second.Len() != uint64(tc.records) {
					t.Errorf("%d records are noticed, want %d", second.Len(), tc.records)
				}
				told, want := got.all(), tc.records > 1
				if want != (len(told) > 0) || want && told[0] != uint64(tc.records) {
					t.Errorf("the lengths %d were reported, want %d", told, tc.records)
				}
				if err := second.Claim(); (err == nil) != tc.claim || err != nil && fault.KindOf(err) != fault.Conflict {
					t.Errorf("Claim() = %v", err)
				}
			})
		})
	}
}

// lateFailure is a disk on which the nth sync fails after a second: until then others can
// read what is going to be removed again.
func lateFailure(n int) vfs.Rule {
	return vfs.NthOp("sync", n, &vfs.Slow{For: time.Second, Err: syscall.EIO})
}

// TestWhatTheOwnerTakesBack was noticed by others. Nobody continues behind it.
func TestWhatTheOwnerTakesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		logtest.Append(t, createS(t, mem), 1, 1)
		owner, _ := openS(t, vfs.Fail(mem, lateFailure(1)))
		second, _ := openS(t, mem)
		var got seen
		stop, _ := second.Watch(1, got.grown)
		defer stop()
		store := mustOpen(t, files.Options{Root: root, FS: mem})
		var follower error
		go func() {
			for _, err := range store.Follow(context.Background(), "s", 0) {
				follower = err
			}
		}()
		wantKind(t, owner.Append(1, [][]byte{[]byte(`{"taken":"back"}`)}, true), fault.Unavailable)
		if told := got.all(); !slices.Equal(told, []uint64{2}) {
			t.Fatalf("the lengths %d were reported, want 2: otherwise this test shows nothing", told)
		}
		owner.Close()
		again, repair := openS(t, mem)
		if repair != nil || again.Len() != 1 {
			t.Fatalf("%d records are left, repair %+v", again.Len(), repair)
		}
		logtest.Append(t, again, 2, 2)
		if err := again.Append(2, [][]byte{[]byte(`{"another":"longer record than the one that was there before"}`)}, true); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		wantKind(t, follower, fault.Conflict)
		wantKind(t, second.Claim(), fault.Conflict)
	})
}

// TestWatchingADiskThatFails has an owner whose appends fail in all ways, and others that
// watch and follow. Whatever they were told is the beginning of the log, or they are told that
// it is not, before they can append.
func TestWatchingADiskThatFails(t *testing.T) {
	noticed := 0
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { noticed += watchAFailingDisk(t, rand.New(rand.NewPCG(seed, 0))) })
	}
	if noticed == 0 {
		t.Error("nothing that was noticed was taken back: this test shows nothing")
	}
}

// failing returns a rule by which a third of the writes and syncs fail, some of them late.
func failing(random *rand.Rand) vfs.Rule {
	return func(op vfs.Op) error {
		late := vfs.Slow{For: time.Duration(random.IntN(1000)) * time.Millisecond}
		switch {
		case random.IntN(3) > 0 || !strings.HasSuffix(op.Path, "events.jsonl"):
			return nil
		case op.Name == "write":
			late.Err = &vfs.Short{Keep: random.IntN(op.Bytes + 1), Err: syscall.ENOSPC}
			return &late
		case op.Name == "sync":
			late.Err = syscall.EIO
			return &late
		}
		return nil
	}
}

// watchAFailingDisk returns how often something was taken back that had been noticed.
func watchAFailingDisk(t *testing.T, random *rand.Rand) (noticed int) {
	mem := vfs.NewMem()
	logtest.Append(t, createS(t, mem), 1, 1)
	disk := vfs.Fail(mem, failing(random))
	owner, _ := openS(t, disk)
	second, _ := openS(t, mem)
	var got seen
	stop, _ := second.Watch(1, got.grown)
	for i := range 30 {
		var recs [][]byte
		for k := range 1 + random.IntN(3) {
			recs = append(recs, fmt.Appendf(nil, `{"id":"%d.%d","x":%q}`, i, k, strings.Repeat("x", random.IntN(9))))
		}
		if owner.Append(owner.Len(), recs, random.IntN(2) == 0) != nil && owner.Claim() != nil {
			owner.Close()
			owner, _ = openS(t, disk)
		}
		owner.Release()
		pass(time.Duration(random.IntN(400)) * time.Millisecond)
		if random.IntN(5) > 0 {
			continue
		}
		switch err := second.Claim(); {
		case err == nil:
			if got, want := strings.Join(logtest.Collect(t, second.Read(1)), "\n")+"\n", logOf(t, mem); got != want {
				t.Fatalf("the claim succeeds with %q, the log is %q", got, want)
			}
			second.Release()
			continue
		case fault.KindOf(err) != fault.Conflict:
			t.Fatal(err)
		}
		noticed++
		stop()
		second.Close()
		second, _ = openS(t, mem)
		stop, _ = second.Watch(second.Len(), got.grown)
	}
	stop()
	return noticed
}

// TestAFailureOfALookIsNoLoss: the next look notices what that one has not.
func TestAFailureOfALookIsNoLoss(t *testing.T) {
	for n := 1; n < 12; n++ {
		synctest.Test(t, func(t *testing.T) {
			mem := vfs.NewMem()
			owner := createS(t, mem)
			logtest.Append(t, owner, 1, 1)
			once, on := vfs.NthOp("", n, syscall.EIO), atomic.Bool{}
			second, _ := openS(t, vfs.Fail(mem, func(op vfs.Op) error {
				if on.Load() {
					return once(op)
				}
				return nil
			}))
			var got seen
			stop, _ := second.Watch(1, got.grown)
			defer stop()
			for at := 2; at < 6; at++ {
				logtest.Append(t, owner, at, at)
				on.Store(true)
				pass(5 * time.Second)
				on.Store(false)
				told := got.all()
				if have := logtest.Collect(t, second.Read(1)); !slices.Equal(have, logtest.Records(1, at)) || told[len(told)-1] != uint64(at) {
					t.Fatalf("operation %d failed: %q noticed, %d reported", n, have, told)
				}
			}
		})
	}
}

// TestTheIndexIsTheOwners: a stream that has noticed records and closes writes no index of
// them, because they may be taken back, and the owner continues its own.
func TestTheIndexIsTheOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := vfs.NewMem()
		owner := createS(t, mem)
		second, _ := openS(t, mem)
		logtest.Append(t, owner, 1, 10)
		stop, _ := second.Watch(0, func(uint64) {})
		pass(2 * time.Second)
		stop()
		if second.Len() != 10 {
			t.Fatalf("%d records were noticed", second.Len())
		}
		second.Close()
		if _, err := mem.ReadFile(indexPath); err == nil {
			t.Error("a stream that has not appended has written an index")
		}
		logtest.Append(t, owner, 11, 100)
		owner.Close()
		store := mustOpen(t, files.Options{Root: root, FS: mem})
		if v, err := store.Verify("s"); err != nil || v.Matched != 100 || v.Index != files.IndexCurrent {
			t.Errorf("Verify() = %+v, %v", v, err)
		}
	})
}

// TestFollowingALogThatIsNotTidy: positions are those that a stream will have.
func TestFollowingALogThatIsNotTidy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := string(logtest.Record(1)), string(logtest.Record(2))
		mem := withLog(t, []byte(one+" "+two+"\nwhat?\n{}\n{}"))
		store := mustOpen(t, files.Options{Root: root, FS: mem})
		var got []string
		var ended error
		go func() {
			for rec, err := range store.Follow(context.Background(), "s", 0) {
				if ended = err; err == nil {
					got = append(got, fmt.Sprint(rec.Pos, " ", string(rec.JSON)))
				}
			}
		}()
		pass(time.Hour)
		if want := []string{"1 " + one, "2 " + two, "3 {}"}; !slices.Equal(got, want) || ended != nil {
			t.Errorf("Follow yields %q, %v; want %q", got, ended, want)
		}
		openS(t, mem) // replaces the log by a tidy one
		pass(5 * time.Second)
		wantKind(t, ended, fault.Conflict)
		again, repair := openS(t, mem)
		if repair != nil || again.Len() != 4 {
			t.Errorf("the log has %d records, repair %+v", again.Len(), repair)
		}
	})
}
