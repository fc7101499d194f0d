package terminal

import (
	"io"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// editor draws a line while the user types it. The line has one row of the screen; if
// it is longer, the row shows the part around the cursor.
type editor struct {
	line
	out     io.Writer
	prompt  string
	look    func(string) string // styles the prompt; nil leaves it plain
	reflows bool                // the terminal wraps its rows again when it gets narrower

	drawn, column int // the columns of the row as it was drawn last, and of its cursor
}

// Bracketed paste, which marks a pasted text, so that its line ends do not end the line.
const pasteOn, pasteOff = "\x1b[?2004h", "\x1b[?2004l"

// The methods below ignore errors of writing: a terminal that was closed fails the next
// read, too.

func (e *editor) start() { _, _ = io.WriteString(e.out, pasteOn) }

func (e *editor) finish() { _, _ = io.WriteString(e.out, pasteOff+"\r\n") }

func (e *editor) clear() {
	e.drawn, e.column = 0, 0
	_, _ = io.WriteString(e.out, "\x1b[H\x1b[2J")
}

// draw replaces the row, for a terminal of that many columns.
func (e *editor) draw(width int) {
	s := e.erase(width)
	prompt := timeline.Cut(e.prompt, width-8)
	text, cursor := e.view(width - timeline.Width(prompt))
	e.drawn = timeline.Width(prompt) + timeline.Width(text)
	e.column = timeline.Width(prompt) + cursor
	if e.look != nil {
		prompt = e.look(prompt)
	}
	s += prompt + text
	if back := e.drawn - e.column; back > 0 {
		s += "\x1b[" + strconv.Itoa(back) + "D"
	}
	_, _ = io.WriteString(e.out, s)
}

// erase returns what empties the row that was drawn last. A terminal that has become
// narrower since may have wrapped it into several.
func (e *editor) erase(width int) string {
	if e.drawn <= width || !e.reflows {
		return "\r\x1b[K"
	}
	s := "\r\x1b[J"
	if up := e.column / width; up > 0 {
		s = "\x1b[" + strconv.Itoa(up) + "A" + s
	}
	return s
}
