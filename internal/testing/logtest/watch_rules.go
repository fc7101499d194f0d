package logtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

var watchRules = []rule{
	{"a watch reports what another owner appends", watched},
	{"a watch reports what was appended before it", watchedLate},
	{"a watch reports nothing under the own lease", watchedUnderOwnLease},
	{"a watch that was stopped reports nothing", watchedNoMore},
	{"a claim continues behind what a watch has reported", watchedThenClaimed},
	{"a tail that follows delivers what another owner appends", tailsOfOthers},
	{"a session can be followed without opening it", followed},
	{"following has an end", followedToAnEnd},
}

// patience bounds how long a store may take to notice what another owner has appended. The
// rules wait in real time, because a store may wait for other machines.
const patience = 20 * time.Second

// calls are those of one watch.
type calls struct {
	stop func()

	mu      sync.Mutex
	lengths []uint64
	more    chan struct{} // capacity 1
}

// watchOf watches a stream, and ends the test if the store cannot tell.
func watchOf(t *testing.T, s *Writer, after uint64) *calls {
	t.Helper()
	c := &calls{more: make(chan struct{}, 1)}
	stop, known := s.Watch(after, c.grown)
	if c.stop = stop; !known {
		stop()
		t.Skip("the store cannot tell what others append")
	}
	t.Cleanup(stop)
	return c
}

func (c *calls) grown(length uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lengths = append(c.lengths, length)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

func (c *calls) all() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lengths)
}

// await waits until a length was reported, and checks that they rise.
func (c *calls) await(t *testing.T, length uint64) {
	t.Helper()
	for late := time.After(patience); ; {
		got := c.all()
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("the lengths %d were reported, which do not rise", got)
		}
		if n := len(got); n > 0 && got[n-1] >= length {
			return
		}
		select {
		case <-c.more:
		case <-late:
			t.Fatalf("the lengths %d were reported within %v, want %d", got, patience, length)
		}
	}
}

func watched(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	c := watchOf(t, second, 1)
	for n := 2; n <= 4; n++ {
		Append(t, first, n, n)
		c.await(t, uint64(n))
		wantRecords(t, second, Records(1, n))
	}
	if first.Size() != second.Size() {
		t.Errorf("Size() = %d for the one that watches, %d for the owner", second.Size(), first.Size())
	}
}

func watchedLate(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	Append(t, first, 2, 3)
	watchOf(t, second, 1).await(t, 3)
	watchOf(t, second, 2).await(t, 3) // the stream knows, and this caller does not
	wantRecords(t, second, Records(1, 3))
}

func watchedUnderOwnLease(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	c, other := watchOf(t, second, 1), watchOf(t, first, 1)
	Append(t, second, 2, 4)
	other.await(t, 4) // in which time the first watch could have been called
	if got := c.all(); len(got) > 0 {
		t.Errorf("the lengths %d were reported to the owner", got)
	}
	Append(t, first, 5, 5)
	c.await(t, 5)
	if got := c.all(); !slices.Equal(got, []uint64{5}) {
		t.Errorf("the lengths %d were reported, want 5 alone", got)
	}
}

func watchedNoMore(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	stopped, other := watchOf(t, second, 1), watchOf(t, second, 1)
	Append(t, first, 2, 2)
	stopped.await(t, 2)
	stopped.stop()
	Append(t, first, 3, 3)
	other.await(t, 3)
	if got := stopped.all(); got[len(got)-1] != 2 {
		t.Errorf("the lengths %d were reported, the watch was stopped at 2", got)
	}
	second.Close()
	Append(t, first, 4, 4)
	stopped.stop()
	other.stop()
	if _, known := second.Watch(0, other.grown); known {
		t.Error("a closed stream can be watched")
	}
}

func watchedThenClaimed(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	sides := []*Writer{first, second}
	c := []*calls{watchOf(t, first, 1), watchOf(t, second, 1)}
	n := 1
	for round := range 4 {
		owner, other := sides[round%2], c[1-round%2]
		claim(t, owner)
		Append(t, owner, n+1, n+40)
		other.await(t, uint64(n+20))
		Append(t, owner, n+41, n+45) // noticed by the watch, or by the next claim
		owner.Release()
		n += 45
	}
	for _, s := range sides {
		claim(t, s)
		wantRecords(t, s, Records(1, n))
		if diff := cmp.Diff(Records(n-70, n), Collect(t, s.Read(uint64(n-70)))); diff != "" {
			t.Errorf("Read from the middle (-want +got):\n%s", diff)
		}
		s.Release()
	}
}

