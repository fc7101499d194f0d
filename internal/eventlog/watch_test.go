package eventlog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// TestATailThatFollows gets what another owner appends before this log claims it, once and in
// order with what is appended here; another tail gets it with the claim.
func TestATailThatFollows(t *testing.T) {
	mine, second := twoStreams(t)
	l := eventlog.NewLog(mine, eventlog.Options{})
	tail, follows := l.Tail(0), l.Follow(0)
	step := func(what, want, wantFollowing string) {
		t.Helper()
		if got := taken(t, tail, all); got != want {
			t.Errorf("%s: the tail yields %q, want %q", what, got, want)
		}
		if got := taken(t, follows, all); got != wantFollowing {
			t.Errorf("%s: the tail that follows yields %q, want %q", what, got, wantFollowing)
		}
	}
	appendInTurn(t, second, 2)
	step("another owner appends", "", "1 2")
	l.Emit([]byte("x"), false)
	step("an event is emitted here", "0:x", "2:x")
	again := l.Follow(1)
	if got := taken(t, again, all); got != "2" {
		t.Errorf("one that comes back yields %q, want 2", got)
	}
	again.Close()
	if _, err := l.Claim(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	appendTo(t, l, 1)
	step("this log appends", "1 2 3", "3")
	l.Release()
	follows.Close()
	appendInTurn(t, second, 2)
	if follows = l.Follow(3); !follows.Ready() {
		t.Error("one that begins to follow has nothing of what was appended while nobody did")
	}
	step("nobody followed for a while", "", "4 5")
	appendInTurn(t, second, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := drain(t, follows, eventlog.ErrClosed); got != "6" {
		t.Errorf("after the end of the log it yields %q, want 6", got)
	}
	appendInTurn(t, second, 1) // reported to nobody
}

// TestFollowingFromPastTheEnd: a cursor may be behind what this log has published, but not
// behind what there is.
func TestFollowingFromPastTheEnd(t *testing.T) {
	mine, second := twoStreams(t)
	l := eventlog.NewLog(mine, eventlog.Options{})
	defer l.Close()
	first := l.Follow(0)
	appendInTurn(t, second, 3)
	if got := taken(t, l.Follow(3), all); got != "" {
		t.Errorf("from the end it yields %q", got)
	}
	for _, err := range l.Follow(4).Records(t.Context()) {
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("from past the end: %v", err)
		}
	}
	for _, err := range l.Tail(3).Records(t.Context()) {
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("a tail from what is not published: %v", err)
		}
	}
	if got := taken(t, first, all); got != "1 2 3" {
		t.Errorf("the first yields %q", got)
	}
}

// TestFollowingInAnyOrder takes random steps with two owners and one that follows.
func TestFollowingInAnyOrder(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		mine, second := twoStreams(t)
		l := eventlog.NewLog(mine, eventlog.Options{Lag: 1 + random.IntN(4)})
		tail, read, emitted, trail := l.Follow(0), uint64(0), 0, ""
		for range 60 {
			switch action := random.IntN(7); action {
			case 0:
				trail += " other"
				appendInTurn(t, second, 1+random.IntN(6))
			case 1, 2:
				trail += " own"
				if _, err := l.Claim(t.Context(), "test"); err != nil {
					t.Fatal(err)
				}
				for range action {
					appendAtOnce(t, l, 1+random.IntN(3))
				}
				l.Release()
			case 3:
				trail += " emit"
				emitted++
				l.Emit(fmt.Append(nil, emitted), random.IntN(2) == 0)
			case 4:
				trail += " return"
				tail.Close()
				tail = l.Follow(read)
			default:
				trail += " read"
				left := random.IntN(8)
				for left > 0 && tail.Ready() {
					for rec, err := range tail.Records(t.Context()) {
						if err != nil || rec.Ephemeral && rec.Pos != read || !rec.Ephemeral && rec.Pos != read+1 {
							t.Fatalf("seed %d, after%s: record %+v, %v follows record %d", seed, trail, rec, err, read)
						}
						read = rec.Pos
						break
					}
					left--
				}
			}
		}
		end := max(second.Len(), l.Len())
		var rest []uint64
		l.Close()
		for rec, err := range tail.Records(t.Context()) {
			if err == nil && !rec.Ephemeral {
				rest = append(rest, rec.Pos)
			}
		}
		if n := uint64(len(rest)); read+n != end || n > 0 && (rest[0] != read+1 || !slices.IsSorted(rest)) {
			t.Fatalf("seed %d, after%s: the rest is %d, want %d to %d", seed, trail, rest, read+1, end)
		}
	}
}
