// Package glass reads terminals in tests: what an emulator shows, and what a window of tmux shows.
// An emulator shows each byte that was written; tmux wraps its rows again when its size changes, as
// terminals do.
//
// Begin with [Tmux].
package glass

import (
	"strings"

	"github.com/charmbracelet/x/vt"
)

// Rows is what the emulator shows, without spaces at the ends of rows and empty rows at the end.
func Rows(e *vt.Emulator) []string { return full(screen(e)) }

// All is the scrollback and what the emulator shows, as [Rows] has it.
func All(e *vt.Emulator) []string {
	var out []string
	for y := range e.ScrollbackLen() {
		var b strings.Builder
		for x := range e.Width() {
			if c := e.ScrollbackCellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return full(append(out, screen(e)...))
}

func screen(e *vt.Emulator) (out []string) {
	for y := range e.Height() {
		var b strings.Builder
		for x := range e.Width() {
			if c := e.CellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// full leaves out the empty rows at the end.
func full(rows []string) []string {
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
