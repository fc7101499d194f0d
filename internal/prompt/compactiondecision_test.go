package prompt_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

func TestDecide(t *testing.T) {
	failed := func(tokens int64, times int) *prompt.Attempt { return &prompt.Attempt{Tokens: tokens, Failures: times} }
	for _, tc := range []struct {
		name string
		l    prompt.Length
		want prompt.Action
	}{
		{"short", prompt.Length{Tokens: 79, Window: 100, Messages: 9}, prompt.Proceed},
		{"long", prompt.Length{Tokens: 80, Window: 100, Messages: 9}, prompt.CompactBehind},
		{"nearly full", prompt.Length{Tokens: 95, Window: 100, Messages: 9}, prompt.CompactNow},
		{"no window", prompt.Length{Tokens: 95, Messages: 9}, prompt.Proceed},
		{"switched off", prompt.Length{Tokens: 200, Window: 100, Messages: 9, Off: true}, prompt.Proceed},
		{"one prompt", prompt.Length{Tokens: 700, Window: 128_000, Messages: 1, Background: 0.005, Exhaustion: 0.01}, prompt.Proceed},
		{"the second prompt", prompt.Length{Tokens: 700, Window: 128_000, Messages: 3, Background: 0.005, Exhaustion: 0.01}, prompt.CompactBehind},
		{"or longer", prompt.Length{Tokens: 1300, Window: 128_000, Messages: 3, Background: 0.005, Exhaustion: 0.01}, prompt.CompactNow},
		{"shares that are none", prompt.Length{Tokens: 79, Window: 100, Messages: 9, Background: -1, Exhaustion: 7}, prompt.Proceed},
		{"shares in the wrong order", prompt.Length{Tokens: 60, Window: 100, Messages: 9, Background: 0.9, Exhaustion: 0.5}, prompt.CompactNow},
		{"old results first", prompt.Length{Tokens: 97, Window: 100, Messages: 9, Trimmable: 5}, prompt.TrimResults},
		{"too few of them", prompt.Length{Tokens: 97, Window: 100, Messages: 9, Trimmable: 4}, prompt.CompactNow},
		{"one is under way", prompt.Length{Tokens: 90, Window: 100, Messages: 9, Running: true}, prompt.Proceed},
		{"and is needed", prompt.Length{Tokens: 95, Window: 100, Messages: 9, Running: true}, prompt.Await},
		{"just failed", prompt.Length{Tokens: 89, Window: 100, Messages: 9, Last: failed(80, 1)}, prompt.Proceed},
		{"grown since", prompt.Length{Tokens: 90, Window: 100, Messages: 9, Last: failed(80, 1)}, prompt.CompactBehind},
		{"nearly full, just failed", prompt.Length{Tokens: 99, Window: 100, Messages: 9, Last: failed(95, 1)}, prompt.Proceed},
		{"full, failed once", prompt.Length{Tokens: 100, Window: 100, Messages: 9, Last: failed(95, 1)}, prompt.CompactNow},
		{"full, failed twice", prompt.Length{Tokens: 100, Window: 100, Messages: 9, Last: failed(100, 2)}, prompt.LeaveOut},
		{"freed too little", prompt.Length{Tokens: 96, Window: 100, Messages: 9, Last: failed(90, 0)}, prompt.Proceed},
		{"freed too little, full", prompt.Length{Tokens: 101, Window: 100, Messages: 9, Last: failed(96, 0)}, prompt.LeaveOut},
		{"full of one message", prompt.Length{Tokens: 101, Window: 100, Messages: 1}, prompt.Proceed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := prompt.Decide(tc.l); got != tc.want {
				t.Errorf("%+v: action %d, want %d", tc.l, got, tc.want)
			}
		})
	}
}

// For every outcome of compactions, there is progress between any two of them, and their
// number is bounded by the growth of the session.
func TestDecideNeverLoops(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := prompt.Length{Tokens: int64(random.IntN(1000)), Window: 1000, Messages: 1 + random.IntN(9), Background: random.Float64(), Exhaustion: random.Float64()}
		grown, compactions, idle := int64(0), 0, 0
		for range 2000 {
			v := prompt.Decide(l)
			switch v {
			case prompt.TrimResults:
				l.Tokens, l.Trimmable = l.Tokens-l.Trimmable, 0
				continue
			case prompt.CompactBehind, prompt.CompactNow:
				compactions++
				lucky := random.IntN(3)
				if lucky == 1 {
					l.Tokens -= int64(random.IntN(int(max(l.Tokens, 1))))
				}
				l.Last = l.Last.Ended(l.Tokens, lucky == 0)
				if again := prompt.Decide(l); again != prompt.Proceed && again != prompt.LeaveOut && (again != prompt.CompactNow || l.Last.Failures != 1 || l.Tokens < 1000) {
					t.Fatalf("seed %d: after a compaction at %+v the next thing is %d", seed, l, again)
				}
				continue
			case prompt.LeaveOut:
				idle++
			}
			by := int64(random.IntN(40))
			l.Tokens, l.Messages, grown = l.Tokens+by, l.Messages+1, grown+by
			l.Trimmable = int64(random.IntN(20))
			if l.Tokens > 1500 { // nobody sends that
				break
			}
		}
		if limit := int(grown/100) + 2 + 1; compactions > 2*limit {
			t.Errorf("seed %d: %d compactions while it grew by %d tokens", seed, compactions, grown)
		}
	}
}

func TestFailuresAreCountedInARow(t *testing.T) {
	var a *prompt.Attempt
	for want := 1; want <= 3; want++ {
		if a = a.Ended(7, true); a.Failures != want || a.Tokens != 7 {
			t.Errorf("after %d failures: %+v", want, a)
		}
	}
	if a = a.Ended(8, false); a.Failures != 0 || a.Tokens != 8 {
		t.Errorf("after a success: %+v", a)
	}
}

func TestLittleFreed(t *testing.T) {
	if got := prompt.LittleFreed(100, 90); got != "" {
		t.Errorf("a tenth is enough, but: %s", got)
	}
	if got := prompt.LittleFreed(100, 91); !strings.Contains(got, "100 tokens and now has about 91.") {
		t.Errorf("got %q", got)
	}
	if prompt.LittleFreed(100, 120) == "" {
		t.Error("more than before is fine")
	}
}
