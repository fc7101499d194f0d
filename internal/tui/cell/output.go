package cell

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tui/diff"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// How many rows of output are shown below a call.
const (
	liveTail    = 5  // the last lines, while it runs
	resultRows  = 3  // the last lines, when it has gone well
	failureRows = 8  // the last lines, when it has failed
	typedRows   = 50 // the last lines of a command that the user has typed
	changeRows  = 20 // of a change
)

// maxOutput bounds the output of a running call that is kept, in bytes.
const maxOutput = 4 << 10

// output is the end of what a running call has printed.
type output struct{ text string }

// add adds a piece.
func (o *output) add(piece string) {
	o.text += piece
	if n := len(o.text) - maxOutput; n > 0 {
		o.text = strings.ToValidUTF8(o.text[n:], "")
	}
}

// tail is the last lines.
func (o *output) tail(n, width int) []row.Row {
	text := strings.TrimRight(o.text, " \n")
	if text == "" || n == 0 {
		return nil
	}
	lines := strings.Split(text, "\n")
	return quoted(lines[max(len(lines)-n, 0):], width)
}

const indent = "    "

// quoted is lines of output as dim, indented rows.
func quoted(lines []string, width int) (rows []row.Row) {
	for _, l := range lines {
		rows = append(rows, row.Of(indent+row.Expand(l), row.Dim).Cut(width-1))
	}
	return rows
}

// short is what the result says in the row of the call, and the text that is shown below it.
func (c *call) short() (short, body string) {
	r := c.result
	body = strings.TrimRight(r.Body, " \n")
	if !c.whole {
		body = timeline.LastRun(body)
	}
	switch {
	case c.decided.denied:
		return c.decided.text, ""
	case c.apart && !r.Failed:
		return "works in the background", ""
	case r.Running && c.shell():
		return "continues in the background", body
	case r.Title == timeline.Interrupted && r.Failed && c.typed:
		return "stopped", ""
	case r.Failed:
		if _, message, _ := strings.Cut(r.Title, ": "); message == strings.TrimSpace(body) && row.Width(r.Title) <= shortTitle {
			body = ""
		} else if body != "" && strings.HasPrefix(r.Title, "failed") {
			return "failed", body
		}
		if code, lines, _ := strings.Cut(r.Title, ", "); c.shell() && !r.Stopped && strings.HasPrefix(code, "exit code") && lines != "" {
			return code, body // the lines follow
		}
		return r.Title, body
	case r.Diff:
		return "", body
	case c.shell():
		if strings.TrimSpace(body) == "" {
			return r.Title, ""
		}
		if strings.HasPrefix(r.Title, "second run") {
			return "second run, OUTSIDE the sandbox", body
		}
		return "", body
	case c.whole:
		return "", body
	}
	title := r.Title
	if c.tool == fact.AskUser { // what the model reads has a few words more
		title = strings.TrimPrefix(strings.TrimPrefix(title, "User responded: "), "User selected: ")
	}
	return row.Text(title).Cut(shortTitle).String(), ""
}

// shortTitle bounds the result in the row of a call, in columns.
const shortTitle = 60

// shell reports whether the call runs a command.
func (c *call) shell() bool { return fact.Of(c.tool).Does == fact.Shell }

// below is the rows below the call: its output, or the change that it has made.
func (c *call) below(body string, width int) []row.Row {
	if body == "" {
		return nil
	}
	if c.result.Diff {
		return c.change(body, width)
	}
	lines := strings.Split(body, "\n")
	if c.result.Failed && strings.HasPrefix(c.result.Title, "failed") {
		return message(lines, width, c.whole, c.all)
	}
	if c.whole {
		rows := make([]row.Row, len(lines))
		for i, l := range lines {
			rows[i] = row.Of(row.Expand(l), row.Dim)
		}
		return rows
	}
	most := resultRows
	if c.result.Failed {
		most = failureRows
	}
	if c.typed {
		most = typedRows
	}
	more := len(lines) - most
	if more <= 1 {
		return quoted(lines, width)
	}
	head := fmt.Sprintf("%s… %s before", indent, timeline.Hidden(lines[:more]))
	return append([]row.Row{row.Of(head, row.Dim).Cut(width - 1)}, quoted(lines[more:], width)...)
}

// change is the rows of a unified diff of one file, whose name the title of the call has.
func (c *call) change(body string, width int) (rows []row.Row) {
	d := diff.Parse(body)
	n := d.Len()
	if !c.whole && n > changeRows+1 {
		n = changeRows
	}
	for _, r := range d.Rows(width-row.Width(indent), 0, n) {
		rows = append(rows, row.Text(indent).Join(r))
	}
	if more := d.Len() - n; more > 0 {
		rows = append(rows, row.Of(indent+"… "+plural(more, "more line")+c.all, row.Dim))
	}
	return rows
}

// message is the rows of an error message, wrapped.
func message(lines []string, width int, whole bool, all string) (rows []row.Row) {
	for _, l := range lines {
		rows = append(rows, row.Of(indent+row.Expand(l), row.Plain).Wrap(min(width-1, proseWidth), row.Text(indent))...)
	}
	if whole {
		return rows
	}
	return folded(rows, failureRows, all)
}
