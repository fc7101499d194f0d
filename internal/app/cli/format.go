package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// PrintJSON prints a list as JSON, one object a line.
func PrintJSON[T any](out io.Writer, list []T) error {
	for _, l := range list {
		if err := EncodeJSON(out, l); err != nil {
			return err
		}
	}
	return nil
}

// EncodeJSON prints a value as JSON and a line feed, as [PrintableJSON].
func EncodeJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(PrintableJSON(b.Bytes()))
	return err
}

// PrintableJSON is JSON with the same value, in which each character that is not printed, or that nobody
// sees, is escaped: DEL, C1, bidirectional controls, tags, other spaces. They occur in strings only, as do
// bytes that are no UTF-8, which are written as U+FFFD. A carriage return between values becomes a space.
// It returns text itself if there is nothing to escape.
func PrintableJSON(text []byte) []byte {
	from := unprinted(text)
	if from == len(text) {
		return text
	}
	b := append(make([]byte, 0, len(text)+len(text)/8), text[:from]...)
	for _, r := range string(text[from:]) {
		switch {
		case r == '\r':
			b = append(b, ' ')
		case !escapes(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// unprinted is where the first character is that [PrintableJSON] changes, or the length of the text.
func unprinted(text []byte) int {
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c < 0x7f || c == '\n' || c == '\t' { // most of a text, and no call for it
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if escapes(r) {
			return i
		}
		i += n
	}
	return len(text)
}

// escapes reports whether [PrintableJSON] changes a character.
func escapes(r rune) bool {
	switch {
	case r == '\n', r == '\t', invisible.Usual(r):
		return false
	}
	return r == utf8.RuneError || !unicode.IsPrint(r) || invisible.Is(r)
}

// Age is how long ago a timestamp of the wire was, in its largest unit; "?" if it
// cannot be read.
func Age(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return "?"
	}
	return timeline.Age(t, time.Now())
}

// Size is a number of bytes, in kB or MB if it is large.
func Size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
}

// Tilde is a path with ~ for the user's home directory.
func Tilde(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" || home == string(filepath.Separator) {
		return path
	}
	rest, below := strings.CutPrefix(path, filepath.Clean(home))
	if !below || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return "~" + rest
}

// Untilde puts the user's home folder in place of a ~ at the begin of a path that the user has typed.
func Untilde(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, "~"); ok && err == nil && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return home + rest
	}
	return path
}

// ShellWord quotes text for a POSIX shell, if it needs quotes.
func ShellWord(s string) string { return shellword.Quote(s) }

// IDArgument is the id of a session as an argument of a command, for a POSIX shell. An id
// that begins with "-" follows "--", or the command would read it as a flag.
func IDArgument(id string) string { return shellword.Argument(id) }
