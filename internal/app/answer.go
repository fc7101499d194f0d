package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// printer shows the events of a run.
type printer interface {
	// event shows one; row is what a person reads of it, line its JSON.
	event(e wire.Event, row timeline.Row, line []byte) error
	// missed says that ephemeral events before the next one are gone, because
	// the output was not read for long.
	missed()
	// finish leaves the output at the beginning of a line.
	finish() error
}

// jsonLines prints each event as it is on the wire.
type jsonLines struct {
	out  io.Writer
	line []byte // reused
}

func (p *jsonLines) event(_ wire.Event, _ timeline.Row, line []byte) error {
	p.line = append(append(p.line[:0], line...), '\n')
	_, err := p.out.Write(p.line)
	return err
}

func (p *jsonLines) missed() {} // nobody was promised the ephemeral ones

func (p *jsonLines) finish() error { return nil }

// answer prints what the model says to out as it comes, and to notes what else a
// person wants to know.
type answer struct {
	out   io.Writer
	flow  *terminal.Flow // in place of out if that is a terminal
	notes *notes

	message string // id of the one that streams
	shown   []byte // of it, from its beginning
	gap     bool   // what streams now does not begin where shown ends
	open    bool   // the last byte that went out was no line feed
	any     bool   // something went out
}

// newAnswer prints to the streams of a process. In a pipe the answer is data, and
// stays what it is.
func newAnswer(sys System) *answer {
	a := &answer{out: sys.Stdout, notes: newNotes(sys)}
	if terminal.Is(sys.Stdout) {
		a.flow = &terminal.Flow{Out: sys.Stdout, Width: width(sys.Stdout)}
	}
	return a
}

func (a *answer) event(e wire.Event, row timeline.Row, _ []byte) error {
	if e.AgentID != "" && row.Kind != timeline.Tool && row.Kind != timeline.Agent {
		return nil // what a sub-agent says, it says to the model
	}
	data := wire.Raw(e.Data)
	switch e.Type {
	case "assistant.message_start":
		a.gap = false
		return nil
	case wire.MessageDelta:
		if a.gap {
			return nil
		}
		return a.say(data.Get("messageId").Text(), data.Get("deltaContent").Text())
	case "assistant.message":
		return a.complete(data.Get("messageId").Text(), data.Get("content").Text())
	case "session.warning":
		if data.Get("warningType").Text() == budgetExhausted {
			return nil // it is how the run fails, and said as that
		}
	case "session.task_complete":
		return a.complete(e.ID, data.Get("summary").Text()) // the model's last word
	}
	text := a.notes.text(row)
	if text == "" {
		return nil
	}
	if a.flow != nil { // both may be the same screen
		if err := a.finish(); err != nil {
			return err
		}
	}
	a.notes.print(text)
	return nil
}

// say prints a piece of a message, a blank line before all but the first.
func (a *answer) say(message, text string) error {
	if text == "" {
		return nil
	}
	before := ""
	if message != a.message {
		if err := a.finish(); err != nil {
			return err
		}
		if a.any {
			before = "\n"
		}
		a.message, a.shown = message, a.shown[:0]
	}
	a.shown = append(a.shown, text...)
	a.open, a.any = text[len(text)-1] != '\n', true
	return a.write(before + text)
}

func (a *answer) write(text string) error {
	if a.flow != nil {
		return a.flow.WriteString(text)
	}
	_, err := io.WriteString(a.out, text)
	return err
}

// missed has the text wait for the whole message, which is never missed.
func (a *answer) missed() { a.gap = true }

// complete prints what of a message has not streamed, which is all of it if the
// provider does not stream.
func (a *answer) complete(message, content string) error {
	rest := content
	if message == a.message {
		var goesOn bool
		if rest, goesOn = strings.CutPrefix(content, string(a.shown)); !goesOn {
			rest = "" // it streamed otherwise than it ended; that is out, and cannot be taken back
		}
	}
	if err := a.say(message, rest); err != nil {
		return err
	}
	return a.finish()
}

