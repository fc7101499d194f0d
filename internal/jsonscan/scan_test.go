package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

func TestSkip(t *testing.T) {
	for text, want := range map[string]bool{
		` {"a" : [1, -2.5e+3, 0, "x\"\u00e9日", {}, [] ] , "b":null} `: true, `true`: true, `"\/\b"`: true, `-0.5`: true,
		strings.Repeat("[", 33) + strings.Repeat("]", 33): true, strings.Repeat("[", 34) + strings.Repeat("]", 34): false,
		``: false, `{`: false, `{"a"}`: false, `{"a":1,}`: false, `[1,]`: false, `[1 2]`: false, `01`: false, `1.`: false, `.5`: false, `1e`: false, `-`: false,
		`nullx`: false, `tru`: false, `"a`: false, "\"\n\"": false, `"\x"`: false, `"\u00g0"`: false, "1\x00": false,
		`{"A":1}`: false, `{"\u0061":1}`: false, `"\ud83d\ude00"`: false, "\"\xff\"": false, // valid, or repaired, elsewhere
	} {
		if got := skip([]byte(text)); got != want {
			t.Errorf("%q is taken: %v, want %v", text, got, want)
		}
	}
}

func skip(text []byte) bool {
	var s jsonscan.Scanner
	s.Reset(text)
	return s.Skip() && s.Done()
}

func TestIndex(t *testing.T) {
	for text, want := range map[string]int{"0": 0, " 17": 17, "999999999": 999999999, "1000000000": -1, "01": -1, "-1": -1, "x": -1, "": -1} {
		var s jsonscan.Scanner
		s.Reset([]byte(text))
		if got, ok := s.Index(); ok != (want >= 0) || ok && got != want {
			t.Errorf("Index of %q = %d, %v", text, got, ok)
		}
	}
}

// FuzzScanner checks that encoding/json accepts what the scanner accepts, and that
// strings have the same value in both.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b\n",null]}`, `"\u00e9\/"`, `[-0.5e-3,{}]`, "\"\xc3\xa9\"", `"\ud83d"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if skip(text) && !json.Valid(text) {
			t.Errorf("%q is taken, but is not JSON", text)
		}
		var s jsonscan.Scanner
		s.Reset(text)
		if got, ok := s.Text(); ok && s.Done() {
			var want string
			if err := json.Unmarshal(text, &want); err != nil || want != string(got) {
				t.Errorf("%q is %q, want %q, %v", text, got, want, err)
			}
		}
	})
}
