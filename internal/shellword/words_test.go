package shellword_test

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shellword"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "  ": nil, " a  b ": {"a", "b"}, `"a b" c`: {"a b", "c"}, `'a "b"' c"d e"f`: {`a "b"`, "cd ef"},
		`"" x`: {"", "x"}, `a\ b \"`: {"a b", `"`}, `'a\b'`: {`a\b`}, `end\`: {`end\`}, "zwei\nWörter": {"zwei", "Wörter"},
	} {
		if got, err := shellword.Words(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("the words of %q are %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`"a`, `it's`} {
		if got, err := shellword.Words(text); err == nil {
			t.Errorf("%q has the words %q", text, got)
		}
	}
}
