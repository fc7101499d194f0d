package timeline

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless makes text of a model, a tool or a file safe to show: what would steer a
// terminal (escape sequences, carriage returns, other controls) or turn the order of
// what is read around (bidirectional overrides) becomes visible as U+FFFD. Line feeds
// and tabs stay, and the carriage return of a line end of Windows goes.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !turnsAround(r) {
			return r
		}
		return utf8.RuneError
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// turnsAround tells the characters that make a line read otherwise than it is run.
// Source: CVE-2021-42574, "Trojan Source".
func turnsAround(r rune) bool {
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// OneLine makes text of any length one harmless line of at most width columns, with
// an ellipsis if something is cut off.
func OneLine(s string, width int) string {
	if most := 16 * max(width, 1); len(s) > most { // the beginning is enough
		s = s[:most]
	}
	return Cut(Harmless(strings.Join(strings.Fields(s), " ")), width)
}

// Count is a number as people read it: 1,234,567.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a count and what is counted.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	if strings.HasSuffix(thing, "chs") {
		thing = strings.TrimSuffix(thing, "s") + "es"
	}
	return Count(int64(n)) + " " + thing
}

// lines counts them; a last one without a line feed counts too.
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
