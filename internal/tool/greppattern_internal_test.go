package tool

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzPattern compares the search over a whole text with one line by line.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{"a", "^$", "a*", `\s+`, `[^a]`, `(?i)B$`, `\bx\b`, `.a|b.`, `(?s).`, `x*$`, `^(a|)`, `[\x00-b]`, `\D\W`} {
		f.Add(p, "a\nb \n\naab x\nBx")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		// These mean something else when a line is a text of its own.
		if strings.Contains(pattern, `\A`) || strings.Contains(pattern, `\z`) || strings.Contains(pattern, "(?") && !strings.HasPrefix(pattern, "(?i)") {
			return
		}
		q, err := compile(pattern, false, false)
		if err != nil || strings.ContainsAny(text, "\r") {
			return
		}
		alone := regexp.MustCompile(pattern)
		var want, got []int
		if lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); text != "" {
			for i, line := range lines {
				if alone.MatchString(line) {
					want = append(want, i+1)
				}
			}
		}
		data := []byte(text)
		for n, at := range q.matches(data) {
			got = append(got, n)
			if bytes.Count(data[:at.start], []byte("\n")) != n-1 || bytes.ContainsRune(data[at.start:at.end], '\n') {
				t.Errorf("line %d is at %v of %q", n, at, text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q matches lines %v of %q, want %v", pattern, got, text, want)
		}
	})
}
