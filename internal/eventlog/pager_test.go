package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// page reads a page that must be readable.
func page(tb testing.TB, p *eventlog.Pager, req eventlog.PageRequest) eventlog.Page {
	tb.Helper()
	if req.Max == 0 {
		req.Max = all
	}
	got, err := p.Read(tb.Context(), req)
	if err != nil {
		tb.Fatalf("Read(%+v): %v", req, err)
	}
	return got
}

func shown(records []eventlog.Record) string {
	var out []string
	for _, rec := range records {
		out = append(out, show(rec))
	}
	return strings.Join(out, " ")
}

// numbers are the positions from a to b, as show writes them.
func numbers(a, b int) string {
	var out []string
	for n := a; n <= b; n++ {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, " ")
}

// even selects every other persisted record.
func even(rec eventlog.Record) bool { return rec.Pos%2 == 0 }

// Pages of any size, in both directions, make up the whole log, and More says when to
// stop.
func TestPagesAreTheWholeLog(t *testing.T) {
	const records = 1000
	l := newLog(eventlog.Options{})
	appendTo(t, l, records)
	for _, backward := range []bool{false, true} {
		for _, match := range []func(eventlog.Record) bool{nil, even} {
			for _, size := range []int{1, 3, 256, 499, 500, 999, 1000, 1001} {
				var got []string
				req := eventlog.PageRequest{Backward: backward, Max: size, Match: match}
				p := l.Pager()
				for more := true; more; {
					next := page(t, p, req)
					part := shown(next.Records)
					if backward {
						got = slices.Insert(got, 0, part)
					} else {
						got = append(got, part)
					}
					if more, req.Cursor = next.More, next.Cursor; len(next.Records) > size {
						t.Fatalf("a page has %d records, want at most %d", len(next.Records), size)
					}
				}
				p.Close()
				want := numbers(1, records)
				if match != nil {
					want = strings.Join(slices.DeleteFunc(strings.Fields(want), func(n string) bool { return n[len(n)-1]%2 == 1 }), " ")
				}
				if all := strings.Join(strings.Fields(strings.Join(got, " ")), " "); all != want {
					t.Errorf("pages of %d, backward %v, some %v: %.200s…", size, backward, match != nil, all)
				}
			}
		}
	}
}

// The record with which a page reaches 4 MiB is its last one; in a page that is read
// backward, its first.
func TestAPageIsBoundedInBytes(t *testing.T) {
	l := newLog(eventlog.Options{})
	large := []byte(`{"large":"` + strings.Repeat("x", 3<<20) + `"}`) // two are more than a page
	appendTo(t, l, 1)
	if err := l.Append(context.Background(), 1, false, large, large, large); err != nil {
		t.Fatal(err)
	}
	appendTo(t, l, 1)
	for _, tc := range []struct {
		backward bool
		want     []string
	}{{false, []string{"1 2 3", "4 5"}}, {true, []string{"3 4 5", "1 2"}}} {
		p, req := l.Pager(), eventlog.PageRequest{Backward: tc.backward}
		for i, want := range tc.want {
			got := page(t, p, req)
			if shown(got.Records) != want || got.More != (i < len(tc.want)-1) {
				t.Errorf("backward %v: page %d is %q, more %v; want %q", tc.backward, i, shown(got.Records), got.More, want)
			}
			req.Cursor = got.Cursor
		}
		p.Close()
	}
}

