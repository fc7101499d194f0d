package app

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// columns is how wide what we lay out may be. Terminals are rarely narrower, and
// asking each system for the true width is not worth its code.
const columns = 80

// isTerminal reports whether a stream of [System] is a terminal. The null device
// is a character device too, but nobody reads there.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// paint is how text stands out on one stream: not at all unless it is a terminal.
type paint struct{ on bool }

// paintFor honours NO_COLOR (https://no-color.org) and terminals that say they
// are dumb.
func paintFor(stream any, getenv func(string) string) paint {
	return paint{on: isTerminal(stream) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

func (p paint) bold(s string) string   { return p.with("1", s) }
func (p paint) dim(s string) string    { return p.with("2", s) }
func (p paint) red(s string) string    { return p.with("31", s) }
func (p paint) green(s string) string  { return p.with("32", s) }
func (p paint) yellow(s string) string { return p.with("33", s) }
func (p paint) cyan(s string) string   { return p.with("36", s) }

// with uses the terminal's own colours, which fit its background.
func (p paint) with(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// harmless makes text of a model, a tool or a file safe to show: what would
// steer the terminal (escape sequences, carriage returns, other controls)
// becomes visible as U+FFFD.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// oneLine makes text of any length one harmless line of at most n runes.
func oneLine(s string, n int) string {
	// A row shows the beginning; joining megabytes to cut them off is a waste.
	if most := 8 * n; len(s) > most {
		s = s[:most]
	}
	runes := []rune(harmless(strings.Join(strings.Fields(s), " ")))
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return string(runes)
}

// pad fills s up with spaces to n runes, before it is painted.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-utf8.RuneCountInString(s), 0))
}
