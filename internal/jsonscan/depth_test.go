package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

func TestDeeper(t *testing.T) {
	for text, want := range map[string]bool{
		``: false, `1`: false, `{"a":[1]}`: false, `{"a":[1],"b":[[2]]}`: true, `["[[[", "\"[[["]`: false, `[{}, {}, {}]`: false,
		strings.Repeat("[", 1<<20): true, `"[[[`: false, `]]][[[`: false,
	} {
		if got := jsonscan.Deeper([]byte(text), 2); got != want {
			t.Errorf("%.20q has more than two levels: %v, want %v", text, got, want)
		}
	}
}
