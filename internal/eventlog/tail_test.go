package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// show is a record as these tests write it: "3" is persisted record 3, "2:x"
// the ephemeral event or delta x after record 2.
func show(rec eventlog.Record) string {
	switch {
	case rec.Delta != nil:
		return fmt.Sprintf("%d:%s", rec.Pos, rec.Delta.Text)
	case rec.Ephemeral:
		return fmt.Sprintf("%d:%s", rec.Pos, rec.JSON)
	}
	return fmt.Sprint(rec.Pos)
}

// drain ranges over all that t yields, which ends with want.
func drain(tb testing.TB, t *eventlog.Tail, want error) string {
	tb.Helper()
	var got []string
	for rec, err := range t.Records(tb.Context()) {
		if err != nil {
			if !errors.Is(err, want) {
				tb.Errorf("Records ended with %v, want %v", err, want)
			}
			break
		}
		got = append(got, show(rec))
	}
	return strings.Join(got, " ")
}

// taken returns what t yields without waiting, at most n records.
func taken(tb testing.TB, t *eventlog.Tail, n int) string {
	tb.Helper()
	var got []string
	for ; n > 0 && t.Ready(); n-- {
		for rec, err := range t.Records(tb.Context()) {
			if err != nil {
				tb.Fatalf("after %v: %v", got, err)
			}
			got = append(got, show(rec))
			break
		}
	}
	return strings.Join(got, " ")
}

const all = 1 << 20

// appendTo appends n records.
func appendTo(tb testing.TB, l *eventlog.Log, n int) {
	tb.Helper()
	for range n {
		if err := l.Append(context.Background(), l.Len(), false, logtest.Record(int(l.Len()+1))); err != nil {
			tb.Fatal(err)
		}
	}
}

func delta(key, text string) wire.Delta {
	return wire.Delta{Header: wire.Header{Type: wire.MessageDelta, Ephemeral: true}, Key: key, Text: []byte(text)}
}

func newLog(opts eventlog.Options) *eventlog.Log { return claimedLog(logtest.NewStream(), opts) }

// claimedLog returns a log over s that has claimed it. A stream that others have claimed
// fails the test at the first append.
func claimedLog(s eventlog.Stream, opts eventlog.Options) *eventlog.Log {
	l := eventlog.NewLog(s, opts)
	_, _ = l.Claim(context.Background(), "test")
	return l
}

func TestTail(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		after uint64
		lag   int
		do    func(*testing.T, *eventlog.Log)
		want  string
	}{
		{"nothing told is nothing read", 0, 0, func(*testing.T, *eventlog.Log) {}, "1 2"},
		{"from storage, then live", 0, 0, func(t *testing.T, l *eventlog.Log) { appendTo(t, l, 2) }, "1 2 3 4"},
		{"a cursor is the last one handled", 1, 0, func(t *testing.T, l *eventlog.Log) { appendTo(t, l, 1) }, "2 3"},
		{"at the end only what is new", 2, 0, func(t *testing.T, l *eventlog.Log) { appendTo(t, l, 1) }, "3"},
		{"an ephemeral event stands where it was told", 0, 0, func(t *testing.T, l *eventlog.Log) {
			l.Emit([]byte("x"), false)
			appendTo(t, l, 1)
			l.Emit([]byte("y"), false)
		}, "1 2 2:x 3 3:y"},
		{"deltas of one message are joined", 2, 0, func(t *testing.T, l *eventlog.Log) {
			l.EmitDelta(delta("m", "a"))
			l.EmitDelta(delta("m", "b"))
			l.EmitDelta(delta("n", "c"))
			l.EmitDelta(delta("m", "d"))
			appendTo(t, l, 1)
			l.EmitDelta(delta("m", "e"))
		}, "2:ab 2:c 2:d 3 3:e"},
		{"a reader too far behind reads storage", 0, 3, func(t *testing.T, l *eventlog.Log) {
			appendTo(t, l, 8)
		}, "1 2 3 4 5 6 7 8 9 10"},
		{"and misses what was ephemeral", 2, 3, func(t *testing.T, l *eventlog.Log) {
			l.Emit([]byte("x"), false)
			l.EmitDelta(delta("m", "a"))
			appendTo(t, l, 2) // the second empties the queue
			l.Emit([]byte("y"), false)
		}, "3 4 4:y"},
		{"an ephemeral event that empties the queue comes after what storage has", 2, 3, func(t *testing.T, l *eventlog.Log) {
			appendTo(t, l, 3)
			l.Emit([]byte("y"), false)
			appendTo(t, l, 1)
		}, "3 4 5 5:y 6"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			l := newLog(eventlog.Options{Lag: tc.lag})
			appendTo(t, l, 2)
			tail := l.Tail(tc.after)
			tc.do(t, l)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if got := drain(t, tail, eventlog.ErrClosed); got != tc.want {
				t.Errorf("yields %q, want %q", got, tc.want)
			}
			if got := drain(t, tail, eventlog.ErrClosed); got != "" {
				t.Errorf("yields %q a second time", got)
			}
		})
	}
}

func TestMissedCountsWhatTheReaderHasPassed(t *testing.T) {
	l := newLog(eventlog.Options{Lag: 2})
	tail := l.Tail(0)
	l.Emit([]byte("a"), false)
	if got := taken(t, tail, 1); got != "0:a" {
		t.Fatalf("yields %q", got)
	}
	for _, x := range []string{"b", "c", "d"} {
		l.Emit([]byte(x), false)
	}
	if tail.Missed() != 0 {
		t.Errorf("Missed() = %d before the gap is reached, want 0", tail.Missed())
	}
	if got := taken(t, tail, all); got != "0:d" {
		t.Errorf("yields %q, want d alone", got)
	}
	if tail.Missed() != 2 {
		t.Errorf("Missed() = %d, want 2", tail.Missed())
	}
}

