package show

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// rows prints the rows beside the answer to stderr. Errors of that stream are ignored.
type rows struct {
	out    io.Writer
	look   terminal.Paint
	width  int
	last   string   // id of the call that was printed last
	live   bool     // out is a screen, where a row can be erased
	shown  bool     // such a row is on the screen
	warned []string // the warnings, at most maxWarned
	quiet  bool     // calls and results are not printed: a program reads the stream, or nobody does
}

// logColumns bounds a row on a stream that is not a terminal, in columns: a log file is
// searched, so it gets longer rows than a screen.
const logColumns = 300

func newRows(sys cli.System) *rows {
	n := &rows{out: sys.Stderr, look: terminal.PaintFor(sys.Stderr, sys.Getenv), width: logColumns}
	n.live = terminal.Is(sys.Stderr) && sys.Getenv("TERM") != "dumb"
	n.fit(sys.Stderr)
	return n
}

// fit takes over the present width of the stream if it is a terminal.
func (n *rows) fit(stream any) {
	if terminal.Is(stream) {
		n.width = cli.Width(stream)
	}
}

func (n *rows) print(text string) {
	n.clear()
	_, _ = io.WriteString(n.out, text)
}

// erase empties the row that the cursor is in.
const erase = "\r\x1b[K"

// progress shows the last line of a tool's output so far, until another row is printed. It
// shows that a long command is still running.
func (n *rows) progress(text string) {
	lines := strings.Split(strings.TrimRight(text, " \n"), "\n")
	last := timeline.OneLine(lines[len(lines)-1], n.width-3)
	if !n.live || last == "" {
		return
	}
	_, _ = io.WriteString(n.out, erase+n.look.Dim("  "+last))
	n.shown = true
}

// clear erases that line.
func (n *rows) clear() {
	if n.shown {
		n.shown = false
		_, _ = io.WriteString(n.out, erase)
	}
}

// text is the lines of a row, "" if it is not printed.
func (n *rows) text(row timeline.Row) string {
	if n.quiet && row.Kind != timeline.Warning {
		return ""
	}
	switch row.Kind {
	case timeline.Tool:
		n.last = row.Call
		return n.line("· ", row.Title, nil)
	case timeline.Result:
		return n.result(row)
	case timeline.Agent:
		return n.line("· ", row.Title, nil)
	case timeline.Warning:
		if len(n.warned) < maxWarned {
			n.warned = append(n.warned, row.Title)
		}
		return n.wrapped("warning: ", row.Title, warningRows, n.look.Yellow)
	case timeline.Info, timeline.Compaction:
		return n.line("info: ", row.Title, n.look.Dim)
	}
	return ""
}

// maxWarned bounds the warnings that are remembered.
const maxWarned = 100

// sources is the references of an answer, one a line.
func (n *rows) sources(list []timeline.Source) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(n.line("· ", s.String(), n.look.Dim))
	}
	return b.String()
}

// line is a label and as much of the text as the line has room for. look paints the label;
// nil makes the whole line dim.
func (n *rows) line(label, text string, look func(string) string) string {
	if text == "" {
		return ""
	}
	text = timeline.Cut(text, n.width-timeline.Width(label))
	if look == nil {
		return n.look.Dim(label+text) + "\n"
	}
	return look(label) + text + "\n"
}

// Bounds of a warning, which may name ten files, and of the reason for a failure, in rows of the screen.
const (
	warningRows = 16
	reasonRows  = 4
)

// wrapped is line for a text that is printed in at most so many rows. Without look it is yellow.
func (n *rows) wrapped(label, text string, most int, look func(string) string) string {
	if text == "" {
		return ""
	}
	indent := timeline.Width(below)
	rows := timeline.Wrap(label+text, n.width-indent)
	if len(rows) > most {
		rows = append(rows[:most-1], timeline.Cut(rows[most-1]+" …", n.width-indent))
	}
	if look != nil {
		rows[0] = look(label) + strings.TrimPrefix(rows[0], label)
		return strings.Join(rows, "\n"+below) + "\n"
	}
	for i, row := range rows {
		rows[i] = n.look.Yellow(row)
	}
	return strings.Join(rows, "\n"+below) + "\n"
}

// below begins the rows of text from elsewhere below the row that it belongs to.
const below = "  " + terminal.Margin

// failureLines is how many lines of the output of a failed call are printed, its last.
const failureLines = 6

// sandboxed marks the result of a command that ran in a sandbox.
const sandboxed = " · sandboxed"

// result is a result in short, and the end of the output of a failed call. It names its
// call if another call was printed in between.
func (n *rows) result(row timeline.Row) string {
	text := row.Title
	if row.Call != n.last && row.Of != "" && text != "" {
		text = timeline.Cut(row.Of, n.width/2) + ": " + text
	}
	n.last = row.Call
	if row.Sandboxed && !row.Stopped { // otherwise the title says so
		text = timeline.Cut(text, n.width-2-timeline.Width(sandboxed)) + sandboxed
	}
	if !row.Failed {
		return n.line("  ", text, nil)
	}
	var b strings.Builder
	b.WriteString(n.wrapped("  ", text, reasonRows, nil))
	body := timeline.LastRun(row.Body)
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if len(lines) == 1 && strings.HasSuffix(row.Title, lines[0]) {
		return b.String()
	}
	if more := len(lines) - failureLines; more > 0 {
		b.WriteString(n.look.Dim("    … " + timeline.Hidden(lines[:more]) + " before\n"))
		lines = lines[more:]
	}
	for _, l := range lines {
		b.WriteString(n.look.Dim(below+timeline.Cut(strings.ReplaceAll(l, "\t", "    "), n.width-4)) + "\n")
	}
	return b.String()
}