func TestAReaderThatComesBackMissesNothing(t *testing.T) {
	l := newLog(eventlog.Options{})
	appendTo(t, l, 2)
	p := l.Pager()
	defer p.Close()
	end, err := p.End(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	l.Emit([]byte("x"), false)
	l.EmitDelta(delta("m", "a"))
	l.EmitDelta(delta("m", "b"))
	appendTo(t, l, 1)
	first := page(t, p, eventlog.PageRequest{Cursor: end, Max: 2})
	l.Emit([]byte("y"), false)
	second := page(t, p, eventlog.PageRequest{Cursor: first.Cursor})
	if got, want := shown(first.Records)+" | "+shown(second.Records), "2:x 2:ab | 3 3:y"; got != want {
		t.Errorf("pages are %q, want %q", got, want)
	}
	if first.Missed != 0 || second.Missed != 0 {
		t.Errorf("missed %d and %d, want nothing", first.Missed, second.Missed)
	}
	again := page(t, p, eventlog.PageRequest{Cursor: end})
	if got := shown(again.Records); got != "3" || again.Missed != 4 {
		t.Errorf("with the first cursor again: %q, %d missed; want 3 alone, and 4 missed", got, again.Missed)
	}
	if got := page(t, p, eventlog.PageRequest{Cursor: end, Persisted: true}); got.Missed != 0 {
		t.Errorf("who wants none has missed %d", got.Missed)
	}
}

// A parked tail is closed after a minute, when a fifth one is parked, and with the
// Pager.
func TestWhatStandsForAReaderIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(eventlog.Options{})
		p := l.Pager()
		defer p.Close()
		ends := make([]string, 5)
		for i := range ends {
			appendTo(t, l, 1)
			var err error
			if ends[i], err = p.End(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		l.Emit([]byte("x"), false)
		for i, end := range slices.Backward(ends) { // a reader that comes back is last again
			got, want := page(t, p, eventlog.PageRequest{Cursor: end}), int64(0)
			if i == 0 {
				want = 1
			}
			if got.Missed != want {
				t.Errorf("reader %d missed %d, want %d", i, got.Missed, want)
			}
		}
		for _, tc := range []struct {
			pause  time.Duration
			missed int64
		}{{59 * time.Second, 0}, {61 * time.Second, 1}} {
			end, err := p.End(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			l.Emit([]byte("y"), false)
			<-time.After(tc.pause)
			if got := page(t, p, eventlog.PageRequest{Cursor: end}); got.Missed != tc.missed {
				t.Errorf("after %v, %d are missed, want %d", tc.pause, got.Missed, tc.missed)
			}
		}
	})
}

// A pager does not keep a stream open after its log was closed.
func TestAClosedPagerHoldsNothing(t *testing.T) {
	stream := logtest.NewStream()
	l := claimedLog(stream, eventlog.Options{})
	appendTo(t, l, 1)
	p := l.Pager()
	if _, err := p.End(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	if _, err := p.End(context.Background()); err != nil { // a request that came late
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Claim(t.Context(), "test"); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("the stream is still open: %v", err)
	}
	if _, err := p.Read(t.Context(), eventlog.PageRequest{Max: 1}); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("Read = %v, want %v", err, eventlog.ErrClosed)
	}
}

func TestAReadWaits(t *testing.T) {
	for _, tc := range []struct {
		rule   string
		do     func(l *eventlog.Log, cancel func())
		want   string
		err    error
		waited time.Duration
	}{
		{"until its time is over", func(*eventlog.Log, func()) {}, "", nil, 20 * time.Second},
		{"until something is told", func(l *eventlog.Log, _ func()) { l.Emit([]byte("x"), false) }, "2:x", nil, time.Second},
		{"for what it matches only", func(l *eventlog.Log, _ func()) { l.Emit([]byte("no"), false) }, "", nil, 20 * time.Second},
		{"until its context ends", func(_ *eventlog.Log, cancel func()) { cancel() }, "", context.Canceled, time.Second},
		{"until the log closes", func(l *eventlog.Log, _ func()) { _ = l.Close() }, "", eventlog.ErrClosed, time.Second},
		{"and then has what came before", func(l *eventlog.Log, _ func()) {
			l.Emit([]byte("last words"), false)
			_ = l.Close()
		}, "2:last words", nil, time.Second},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLog(eventlog.Options{})
				appendTo(t, l, 2)
				p := l.Pager()
				defer p.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				begin := time.Now()
				time.AfterFunc(time.Second, func() { tc.do(l, cancel) })
				first := page(t, p, eventlog.PageRequest{Wait: 20 * time.Second}) // something is there
				got, err := p.Read(ctx, eventlog.PageRequest{
					Cursor: first.Cursor, Max: 10, Wait: 20 * time.Second,
					Match: func(rec eventlog.Record) bool { return !bytes.Equal(rec.JSON, []byte("no")) },
				})
				if shown(got.Records) != tc.want || !errors.Is(err, tc.err) || time.Since(begin) != tc.waited {
					t.Errorf("after %v: %q, %v; want %q, %v after %v", time.Since(begin), shown(got.Records), err, tc.want, tc.err, tc.waited)
				}
			})
		})
	}
}

// A history that was cut and has grown again is another history.
func TestACursorExpiresWithItsHistory(t *testing.T) {
	long, cut := newLog(eventlog.Options{}), newLog(eventlog.Options{})
	appendTo(t, long, 5)
	appendTo(t, cut, 3)
	if err := cut.Append(context.Background(), 3, false, []byte(`{"n":"another fourth"}`), []byte(`{"n":"another fifth"}`)); err != nil {
		t.Fatal(err)
	}
	from := long.Pager()
	defer from.Close()
	for _, tc := range []struct {
		rule     string
		backward bool
		max      int
		expired  bool
		want     string
	}{
		{"a cursor before the cut is good", false, 3, false, "4 5"},
		{"one behind it is not", false, 4, true, "1 2 3 4 5"},
		{"nor is one at the end", false, 5, true, "1 2 3 4 5"},
		{"backward, one behind the cut is not", true, 1, true, "1 2 3 4 5"},
		{"backward, one before it is good", true, 3, false, "1 2"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			at := page(t, from, eventlog.PageRequest{Backward: tc.backward, Max: tc.max}).Cursor
			p := cut.Pager()
			defer p.Close()
			got := page(t, p, eventlog.PageRequest{Cursor: at})
			if shown(got.Records) != tc.want || got.Expired != tc.expired {
				t.Errorf("%q, expired %v; want %q, %v", shown(got.Records), got.Expired, tc.want, tc.expired)
			}
		})
	}
}

// brittle is a stream that cannot be closed.
type brittle struct{ eventlog.Stream }

func (brittle) Close() error { panic("the storage is gone") }

// The time of a parked tail ends on a goroutine of its own. A panic of the storage there
// must not end the program.
func TestAParkedTailClosesAStreamThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventlog.NewLog(brittle{logtest.NewStream()}, eventlog.Options{})
		p := l.Pager()
		if _, err := p.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		p.Close()
	})
}