func TestAQueueIsBoundedInBytes(t *testing.T) {
	l := newLog(eventlog.Options{})
	tail := l.Tail(0)
	large := []byte(`{"large":"` + strings.Repeat("x", eventlog.MaxQueued) + `"}`)
	l.Emit([]byte("small"), false)
	l.Emit(large, false)
	if got := taken(t, tail, all); got != "0:"+string(large) {
		t.Errorf("yields %d bytes, want the large record alone: it fits into no queue with another", len(got))
	}
	if tail.Missed() != 1 {
		t.Errorf("Missed() = %d, want 1", tail.Missed())
	}
}

func TestDeltasAreCopied(t *testing.T) {
	l := newLog(eventlog.Options{})
	one, other := l.Tail(0), l.Tail(0)
	d := delta("m", "ab")
	l.EmitDelta(d)
	if got := taken(t, one, all); got != "0:ab" {
		t.Errorf("one yields %q", got)
	}
	copy(d.Text, "xx") // the caller's buffer is the caller's
	l.EmitDelta(d)
	if got := taken(t, one, all); got != "0:xx" {
		t.Errorf("one yields %q", got)
	}
	if got := taken(t, other, all); got != "0:abxx" {
		t.Errorf("the other yields %q", got)
	}
}

func TestADeltaIsTheSameForAllReaders(t *testing.T) {
	l := newLog(eventlog.Options{})
	var ids []string
	tails := []*eventlog.Tail{l.Tail(0), l.Tail(0)}
	l.EmitDelta(wire.NewDelta(wire.MessageDelta, "p", "m", "ab"))
	for _, tail := range tails {
		for rec := range tail.Records(t.Context()) {
			if rec.Delta.Time.IsZero() {
				t.Error("a delta has no time")
			}
			ids = append(ids, rec.Delta.ID)
			break
		}
	}
	if len(ids) != 2 || ids[0] != ids[1] || ids[0] == "" {
		t.Errorf("the ids are %q", ids)
	}
}

func TestSizesAreReplaced(t *testing.T) {
	l := newLog(eventlog.Options{})
	tail := l.Tail(0)
	for _, size := range []int64{10, 20} {
		l.EmitDelta(wire.Delta{Header: wire.Header{Type: wire.StreamingDelta, Ephemeral: true}, Size: size})
	}
	for rec := range tail.Records(t.Context()) {
		if rec.Delta.Size != 20 || !strings.Contains(string(rec.AppendJSON(nil)), `:20`) {
			t.Errorf("size is %d, %s", rec.Delta.Size, rec.AppendJSON(nil))
		}
		break
	}
}

func TestRecordsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(eventlog.Options{})
		tail := l.Tail(0)
		var got string
		go func() { got = drain(t, tail, eventlog.ErrClosed) }()
		synctest.Wait()
		appendTo(t, l, 1)
		synctest.Wait()
		l.Emit([]byte("x"), false)
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got != "1 1:x" {
			t.Errorf("yields %q", got)
		}
	})
}

func TestContextEndsRecordsAndItCanGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(eventlog.Options{})
		appendTo(t, l, 2)
		tail := l.Tail(0)
		defer tail.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		var ended error
		go func() {
			for rec, err := range tail.Records(ctx) {
				if ended = err; err == nil {
					got = append(got, show(rec))
				}
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !slices.Equal(got, []string{"1", "2"}) || !errors.Is(ended, context.Canceled) {
			t.Errorf("yields %v, %v", got, ended)
		}
		appendTo(t, l, 1)
		if got := taken(t, tail, all); got != "3" {
			t.Errorf("goes on with %q, want 3", got)
		}
		for rec, err := range tail.Records(ctx) { // done before it begins
			if !errors.Is(err, context.Canceled) {
				t.Errorf("yields %v, %v", rec, err)
			}
		}
	})
}

func TestClosingATailEndsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(eventlog.Options{})
		tail := l.Tail(0)
		var wg sync.WaitGroup
		wg.Go(func() { drain(t, tail, eventlog.ErrClosed) })
		synctest.Wait()
		tail.Close()
		tail.Close()
		wg.Wait()
		appendTo(t, l, 1) // nobody is told
		if got := drain(t, tail, eventlog.ErrClosed); got != "" {
			t.Errorf("a closed tail yields %q", got)
		}
	})
}

func TestACursorOfAnotherHistoryIsAConflict(t *testing.T) {
	l := newLog(eventlog.Options{})
	appendTo(t, l, 2)
	tail := l.Tail(3)
	appendTo(t, l, 2)
	for rec, err := range tail.Records(t.Context()) {
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("yields %v, %v; want a conflict", rec, err)
		}
	}
}

// A tail that ends delivers what was published before, and nothing after.
func TestATailThatEndsDeliversTheRest(t *testing.T) {
	l := newLog(eventlog.Options{})
	appendTo(t, l, 1)
	tail := l.Tail(0)
	appendTo(t, l, 1)
	tail.End()
	tail.Emit([]byte("late"))
	appendTo(t, l, 1)
	got := 0
	for _, err := range tail.Records(t.Context()) {
		if err != nil {
			if !errors.Is(err, eventlog.ErrClosed) {
				t.Error(err)
			}
			break
		}
		got++
	}
	if got != 2 {
		t.Errorf("it delivered %d records", got)
	}
	tail.Close()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
