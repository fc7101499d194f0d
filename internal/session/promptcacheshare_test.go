package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// cachedShares are the parts of the prompts of a session of 50 turns that the fake of a provider
// finds in its cache, in hundredths. docs/benchmarks.md has them, too.
var cachedShares = map[string]int{"plain": 95, "opaque": 95, "responses": 95, "anthropic": 95, "gemini": 95}

// working is a model that works on each message for five turns, with one call in most of them and
// with twelve in the third.
func working(n int, _ *asked) said {
	if n%5 == 4 {
		return said{text: "Done, with a few words about what was done and why."}
	}
	s := said{text: "Next."}
	calls := 1
	if n%5 == 2 {
		calls = 12
	}
	for i := range calls {
		s.calls = append(s.calls, model.ToolCall{ID: fmt.Sprintf("call_%d_%d", n, i), Name: "look", Arguments: fmt.Sprintf(`{"q":"%d of %d"}`, i, n)})
	}
	return s
}

// The prompt of each turn begins with that of the turn before, so that the provider reads most of
// it from its cache. The test fails if the share falls; it depends on no clock.
func TestProvidersFindPromptsInTheirCaches(t *testing.T) {
	for _, v := range theVendors() {
		amongVendors(t, working, func(d *desk, models *vendors) {
			cfg := whole(tools("look"))
			cfg.Model, cfg.ReasoningEffort = v.id(), "low"
			s := d.create(cfg)
			for i := range 10 {
				s.send(fmt.Sprintf("Task %d: %s", i, strings.Repeat("please ", 20)))
				for n := range 4 {
					for range map[bool]int{true: 12, false: 1}[n == 2] {
						s.answer(`"result":"` + strings.Repeat("a line of the result; ", 40) + `"`)
					}
				}
				s.until("session.idle")
			}
			checkCached(t, v, s.told)
		})
	}
}

func checkCached(t *testing.T, v vendor, events []wire.Event) {
	t.Helper()
	var turns, cached, all int64
	for _, e := range events {
		if e.Type == "assistant.usage" {
			turns++
			cached += number(t, e, "cacheReadTokens")
			all += number(t, e, "inputTokens")
		}
	}
	if turns != 50 || all == 0 {
		t.Fatalf("%s: %d turns with %d tokens", v.name, turns, all)
	}
	share := int(100 * cached / all)
	t.Logf("%-10s %2d turns, %7d tokens of input, %7d of them cached: %d %%", v.name, turns, all, cached, share)
	if want := cachedShares[v.name]; share < want {
		t.Errorf("%s: %d %% of the prompts are cached, want %d %%", v.name, share, want)
	}
}

func number(t *testing.T, e wire.Event, name string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscan(field(e, name), &n); err != nil {
		t.Errorf("%s of %s: %v", name, e.Data, err)
	}
	return n
}
