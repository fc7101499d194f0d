package timeline_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func TestDollars(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "$0.0000", 0.00001: "under $0.0001", 0.0022: "$0.0022", 1: "$1.00", 1234.567: "$1,234.57",
	} {
		if got := timeline.Dollars(amount); got != want {
			t.Errorf("Dollars(%g) = %q, want %q", amount, got, want)
		}
	}
}

func TestSizesAreShort(t *testing.T) {
	for n, want := range map[int64]string{
		0: "", 999: "999", 8192: "8,192", 32_768: "33K", 128_000: "128K", 131_072: "131K", 999_499: "999K", 999_500: "1M", 1_000_000: "1M",
		1_048_576: "1.05M", 10_000_000: "10M",
	} {
		if got := timeline.ShortCount(n); got != want {
			t.Errorf("ShortCount(%d) = %q, want %q", n, got, want)
		}
	}
}

// A copied text that is pasted into a shell can neither end the paste nor press Enter.
func TestCopiedTextHasNoControlCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"safe \x1b[201~; touch /tmp/x\r\n\x1b]0;TITLE\x07 end": "safe [201~; touch /tmp/x\n]0;TITLE end",
		"\tif x {\r\n\t}\n":                  "\tif x {\n\t}\n",
		"rm\r-rf\x03\x7f\u009b201~\x00":      "rm-rf201~",
		"access\u202e\u2066// check\u2069 é": "access// check é",
	} {
		if got := timeline.Copied(text); got != want {
			t.Errorf("Copied(%q) = %q, want %q", text, got, want)
		}
	}
}
