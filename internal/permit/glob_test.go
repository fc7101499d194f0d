package permit

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Both matchers agree with their definitions, which try every number of elements for a **.
func TestMatchersAgreeWithTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := func(words ...string) []string {
		list := make([]string, 1+rng.IntN(6))
		for i := range list {
			list[i] = words[rng.IntN(len(words))]
		}
		return list
	}
	for range 200_000 {
		pattern, name := some("a", "b", "**", "*", "a*"), some("a", "b", "ab", "c", "a*", "?")
		if got, want := glob(pattern, strings.Join(name, "/")), globDefined(pattern, name); got != want {
			t.Fatalf("glob(%q, %q) = %v, want %v", pattern, name, got, want)
		}
		for _, below := range []bool{false, true} {
			if got, want := mayMatch(strings.Join(name, "/"), pattern, below), mayMatchDefined(name, pattern, below); got != want {
				t.Fatalf("mayMatch(%q, %q, %v) = %v, want %v", name, pattern, below, got, want)
			}
		}
	}
}

func globDefined(pattern, elements []string) bool {
	switch {
	case len(pattern) == 0:
		return len(elements) == 0
	case pattern[0] == "**":
		return globDefined(pattern[1:], elements) || len(elements) > 0 && globDefined(pattern, elements[1:])
	}
	return len(elements) > 0 && element(pattern[0], elements[0]) && globDefined(pattern[1:], elements[1:])
}

func mayMatchDefined(name, denied []string, below bool) bool {
	switch {
	case len(denied) == 0:
		return true
	case denied[0] == "**":
		return mayMatchDefined(name, denied[1:], below) || len(name) > 0 && mayMatchDefined(name[1:], denied, below)
	case len(name) == 0:
		return below
	}
	return mayBe(name[0], denied[0]) && mayMatchDefined(name[1:], denied[1:], below)
}

// A path of 30,000 elements, as a command of 64 KiB can name one, is compared with rules at once.
func TestLongPathsAreComparedQuickly(t *testing.T) {
	long := "/w/" + strings.Repeat("a/", 30_000) + "b"
	r := Rules{Folders: Folders{Primary: "/w"}}
	for _, text := range []string{"read(**/a/**/a/**/c)", "write(**/a/**/a/**/c)"} {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Deny = append(r.Deny, rule)
	}
	start := time.Now()
	r.Decide(Request{Kind: Shell, Command: Command{
		Programs: []Program{{Name: "tee", Words: []string{"tee", long, long + "*"}, Opens: NamedOnly, Below: []Path{{Name: long, Real: long}}}},
		Paths:    []Path{{Name: long, Real: long}},
	}})
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %s", took)
	}
}
