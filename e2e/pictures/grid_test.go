//go:build unix

package pictures

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/vt"
)

// style is the look of a cell. A colour is one of the 16 of the terminal, or none (-1).
type style struct {
	ink, paper                                      int
	bold, faint, italic, underline, reverse, strike bool
}

// cell is a character of the screen, with the number of columns that it takes.
type cell struct {
	text  string
	width int
	style style
}

// grid is a screen. A row has no blanks at its end.
type grid struct {
	columns int
	rows    [][]cell
	column  int // of the cursor
	row     int // of the cursor, -1 if it is not shown
}

// Attributes of a cell in the emulator.
const (
	bold = 1 << iota
	faint
	italic
	_
	_
	reverse
	_
	strike
)

// read copies the screen of an emulator.
func read(e *vt.Emulator, cursor bool) *grid {
	g := &grid{columns: e.Width(), row: -1}
	if at := e.CursorPosition(); cursor {
		g.column, g.row = at.X, at.Y
	}
	for y := range e.Height() {
		var line []cell
		for x := 0; x < e.Width(); {
			c := e.CellAt(x, y)
			if c == nil || c.Width == 0 {
				line = append(line, cell{" ", 1, style{ink: -1, paper: -1}})
				x++
				continue
			}
			a := c.Style.Attrs
			line = append(line, cell{c.Content, c.Width, style{
				colour(c.Style.Fg), colour(c.Style.Bg),
				a&bold != 0, a&faint != 0, a&italic != 0, c.Style.Underline != 0, a&reverse != 0, a&strike != 0,
			}})
			x += c.Width
		}
		g.rows = append(g.rows, trimmed(line))
	}
	for len(g.rows) > 0 && len(g.rows[len(g.rows)-1]) == 0 {
		g.rows = g.rows[:len(g.rows)-1]
	}
	return g
}

// colour is the number of a colour of the terminal. The program uses no others.
func colour(c any) int {
	if v := reflect.ValueOf(c); v.IsValid() && v.Kind() == reflect.Uint8 && v.Uint() < 16 {
		return int(v.Uint())
	}
	return -1
}

// trimmed is a row without the blanks at its end.
func trimmed(line []cell) []cell {
	for n := len(line); n > 0; n-- {
		if c := line[n-1]; c.text != " " || c.style.reverse || c.style.paper >= 0 || c.style.underline {
			return line[:n]
		}
	}
	return nil
}

func (g *grid) String() string {
	lines := make([]string, len(g.rows))
	for i, line := range g.rows {
		lines[i] = text(line)
	}
	return strings.Join(lines, "\n")
}

func text(line []cell) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteString(c.text)
	}
	return b.String()
}

// moving is what differs from one run to the next, and what the pictures have instead: the first for
// the first on the screen, and so on, the last for all others.
var moving = []struct {
	found *regexp.Regexp
	fixed []string
}{
	{regexp.MustCompile(`\b[0-9]+(\.[0-9]+)? (s|ms)\b`), []string{"3 s"}},
	{regexp.MustCompile(`\b[0-9]+s +01[0-9a-f]{6}[-0-9a-f]* +`), []string{"2m  01a1fdae  ", "3h  01a1f6c2  ", "2d  01a1d90b  "}},
	{regexp.MustCompile(`\b[0-9]+s\b`), []string{"2m"}},
	{regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`), []string{"⠹"}},
}

// masked is the screen without what differs from one run to the next. home is the home folder.
func (g *grid) masked(home string) *grid {
	out := *g
	out.rows = slices.Clone(g.rows)
	if home != "" {
		out.replace(regexp.MustCompile(regexp.QuoteMeta(home)), []string{"/home/ann"})
	}
	for _, m := range moving {
		out.replace(m.found, m.fixed)
	}
	return &out
}

// replace puts texts in the place of what is found, in the style of its first character.
func (g *grid) replace(found *regexp.Regexp, fixed []string) {
	for y, line := range g.rows {
		var out []cell
		at, i := 0, 0
		for _, m := range found.FindAllStringIndex(text(line), -1) {
			for ; at < m[0]; i++ {
				out, at = append(out, line[i]), at+len(line[i].text)
			}
			for _, r := range fixed[0] {
				out = append(out, cell{string(r), 1, line[i].style})
			}
			fixed = fixed[min(1, len(fixed)-1):]
			for ; at < m[1]; i++ {
				at += len(line[i].text)
			}
		}
		g.rows[y] = append(out, line[i:]...)
	}
}

// width is the number of columns of a row.
func width(line []cell) (n int) {
	for _, c := range line {
		n += c.width
	}
	return n
}

// simple reports whether every font shows a character in one column.
func simple(text string) bool { return utf8.RuneCountInString(text) == 1 && text[0] < 0x80 }
