package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// watched is a stream that counts its Closes and can fail.
type watched struct {
	eventlog.Stream
	closed    int
	failing   error
	releasing func() // while the lease is released; may be nil
}

func (w *watched) Claim(ctx context.Context, owner string) (eventlog.Lease, error) {
	lease, err := w.Stream.Claim(ctx, owner)
	return watchedLease{lease, w}, err
}

type watchedLease struct {
	eventlog.Lease
	stream *watched
}

func (l watchedLease) Append(ctx context.Context, at uint64, recs [][]byte, durable bool) error {
	if l.stream.failing != nil {
		return l.stream.failing
	}
	return l.Lease.Append(ctx, at, recs, durable)
}

func (l watchedLease) Release() {
	if l.stream.releasing != nil {
		l.stream.releasing()
	}
	l.Lease.Release()
}

func (w *watched) Close() error {
	w.closed++
	return w.Stream.Close()
}

func TestWhatIsNotStoredIsNotTold(t *testing.T) {
	s := &watched{Stream: logtest.NewStream(), failing: fault.New(fault.Unavailable, "x", "", "no space")}
	l := claimedLog(s, eventlog.Options{})
	tail := l.Tail(0)
	if err := l.Append(context.Background(), 0, true, logtest.Record(1)); !errors.Is(err, s.failing) {
		t.Errorf("Append() = %v, want %v", err, s.failing)
	}
	if l.Len() != 0 || tail.Ready() {
		t.Errorf("Len() = %d, the tail has something: %v", l.Len(), tail.Ready())
	}
	s.failing = nil
	appendTo(t, l, 1)
	if got := taken(t, tail, all); got != "1" {
		t.Errorf("yields %q, want 1", got)
	}
}

// A stream is for one caller at a time: the last tail does not close it while Close
// releases the claim.
func TestATailThatEndsWhileTheClaimIsReleased(t *testing.T) {
	s := &watched{Stream: logtest.NewStream()}
	l := claimedLog(s, eventlog.Options{})
	tail, early := l.Tail(0), 0
	s.releasing = func() {
		tail.Close()
		early = s.closed
	}
	if err := l.Close(); err != nil || early != 0 || s.closed != 1 {
		t.Errorf("Close = %v; the stream was closed %d times during the release, %d times in all", err, early, s.closed)
	}
}

// short is a stream that loses all records but the first, or fails to read them.
type short struct {
	eventlog.Stream
	failing error
}

func (s *short) Read(context.Context, uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if s.Len() > 0 && yield(eventlog.Record{Pos: 1, JSON: logtest.Record(1)}, nil) && s.failing != nil {
			yield(eventlog.Record{}, s.failing)
		}
	}
}

// The caller of AppendWith can change something at the moment in which readers receive
// the records.
func TestTellingIsBetweenStoringAndHearing(t *testing.T) {
	s := &watched{Stream: logtest.NewStream(), failing: fault.New(fault.Unavailable, "x", "", "no space")}
	l := claimedLog(s, eventlog.Options{})
	tail := l.Tail(0)
	var seen []string
	tell := func(publish func()) {
		seen = append(seen, fmt.Sprint(s.Len(), l.Len(), tail.Ready()))
		publish()
		seen = append(seen, fmt.Sprint(s.Len(), l.Len(), tail.Ready()))
	}
	if err := l.AppendWith(context.Background(), 0, true, tell, logtest.Record(1)); !errors.Is(err, s.failing) || seen != nil {
		t.Errorf("AppendTelling = %v, want %v, and was called: %v", err, s.failing, seen)
	}
	s.failing = nil
	if err := l.AppendWith(context.Background(), 0, true, tell, logtest.Record(1)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 0 false", "1 1 true"}; !slices.Equal(seen, want) {
		t.Errorf("stored, told and heard: %q, want %q", seen, want)
	}
}

