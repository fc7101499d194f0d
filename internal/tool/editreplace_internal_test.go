package tool

import (
	"strings"
	"testing"
)

// An edit either changes one place, or tells why not: never anything else.
func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "x\ny")
	f.Add("aaa", "aa", "b")
	f.Add("1. a\n2. b", "1. a", "")
	f.Add("\ufeffé\xff\n", "\n", "\r\n")
	f.Fuzz(func(t *testing.T, text, old, new string) {
		if old == "" {
			return // refused before
		}
		got, err := replace(text, old, new)
		if err != nil {
			if strings.Count(text, old) == 1 && strings.LastIndex(text, old) == strings.Index(text, old) {
				t.Errorf("replace(%q, %q): %v", text, old, err)
			}
			return
		}
		from, to := old, new
		if !strings.Contains(text, old) {
			from, to = windows(old), windows(new)
		}
		at := strings.Index(text, from)
		if at < 0 || strings.LastIndex(text, from) != at || got != text[:at]+to+text[at+len(from):] {
			t.Errorf("replace(%q, %q, %q) = %q", text, old, new, got)
		}
	})
}

func TestNearestIsBounded(t *testing.T) {
	text := strings.Repeat("a line of some words\n", 100_000)
	if got := mismatch(text, strings.Repeat("other words\n", 10)); got != "Use view with view_range, or grep, to see what the file holds there." {
		t.Error(got)
	}
	old := strings.Repeat("same line\n", 40)
	got := mismatch(strings.Repeat("same  line\n", 40)+strings.Repeat("x", 5000), old)
	if n := strings.Count(got, "\n"); n != maxExcerpt+1 {
		t.Errorf("%d lines are shown: %s", n, got)
	}
}
