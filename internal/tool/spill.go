package tool

import (
	"fmt"
	"unicode/utf8"
)

const (
	// SpillLimit is the most bytes of a result's text that a model reads at once,
	// unless the session says otherwise.
	SpillLimit = 50 << 10
	// preview is how many characters of a longer result the model reads.
	preview = 500
	// spillHint tells the model what to do with the file. It is a fact of the protocol:
	// recordings of real conversations match it to the letter.
	spillHint = "Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output."
)

// Spill passes the text of a result that is longer than limit bytes to save, which stores
// it in a file and returns the path. The model then reads the path and the first
// characters of the text. A limit of 0 is [SpillLimit].
//
// If the file cannot be written, the text is cut at the limit and says so. The text for the
// user, and the other fields of the result, do not change.
func Spill(r Result, limit int, save func(text string) (path string, err error)) Result {
	if limit <= 0 {
		limit = SpillLimit
	}
	if len(r.Text) <= limit {
		return r
	}
	size := float64(len(r.Text)) / 1024
	path, err := save(r.Text)
	if err != nil {
		r.Text = cut(r.Text, limit) + noted("The output has %.1f KB; the rest could not be saved to a file (%v) and is lost. Call the tool again in a way that answers with less.", size, err)
		return r
	}
	r.Text = fmt.Sprintf("Output too large to read at once (%.1f KB). Saved to: %s\n%s\n\nPreview (first %d chars):\n%s", size, path, spillHint, preview, firstRunes(r.Text, preview))
	return r
}

// cut returns the first n bytes of s, or a few less so that no character is split.
func cut(s string, n int) string {
	at := n
	for at > max(0, n-utf8.UTFMax) && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