func TestStorageThatEndsEarlyIsAnErrorNotAGap(t *testing.T) {
	for _, failing := range []error{nil, fault.New(fault.Unavailable, "x", "", "the disk fails")} {
		l := claimedLog(&short{Stream: logtest.NewStream(), failing: failing}, eventlog.Options{})
		appendTo(t, l, 2)
		var got []string
		var ended error
		for rec, err := range l.Tail(0).Records(t.Context()) {
			if ended = err; err == nil {
				got = append(got, string(rec.AppendJSON(nil)))
			}
		}
		if len(got) != 1 || ended == nil || failing != nil && !errors.Is(ended, failing) {
			t.Errorf("yields %q and ends with %v, want record 1 and an error", got, ended)
		}
	}
}

// broken is a stream from which a limited number of records can be read at a time; then
// comes an error, or the end.
type broken struct {
	eventlog.Stream
	reads   int
	failing error
}

func (b *broken) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		left := b.reads
		for rec, err := range b.Stream.Read(ctx, from) {
			if left--; left < 0 {
				if b.failing != nil {
					yield(eventlog.Record{}, b.failing)
				}
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// TestAClaimThatCannotReadIsGivenBack: the records that could be read are published, and
// the next claim continues behind them.
func TestAClaimThatCannotReadIsGivenBack(t *testing.T) {
	for _, failing := range []error{nil, fault.New(fault.Unavailable, "x", "", "the disk fails")} {
		mine, second := twoStreams(t)
		s := &broken{Stream: mine, reads: 2, failing: failing}
		l := eventlog.NewLog(s, eventlog.Options{})
		tail := l.Tail(0)
		appendInTurn(t, second, 3)
		_, err := l.Claim(t.Context(), "test")
		if err == nil || failing != nil && !errors.Is(err, failing) || l.Len() != 2 {
			t.Errorf("Claim() = %v; Len() = %d; want two records and a failure", err, l.Len())
		}
		if err := l.Append(context.Background(), 2, false, logtest.Record(9)); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Append without having read all = %v", err)
		}
		appendInTurn(t, second, 1) // it is not kept out
		if _, err := l.Claim(t.Context(), "test"); err != nil || l.Len() != 4 {
			t.Errorf("the next Claim() = %v with %d records; want the other two", err, l.Len())
		}
		if got := taken(t, tail, all); got != "1 2 3 4" {
			t.Errorf("the tail yields %q", got)
		}
	}
}

func TestContextEndsAReadFromStorage(t *testing.T) {
	l := newLog(eventlog.Options{})
	appendTo(t, l, 5)
	l.Emit([]byte("x"), false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	for rec, err := range l.Tail(0).Records(ctx) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ends with %v", err)
			}
			continue
		}
		got = append(got, show(rec))
		cancel()
	}
	if len(got) != 1 {
		t.Errorf("yields %v, want one record", got)
	}
}

func TestTheStreamIsClosedWithItsLastReader(t *testing.T) {
	s := &watched{Stream: logtest.NewStream()}
	l := claimedLog(s, eventlog.Options{})
	appendTo(t, l, 3)
	slow, unused, read := l.Tail(0), l.Tail(0), l.Read(context.Background(), 1)
	next, stop := iter.Pull2(read)
	next()
	if err := l.Close(); err != nil || s.closed != 0 {
		t.Fatalf("Close() = %v, the stream was closed %d times with readers left", err, s.closed)
	}
	if got := drain(t, slow, eventlog.ErrClosed); got != "1 2 3" {
		t.Errorf("the slow reader gets %q", got)
	}
	slow.Close()
	unused.Close()
	unused.Close()
	if rec, err, _ := next(); err != nil || rec.Pos != 2 || s.closed != 0 {
		t.Errorf("the read goes on with %d, %v; closed %d times", rec.Pos, err, s.closed)
	}
	stop()
	if err := l.Close(); err != nil || s.closed != 1 {
		t.Errorf("a second Close() = %v, the stream was closed %d times, want 1", err, s.closed)
	}
}

