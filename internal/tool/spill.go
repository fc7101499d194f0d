package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// SpillLimit is the most bytes of a result's text that a model reads at once,
	// unless the session says otherwise.
	SpillLimit = 50 << 10
	// The bytes of the beginning and of the end of a longer text that the model reads. The
	// end gets more, because compilers and tests report last what failed. Together they are
	// about 5,000 tokens, and in the range of what other agents give: Claude Code 30,000
	// characters, Codex 10 KiB.
	headBytes = 8 << 10
	tailBytes = 12 << 10
	// leastEnd is the most bytes of the last line that are kept however low the limit is.
	leastEnd = 1 << 10
	// leastClosing bounds the lines from that with the exit code, which are kept in the same way.
	leastClosing = 4 << 10
	// preview is how many characters the model reads of a text without a line break.
	preview = 500
	// spillHint tells the model what to do with the file. It is a fact of the protocol:
	// recordings of real conversations match it to the letter.
	spillHint = "Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output."
)

// Spill passes the text of a result that is longer than limit bytes to save, which stores
// it in a file and returns the path. The model then reads the path, and the beginning and
// the end of the text: together at most 20 KiB, and at most limit. The last line is kept
// even if limit is less than its length, as are the exit code of a command and what follows
// it, up to 4 KiB. A limit of 0 is [SpillLimit].
//
// A text without a line break, such as JSON or base64, cannot be read in parts. The model
// reads its first 500 characters, as in the recordings of real conversations.
//
// If the file cannot be written, the model reads the same parts, and that the rest is lost. The
// text for the user, and the other fields of the result, do not change.
func Spill(r Result, limit int, save func(text string) (path string, err error)) Result {
	if limit <= 0 {
		limit = SpillLimit
	}
	if len(r.Text) <= limit {
		return r
	}
	whole := r.Text
	path, err := save(whole)
	if err != nil {
		r.Text = ends(r, limit, fmt.Sprintf("could not be saved to a file (%v) and are lost; call the tool again in a way that answers with less", err))
		return r
	}
	r.Saved = path
	head := fmt.Sprintf("Output too large to read at once (%s). Saved to: %s\n%s\n\n", kilobytes(len(whole)), path, spillHint)
	if !strings.Contains(strings.TrimRight(whole, "\n"), "\n") {
		r.Text = head + fmt.Sprintf("Preview (first %d chars):\n%s", preview, firstRunes(whole, preview))
		return r
	}
	r.Text = head + ends(r, limit, "are in "+path)
	return r
}

// ends is the beginning and the end of the text of a result. Between them it says how much is
// left out, and what has become of that.
func ends(r Result, limit int, fate string) string {
	room := min(limit, headBytes+tailBytes)
	head := cut(r.Text, room*headBytes/(headBytes+tailBytes))
	if i := strings.LastIndexByte(head, '\n') + 1; i > len(head)*3/4 {
		head = head[:i]
	}
	tail := tailOf(r, room*tailBytes/(headBytes+tailBytes))
	left := len(r.Text) - len(head) - len(tail)
	if left <= 0 { // the end that is always kept is longer than the limit
		return r.Text
	}
	note := fmt.Sprintf("\n[%s are left out here; they %s]\n\n", kilobytes(left), fate)
	if strings.Contains(r.Text[len(head):len(r.Text)-len(tail)], SecondRun) { // the tail is of another run than the head
		note += SecondRun + "\n"
	}
	return strings.TrimSuffix(head, "\n") + "\n" + note + tail
}

// tailOf is the last n bytes of the text of a result, from the beginning of a line if the line is
// not long, and more of it where the last lines are always kept.
func tailOf(r Result, n int) string {
	from := len(r.Text) - n
	for from < len(r.Text) && !utf8.RuneStart(r.Text[from]) {
		from++
	}
	if i := strings.IndexByte(r.Text[from:], '\n'); i >= 0 && i < n/4 {
		from += i + 1
	}
	if last := strings.LastIndexByte(strings.TrimRight(r.Text, "\n"), '\n') + 1; last > 0 && len(r.Text)-last <= leastEnd {
		from = min(from, last)
	}
	if r.Exit != nil {
		if closing := strings.LastIndex(r.Text, r.Exit.line()); closing >= 0 && len(r.Text)-closing <= leastClosing {
			from = min(from, closing)
		}
	}
	return r.Text[from:]
}

// kilobytes is a number of bytes as the protocol writes it.
func kilobytes(n int) string { return fmt.Sprintf("%.1f KB", float64(n)/1024) }

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
