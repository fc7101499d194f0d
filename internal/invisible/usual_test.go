package invisible_test

import (
	"testing"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// The characters that are passed at once are none that the tables name.
func TestUsualCharactersAreSeen(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if invisible.Usual(r) && (invisible.Is(r) || invisible.Space(r) || !unicode.IsPrint(r)) {
			t.Errorf("%U counts as usual", r)
		}
	}
}
