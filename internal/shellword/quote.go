// Package shellword quotes text for a POSIX shell, in commands that users are invited to copy, and splits a line that a user has
// typed into words.
package shellword

import (
	"fmt"
	"strings"
)

// Quote is text as one word of a POSIX shell, in quotes if it needs them. It never has a line feed or another
// control character, so it stays on its line: such text is in $'…' (POSIX 2024, bash, zsh, ksh), with escapes.
func Quote(s string) string {
	switch {
	case s != "" && !strings.ContainsFunc(s, special):
		return s
	case strings.ContainsFunc(s, control):
		return escaped(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special reports whether a character may mean something to a shell.
func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/:", r))
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// escaped is [Quote] for text with control characters. Three octal digits end by themselves, whatever follows.
func escaped(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case control(r):
			fmt.Fprintf(&b, `\%03o`, r)
		case r == '\'', r == '\\':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}

// Argument is [Quote] for the first argument of a command that takes flags: text that begins with "-" follows
// "--", or the command would read it as a flag.
func Argument(s string) string {
	if strings.HasPrefix(s, "-") {
		return "-- " + Quote(s)
	}
	return Quote(s)
}
