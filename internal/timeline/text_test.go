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
