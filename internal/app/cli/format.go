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

// EncodeJSON prints a value as JSON and a line feed. Characters that control a terminal are escaped,
// also those that JSON would allow (DEL and C1, U+007F to U+009F).
func EncodeJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := b.Bytes()
	if bytes.ContainsFunc(text, controls) {
		text = escaped(text)
	}
	_, err := out.Write(text)
	return err
}

// controls reports whether a character controls a terminal and is allowed in JSON.
func controls(r rune) bool { return 0x7f <= r && r <= 0x9f }

// escaped is JSON with such characters escaped; they occur in strings only.
func escaped(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		if controls(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
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

// ShellWord quotes text for a POSIX shell, if it needs quotes.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// IDArgument is the id of a session as an argument of a command, for a POSIX shell. An id
// that begins with "-" follows "--", or the command would read it as a flag.
func IDArgument(id string) string {
	if strings.HasPrefix(id, "-") {
		return "-- " + ShellWord(id)
	}
	return ShellWord(id)
}
