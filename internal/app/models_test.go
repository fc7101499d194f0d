package app

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}
