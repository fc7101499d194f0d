package files_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// records are records as a log has them.
func records(from, to int) string { return strings.Join(append(logtest.Records(from, to), ""), "\n") }

// grow appends to the log of session "s".
func grow(t *testing.T, fsys vfs.FS, text string) {
	t.Helper()
	f, err := fsys.OpenFile(logPath, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// following follows session "s" behind a position. The function that it returns says what came so far, and the
// reason for the end.
func following(t *testing.T, store *files.Store, after uint64) func() (got []string, ended error) {
	t.Helper()
	var got []string
	var ended error
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for rec, err := range store.Follow(ctx, "s", after) {
			if ended = err; err == nil {
				got = append(got, fmt.Sprint(rec.Pos, " ", string(rec.JSON)))
			}
		}
	}()
	return func() ([]string, error) {
		synctest.Wait()
		return got, ended
	}
}

// Scan yields a last record that lacks its line feed, as a process leaves it that was killed before the last byte. Its
// position is one to follow from; whoever replaces the record is noticed.
func TestFollowingBehindARecordWithoutItsLineFeed(t *testing.T) {
	for name, tc := range map[string]struct {
		next func(t *testing.T, mem vfs.FS)
		want []string
		kind fault.Kind
	}{
		"the next owner ends the line": {
			next: func(t *testing.T, mem vfs.FS) {
				again, _ := openS(t, mem)
				logtest.Append(t, again, 4, 4)
			},
			want: []string{"4 " + string(logtest.Record(4))},
		},
		"it is replaced": {
			next: func(t *testing.T, mem vfs.FS) {
				f, err := mem.OpenFile(logPath, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if err := f.Truncate(int64(len(records(1, 2)))); err != nil {
					t.Fatal(err)
				}
				grow(t, mem, `{"another":"one"}`+"\n")
			},
			kind: fault.Conflict,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := withLog(t, []byte(strings.TrimSuffix(records(1, 3), "\n")))
				store := mustOpen(t, files.Options{Root: root, FS: mem})
				seen := following(t, store, 3)
				beyond := following(t, store, 4)
				pass(time.Minute)
				if got, err := seen(); got != nil || err != nil {
					t.Fatalf("Follow yields %q, %v; want nothing yet", got, err)
				}
				if _, err := beyond(); fault.KindOf(err) != fault.Conflict {
					t.Errorf("Follow behind position 4 of 3 = %v", err)
				}
				tc.next(t, mem)
				pass(5 * time.Second)
				if got, err := seen(); !slices.Equal(got, tc.want) || fault.KindOf(err) != tc.kind {
					t.Errorf("Follow yields %q, %v; want %q", got, err, tc.want)
				}
			})
		})
	}
}

// A line that is longer than a record can be, and has no end, is no reason to look at all of it again and again.
func TestALineWithoutEndEndsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := withLog(t, []byte(records(1, 2)))
		store := mustOpen(t, files.Options{Root: root, FS: mem})
		seen := following(t, store, 0)
		second, _ := openS(t, mem)
		stop, _ := second.Watch(2, func(uint64) {})
		defer stop()
		grow(t, mem, strings.Repeat("x", 64<<20))
		pass(time.Second)
		if got, err := seen(); len(got) != 2 || err != nil {
			t.Fatalf("Follow yields %q, %v", got, err)
		}
		grow(t, mem, "xx")
		pass(5 * time.Second)
		_, err := seen()
		wantKind(t, err, fault.Conflict)
		wantHint(t, err, "64 MiB without the end of a line", logPath, "sidestick sessions verify s", "")
		wantKind(t, second.Claim(), fault.Conflict)
	})
}

// However large a log is, its reader ends with its context.
func TestReadingEndsWithItsContext(t *testing.T) {
	mem := withLog(t, append([]byte(records(1, 2)), make([]byte, 1<<20)...))
	for name, read := range map[string]func(context.Context, *files.Store) iter.Seq2[eventlog.Record, error]{
		"Scan": func(ctx context.Context, s *files.Store) iter.Seq2[eventlog.Record, error] { return s.Scan(ctx, "s") },
		"Follow": func(ctx context.Context, s *files.Store) iter.Seq2[eventlog.Record, error] {
			return s.Follow(ctx, "s", 0)
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		reads := 0
		store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, func(op vfs.Op) error {
			if op.Name == "read" {
				if reads++; reads == 10 {
					cancel()
				}
			}
			return nil
		})})
		var ended error
		for _, err := range read(ctx, store) {
			ended = err
		}
		if ended != context.Canceled || reads != 10 {
			t.Errorf("%s ends with %v after %d reads", name, ended, reads)
		}
	}
}

// What Scan passes over is told, with the lines where it begins, but not a line that is being written.
func TestScanTellsWhatItLeavesOut(t *testing.T) {
	one, two := string(logtest.Record(1)), string(logtest.Record(2))
	long := strings.Repeat("x", 70<<20)
	for name, tc := range map[string]struct {
		log  string
		want *files.LeftOut
	}{
		"nothing":                      {one + "\n" + two + "\n", nil},
		"no line feed at the end":      {one + "\n" + two, nil},
		"NUL bytes at the end":         {one + "\n\x00\x00\x00", nil},
		"a line of something else":     {one + "\nwhat?\n" + two + "\n", &files.LeftOut{Pieces: 1, Lines: []uint64{2}}},
		"half an event":                {one + "\n" + one[:len(one)-4] + "\n" + two + "\n", &files.LeftOut{Pieces: 1, Lines: []uint64{2}}},
		"half an event, then one":      {one + "\n" + one[:len(one)-4] + two + "\n" + two + "\n?\n", &files.LeftOut{Pieces: 2, Lines: []uint64{2, 4}}},
		"half an event at the end":     {one + "\n" + two + "\n" + one[:9], &files.LeftOut{Pieces: 1, Lines: []uint64{3}}},
		"a line that is much too long": {one + "\n" + long + "\n" + two + "\n", &files.LeftOut{Pieces: 1, Lines: []uint64{2}}},
	} {
		t.Run(name, func(t *testing.T) {
			mem := withLog(t, []byte(tc.log))
			var got *files.LeftOut
			store := mustOpen(t, files.Options{Root: root, FS: mem, LeftOut: func(session string, what files.LeftOut) { got = &what }})
			for _, err := range store.Scan(t.Context(), "s") {
				if err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%+v is told, want %+v", got, tc.want)
			}
		})
	}
	mem := withLog(t, []byte(one+"\nwhat?\n"+two+"\n"+one[:9]))
	var got files.LeftOut
	store := mustOpen(t, files.Options{Root: root, FS: mem, LeftOut: func(_ string, what files.LeftOut) { got = what }})
	n := 0
	for range store.Scan(t.Context(), "s") {
		if n++; n == 2 {
			grow(t, mem, one[9:]+"\n") // its owner goes on
		}
	}
	if want := (files.LeftOut{Pieces: 1, Lines: []uint64{2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v is told of a log that grows, want %+v", got, want)
	}
}