// tailsOfOthers has two logs that claim in turn, and reads both through a tail that follows. One of the events is a payload.
func tailsOfOthers(t *testing.T, open Open) {
	_, first, second := two(t, open, 1)
	watchOf(t, first, 1).stop() // or the test ends here
	logs := []*eventlog.Log{eventlog.NewLog(first.Stream, eventlog.Options{}), eventlog.NewLog(second.Stream, eventlog.Options{})}
	want := Records(1, 1)
	next := make([]func() (string, bool), len(logs))
	for i, l := range logs {
		next[i] = reader(t, l.Follow(0))
	}
	long := `{"type":"session.info","data":{"message":"` + strings.Repeat("x", eventlog.MaxRecord) + `"},"id":"long"}`
	for round, read := range []int{0, 4, 7, 10} {
		l := logs[round%2]
		if _, err := l.Claim(t.Context(), "owner"); err != nil {
			t.Fatal(err)
		}
		for _, rec := range []string{string(Record(10 + 2*round)), long, string(Record(11 + 2*round))} {
			if err := l.Append(t.Context(), uint64(len(want)), true, []byte(rec)); err != nil {
				t.Fatal(err)
			}
			want = append(want, rec)
		}
		l.Release()
		for i := range logs {
			for k, rec := range want[read:] {
				if got, ok := next[i](); !ok || got != rec {
					t.Fatalf("tail %d delivers %.80q at %d, want %.80q", i, got, read+k+1, rec)
				}
			}
		}
	}
	for _, l := range logs {
		l.Close()
	}
}

// reader returns a function that takes the next record of a tail, and waits for it.
func reader(t *testing.T, tail *eventlog.Tail) func() (string, bool) {
	return func() (string, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for rec, err := range tail.Records(ctx) {
			return string(rec.JSON), err == nil
		}
		return "", false
	}
}

// following is what Follow has yielded.
type following struct {
	records []string
	err     error
}

// follow follows a session until until reports true for a record.
func follow(ctx context.Context, store eventlog.Store, session string, after uint64, until func(n int) bool) (f following) {
	for rec, err := range eventlog.Follow(ctx, store, session, after) {
		if err != nil {
			f.err = err
			return f
		}
		if f.records = append(f.records, string(rec.JSON)); rec.Pos != after+uint64(len(f.records)) {
			f.err = fault.New(fault.Internal, "logtest", "", "record %d has position %d", len(f.records), rec.Pos)
			return f
		}
		if until(int(rec.Pos)) {
			return f
		}
	}
	return f
}

func followed(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 2)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	beside := reopen()
	f := follow(ctx, beside, "s", 0, func(n int) bool { return n == 2 })
	if diff := cmp.Diff(Records(1, 2), f.records); diff != "" || f.err != nil {
		t.Fatalf("Follow ends with %v (-want +got):\n%s", f.err, diff)
	}
	owner, known := "", false
	f = follow(ctx, beside, "s", 1, func(n int) bool {
		owner, known = s.Others()
		if n < 6 {
			Append(t, s, n+1, n+1) // under a claim, while the log is being followed
		}
		return n == 6
	})
	if errors.Is(f.err, errors.ErrUnsupported) {
		t.Skip("the store cannot tell what others append")
	}
	if diff := cmp.Diff(Records(2, 6), f.records); diff != "" || f.err != nil {
		t.Errorf("Follow ends with %v (-want +got):\n%s", f.err, diff)
	}
	if known && owner != "" {
		t.Errorf("to follow a session counts as having it open, by %s", owner)
	}
}

func followedToAnEnd(t *testing.T, open Open) {
	store, reopen := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 2)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	never := func(int) bool { return false }
	wantKind(t, "following what is not there", follow(ctx, store, "none", 0, never).err, fault.NotFound)
	wantKind(t, "following from past the end", follow(ctx, store, "s", 3, never).err, fault.Conflict)
	done, stop := context.WithCancel(ctx)
	f := follow(done, store, "s", 0, func(n int) bool {
		if n == 2 {
			stop()
		}
		return false
	})
	stop()
	if errors.Is(f.err, errors.ErrUnsupported) {
		t.Skip("the store cannot tell what others append")
	}
	if !errors.Is(f.err, context.Canceled) || len(f.records) != 2 {
		t.Errorf("a follower that is canceled gets %q and %v", f.records, f.err)
	}
	ends := make(chan following, 1)
	begun := make(chan struct{})
	go func() {
		ends <- follow(ctx, reopen(), "s", 0, func(n int) bool {
			if n == 2 {
				close(begun)
			}
			return false
		})
	}()
	<-begun
	s.Close()
	if err := store.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	f = <-ends
	wantKind(t, "following what was deleted", f.err, fault.NotFound)
}
