package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// Harmless makes text of a model, a tool or a file safe to print. It replaces characters
// that control a terminal (escape sequences, carriage returns, other controls), that change the order
// of text (bidirectional controls), that separate lines, or that nobody sees (tags, fillers, variation
// selectors) by U+FFFD. It keeps line feeds and tabs, what emoji and some scripts need (joiners and the
// two selectors of emoji), and characters of private use, which a font draws. It removes the carriage
// return of a Windows line end.
func Harmless(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if harmful(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// plain reports whether a text is ASCII without controls but line feeds and tabs, which nothing replaces.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Copied is text of a model as it goes into a clipboard: without the characters that [Harmless] replaces.
// A shell into which it is pasted would take some of them for keys, and an escape sequence for the end of
// what is pasted, so that the rest would run.
func Copied(s string) string {
	return strings.Map(func(r rune) rune {
		if harmful(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// harmful reports whether [Harmless] replaces a character.
func harmful(r rune) bool {
	switch {
	case r == '\n', r == '\t', invisible.Usual(r):
		return false
	case r == '\u200c', r == '\u200d', r == '\ufe0e', r == '\ufe0f':
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) ||
		invisible.Is(r) && !unicode.In(r, unicode.Co, unicode.Prepended_Concatenation_Mark)
}

// Exposed makes text safe to print that the user decides about, or that a model has written for a
// machine: a command, a path, an address, a change, a rule. It shows each character that a reader
// would not see or would take for a space as its number, such as <U+200B>. It keeps line feeds and
// tabs, and removes the carriage return of a Windows line end. Text for readers, such as an
// answer, needs some of these characters: see [Harmless].
func Exposed(s string) string { return invisible.Show(strings.ReplaceAll(s, "\r\n", "\n")) }

// ExposedPath is [Exposed] for text that stays on one line, such as a path or what quotes one, with all of its
// spaces. It shows line feeds and tabs as their numbers, too.
func ExposedPath(s string) string {
	return strings.NewReplacer("\n", "<U+000A>", "\t", "<U+0009>").Replace(invisible.Show(strings.ToValidUTF8(s, "\ufffd")))
}

// Retry says in words which try of a call comes next, for how long the call is tried after it, and why,
// at most width columns of the reason.
func Retry(next int, left time.Duration, why string, width int) string {
	return fmt.Sprintf("try %d, for %v more: %s", next, left.Round(time.Second), OneLine(why, width))
}

// OneLine makes text of any length one harmless line of at most width columns, with
// an ellipsis if something is cut off.
func OneLine(s string, width int) string {
	return Cut(Harmless(strings.Join(strings.Fields(beginning(s, width)), " ")), width)
}

// ExposedLine is [OneLine] for text as in [Exposed].
func ExposedLine(s string, width int) string {
	return Cut(strings.Join(strings.Fields(Exposed(beginning(s, width))), " "), width)
}

// beginning is enough of a text for one line of width columns.
func beginning(s string, width int) string {
	return s[:min(len(s), 16*max(width, 1))]
}

// Count is a number with separators: 1,234,567.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ShortCount is a positive number in at most seven columns, such as 9,999, 33K or 1.05M; "" for 0.
func ShortCount(n int64) string {
	switch {
	case n <= 0:
		return ""
	case n < 10_000:
		return Count(n)
	case n < 999_500:
		return strconv.FormatInt((n+500)/1000, 10) + "K"
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(float64(n)/1e6, 'f', 2, 64), "0"), ".") + "M"
}

// Age is how long before now a time was, in its largest unit, such as 5m or 3d; "" for no time.
func Age(at, now time.Time) string {
	const day = 24 * time.Hour
	if at.IsZero() {
		return ""
	}
	switch d := max(now.Sub(at), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}

// Dollars is an amount in US dollars: $12.30, or $0.0123 if it is less than one dollar.
func Dollars(amount float64) string {
	switch {
	case amount >= 1:
		cents := int64(min(amount*100+0.5, 1e15))
		return fmt.Sprintf("$%s.%02d", Count(cents/100), cents%100)
	case amount > 0 && amount < 0.0001:
		return "under $0.0001"
	}
	return "$" + strconv.FormatFloat(amount, 'f', 4, 64)
}

// Plural is a count with its noun, such as "1 file" and "2,000 files".
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	if strings.HasSuffix(thing, "chs") {
		thing = strings.TrimSuffix(thing, "s") + "es"
	}
	return Count(int64(n)) + " " + thing
}

// lines is the number of lines; a last line without a line feed counts too.
func lines(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// firstLine is the first line that is not blank, and whether there are more.
func firstLine(s string) (line string, more bool) {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line), rest != ""
}
