package tool

import (
	"errors"
	"fmt"
	"strings"
)

// maxPlaces bounds how many line numbers of an ambiguous match are listed.
const maxLineNumbers = 20

// replace replaces old by new. old must occur in text exactly once, where overlapping
// occurrences count. In a file with Windows line ends, a plain newline in old matches
// them, and one in new becomes one of them. The error is for the model.
func replace(text, old, new string) (string, error) {
	at, err := only(text, old)
	if at < 0 && err == nil && strings.Contains(text, "\r\n") {
		old = windows(old)
		if at, err = only(text, old); at >= 0 {
			new = windows(new)
		}
	}
	switch {
	case err != nil:
		return "", err
	case at < 0:
		return "", errors.New("old_str does not occur in the file; nothing was changed. " + mismatch(text, old))
	}
	return text[:at] + new + text[at+len(old):], nil
}

// windows makes every line end one with a carriage return.
func windows(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// only returns where old occurs if it occurs once, -1 if it does not occur. If it occurs
// several times, the error lists the lines.
func only(text, old string) (int, error) {
	first := strings.Index(text, old)
	if first < 0 {
		return -1, nil
	}
	count, lines, line, from := 0, []string{}, 1, 0
	for at := first; at >= 0; {
		line += strings.Count(text[from:at], "\n")
		if count++; count <= maxLineNumbers {
			lines = append(lines, fmt.Sprint(line))
		}
		from = at
		next := strings.Index(text[at+1:], old)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if count == 1 {
		return first, nil
	}
	if count > maxLineNumbers {
		lines = append(lines, "…")
	}
	return -1, fmt.Errorf("old_str occurs %d times, at lines %s; nothing was changed. Add lines around the one that you mean, so that it occurs once", count, strings.Join(lines, ", "))
}