func TestAClosedLog(t *testing.T) {
	s := &watched{Stream: logtest.NewStream()}
	l := claimedLog(s, eventlog.Options{})
	appendTo(t, l, 1)
	if err := l.Close(); err != nil || s.closed != 1 {
		t.Errorf("Close() = %v, the stream was closed %d times, want 1", err, s.closed)
	}
	if err := l.Append(context.Background(), 1, false, logtest.Record(2)); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("Append() = %v", err)
	}
	if _, err := l.Claim(t.Context(), "test"); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("Claim() = %v", err)
	}
	l.Release()
	l.Emit([]byte("x"), false)
	l.EmitDelta(delta("m", "x"))
	tail := l.Tail(0)
	if got := drain(t, tail, eventlog.ErrClosed); got != "" {
		t.Errorf("a tail of a closed log yields %q", got)
	}
	tail.Close()
	for rec, err := range l.Read(context.Background(), 1) {
		if !errors.Is(err, eventlog.ErrClosed) {
			t.Errorf("Read yields %v, %v", rec, err)
		}
	}
	if s.closed != 1 {
		t.Errorf("the stream was closed %d times, want 1", s.closed)
	}
}

// TestReadersOfManySpeeds is for the race detector, and tests rules 1 and 3 of the
// package comment under real concurrency.
func TestReadersOfManySpeeds(t *testing.T) {
	const rounds = 300
	l := newLog(eventlog.Options{Lag: 8})
	var wg sync.WaitGroup
	for reader := range 4 {
		tail := l.Tail(0)
		wg.Go(func() { follow(t, tail, rounds, reader) })
	}
	for i := range rounds {
		appendTo(t, l, 1)
		for j := range 4 {
			text := strconv.Itoa(i*4+j) + " "
			l.EmitDelta(delta("m", text))
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

// follow checks that every persisted record arrives in order and that the
// numbers in the deltas rise, by one while nothing is missed.
func follow(t *testing.T, tail *eventlog.Tail, rounds, slowness int) {
	var seq uint64
	number, missed := -1, uint64(0)
	for rec, err := range tail.Records(t.Context()) {
		if errors.Is(err, eventlog.ErrClosed) {
			break
		}
		if err != nil || !rec.Ephemeral && rec.Pos != seq+1 || rec.Ephemeral && rec.Pos != seq {
			t.Errorf("after record %d comes %+v, %v", seq, rec, err)
			return
		}
		seq = rec.Pos
		for range slowness {
			runtime.Gosched()
		}
		if rec.Delta == nil {
			continue
		}
		for i, word := range strings.Fields(string(rec.Delta.Text)) {
			n, err := strconv.Atoi(word)
			gap := n != number+1
			if err != nil || n <= number || gap && (i > 0 || tail.Missed() == missed) {
				t.Errorf("after %d comes %q in %q, %d missed before and %d now", number, word, rec.Delta.Text, missed, tail.Missed())
				return
			}
			number = n
		}
		missed = tail.Missed()
	}
	if seq != uint64(rounds) {
		t.Errorf("the reader got %d of %d records", seq, rounds)
	}
}

func TestAnIdleLogIsSmall(t *testing.T) {
	const n = 2000
	keep := make([]any, 0, 2*n)
	before := heap()
	stream := logtest.NewStream()
	for range n {
		l := eventlog.NewLog(stream, eventlog.Options{})
		tail := l.Tail(0)
		l.Emit([]byte("x"), false)
		taken(t, tail, all)
		keep = append(keep, l, tail)
	}
	each := (heap() - before) / n
	t.Logf("a log with one tail: %d bytes", each)
	if each > 512 {
		t.Errorf("a log with one tail that has read everything costs %d bytes, want at most 512", each)
	}
	runtime.KeepAlive(keep)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
