//go:build unix

package pictures

import (
	"bytes"
	"fmt"
	"html"
)

// The size of a character, and the space around the screen, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	fontSize   = 14
)

// looks are the colours of the pictures: those of the reader's system, dark or light. The names are
// the classes of text (f) and of what is behind it (b); 0 to 15 are the colours of a terminal.
const looks = `
text{white-space:pre}.s{fill:#15191e}.f{fill:#d5dae0}.b{fill:#d5dae0}.r{fill:#15191e}.c{fill:none;stroke:#8b949e}
.f1{fill:#f47067}.f2{fill:#6bc46d}.f3{fill:#dab258}.f4{fill:#6cb6ff}.f5{fill:#dcbdfb}.f6{fill:#56d4dd}
.o{font-weight:bold}.d{opacity:.6}.i{font-style:italic}.u{text-decoration:underline}.k{text-decoration:line-through}
@media(prefers-color-scheme:light){.s{fill:#fbfcfd}.f{fill:#1f2328}.b{fill:#1f2328}.r{fill:#fbfcfd}.c{stroke:#6e7781}
.f1{fill:#b3261e}.f2{fill:#116329}.f3{fill:#7d4e00}.f4{fill:#0550ae}.f5{fill:#7a3aa8}.f6{fill:#0a5f69}}
`

// draw is a screen as SVG.
func draw(g *grid, what string) []byte {
	w, h := 2*margin+float64(g.columns)*cellWidth, 2*margin+len(g.rows)*cellHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" role=\"img\">\n", w, h, w, h)
	fmt.Fprintf(&b, "<!-- written by go test ./e2e/pictures -update -->\n<title>%s</title>\n<style>%s</style>\n", html.EscapeString(what), looks)
	fmt.Fprintf(&b, "<rect class=\"s\" width=\"100%%\" height=\"100%%\" rx=\"8\"/>\n")
	fmt.Fprintf(&b, "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"%d\">\n", fontSize)
	for y, line := range g.rows {
		drawRow(&b, line, y)
	}
	if g.row >= 0 {
		fmt.Fprintf(&b, "<rect class=\"c\" x=\"%s\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", across(g.column), margin+g.row*cellHeight+1, cellWidth, cellHeight-2)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// across is the place of a column.
func across(column int) string { return fmt.Sprintf("%.1f", margin+float64(column)*cellWidth) }

// drawRow draws the runs of a row: characters of one style that every font has, and each other
// character by itself, so that it stands in its column.
func drawRow(b *bytes.Buffer, line []cell, y int) {
	for from, column := 0, 0; from < len(line); {
		to := from + 1
		for simple(line[from].text) && to < len(line) && simple(line[to].text) && line[to].style == line[from].style {
			to++
		}
		run := line[from:to]
		drawRun(b, run, column, y)
		column += width(run)
		from = to
	}
}

func drawRun(b *bytes.Buffer, run []cell, column, y int) {
	s, long := run[0].style, float64(width(run))*cellWidth
	if s.reverse {
		fmt.Fprintf(b, "<rect class=\"b%s\" x=\"%s\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", ink(s), across(column), margin+y*cellHeight, long, cellHeight)
	}
	for len(run) > 0 && run[0].text == " " {
		run, column = run[1:], column+run[0].width
	}
	run = run[:len(run)-blanks(run)]
	if len(run) == 0 {
		return
	}
	fmt.Fprintf(b, "<text class=%q x=\"%s\" y=\"%d\" textLength=\"%.1f\">%s</text>\n",
		classes(s), across(column), margin+y*cellHeight+cellHeight-5, float64(width(run))*cellWidth, html.EscapeString(text(run)))
}

// blanks is the number of blanks at the end of a run.
func blanks(run []cell) (n int) {
	for n < len(run) && run[len(run)-1-n].text == " " {
		n++
	}
	return n
}

// ink is the class of a colour, after a space; "" is that of the text.
func ink(s style) string {
	if s.ink <= 0 {
		return ""
	}
	return fmt.Sprintf(" f%d", (s.ink-1)%8+1) // bright ones are as the others
}

func classes(s style) string {
	out := "f" + ink(s)
	if s.reverse {
		out = "r"
	}
	for _, a := range []struct {
		on   bool
		name string
	}{{s.bold, "o"}, {s.faint, "d"}, {s.italic, "i"}, {s.underline, "u"}, {s.strike, "k"}} {
		if a.on {
			out += " " + a.name
		}
	}
	return out
}