func (a *answer) finish() error {
	if a.open {
		a.open = false
		if err := a.write("\n"); err != nil {
			return err
		}
	}
	if a.flow != nil {
		return a.flow.Flush()
	}
	return nil
}

// notes prints what happens beside the answer, for a person who watches. Who closed
// that stream does not want to know.
type notes struct {
	out   io.Writer
	look  terminal.Paint
	width int
	last  string // id of the call that was printed last
}

// logColumns is how much of a row goes to a stream that is no terminal, in columns:
// a log is searched and not looked at.
const logColumns = 300

func newNotes(sys System) *notes {
	n := &notes{out: sys.Stderr, look: terminal.PaintFor(sys.Stderr, sys.Getenv), width: logColumns}
	if terminal.Is(sys.Stderr) {
		n.width = width(sys.Stderr)
	}
	return n
}

func (n *notes) print(text string) { _, _ = io.WriteString(n.out, text) }

// text is the lines of a row, none if it is not for here.
func (n *notes) text(row timeline.Row) string {
	switch row.Kind {
	case timeline.Tool:
		n.last = row.Call
		return n.line("· ", row.Title, nil)
	case timeline.Result:
		return n.result(row)
	case timeline.Agent:
		return n.line("· ", row.Title, nil)
	case timeline.Warning:
		return n.wrapped("warning: ", row.Title, n.look.Yellow)
	case timeline.Info, timeline.Compaction:
		return n.line("info: ", row.Title, n.look.Dim)
	}
	return ""
}

// line is a label and as much of the text as the line has room for. look is of the
// label; nil makes all of it dim.
func (n *notes) line(label, text string, look func(string) string) string {
	if text == "" {
		return ""
	}
	text = timeline.Cut(text, n.width-timeline.Width(label))
	if look == nil {
		return n.look.Dim(label+text) + "\n"
	}
	return look(label) + text + "\n"
}

// warningRows bounds a warning, and the reason of a failure, in rows of the screen.
const warningRows = 4

// wrapped is line for a text that matters to its end. Without a look it is yellow.
func (n *notes) wrapped(label, text string, look func(string) string) string {
	if text == "" {
		return ""
	}
	indent := min(timeline.Width(label), 4)
	rows := timeline.Wrap(label+text, n.width-indent)
	if len(rows) > warningRows {
		rows = append(rows[:warningRows-1], timeline.Cut(rows[warningRows-1]+" …", n.width-indent))
	}
	if look != nil {
		rows[0] = look(label) + strings.TrimPrefix(rows[0], label)
		return strings.Join(rows, "\n"+strings.Repeat(" ", indent)) + "\n"
	}
	for i, row := range rows {
		rows[i] = n.look.Yellow(row)
	}
	return strings.Join(rows, "\n"+strings.Repeat(" ", indent)) + "\n"
}

// failureLines is how much is shown of the output of what went wrong, its end.
const failureLines = 6

// result is a result in short; of one that failed the end of its output, too. If
// another call was printed in between, it names its own.
func (n *notes) result(row timeline.Row) string {
	text := row.Title
	if row.Call != n.last && row.Of != "" && text != "" {
		text = timeline.Cut(row.Of, n.width/2) + ": " + text
	}
	n.last = row.Call
	if !row.Failed {
		return n.line("  ", text, nil)
	}
	var b strings.Builder
	b.WriteString(n.wrapped("  ", text, nil))
	lines := strings.Split(strings.TrimSpace(row.Body), "\n")
	if len(lines) == 1 && strings.HasSuffix(row.Title, lines[0]) {
		return b.String()
	}
	if more := len(lines) - failureLines; more > 0 {
		b.WriteString(n.look.Dim(fmt.Sprintf("    … %d lines before\n", more)))
		lines = lines[more:]
	}
	for _, l := range lines {
		b.WriteString(n.look.Dim("    "+timeline.Cut(strings.ReplaceAll(l, "\t", "    "), n.width-4)) + "\n")
	}
	return b.String()
}
