package show

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Transcript prints events as a conversation: a heading with the speaker, then the text, with
// [terminal.Margin] before each row, so that it cannot look like a heading. Tool calls have a line each.
type Transcript struct {
	Out  io.Writer
	Look terminal.Paint
	// Width is that of the screen, in columns; 0 breaks no line.
	Width int
	// Rewound marks the events that follow: a rewind has removed them from the history.
	Rewound bool

	reader timeline.Reader
	any    bool
	last   string // id of the call that was printed last
}

// maxResult bounds a tool's result, in lines. Results are written for models, and long.
const maxResult = 12

func (t *Transcript) Add(e wire.Event) error {
	row := t.reader.Add(e)
	if e.AgentID != "" && row.Kind != timeline.Agent {
		return nil // a sub-agent's conversation is its own
	}
	switch row.Kind {
	case timeline.User:
		return t.block(row, t.Look.Bold(t.Look.Cyan("you")))
	case timeline.Thinking:
		return t.block(row, t.Look.Dim("thinking"))
	case timeline.Model:
		return errors.Join(t.block(row, t.Look.Bold(t.Look.Green(model(row.Title)))), t.sources(row.Sources))
	case timeline.Error:
		return t.block(row, t.Look.Red("error"))
	case timeline.Warning:
		return t.block(row, t.Look.Yellow("warning"))
	case timeline.Tool:
		t.last = row.Call
		return t.heading(row, t.Look.Bold("tool"), row.Title)
	case timeline.Result:
		return t.result(row)
	}
	if who := t.remark(row); who != "" && row.Title != "" {
		return t.heading(row, who, row.Title)
	}
	return nil
}

// AddLost prints a line in place of an event that has lost its content. Its type and time
// are known, unless the log has lost these, too.
func (t *Transcript) AddLost(e wire.Event) error {
	typ := timeline.OneLine(cmp.Or(string(e.Type), "an event"), terminal.Columns)
	return t.heading(timeline.Row{Time: e.Time}, t.Look.Red("missing"), typ+": its content is missing or damaged")
}

// remark is the label of a row of one line, "" for rows that are not printed.
func (t *Transcript) remark(row timeline.Row) string {
	switch row.Kind {
	case timeline.Asked:
		return t.Look.Yellow("asked to")
	case timeline.Answered, timeline.Reply:
		return t.Look.Yellow("answer:")
	case timeline.Question:
		return t.Look.Yellow("question:")
	case timeline.Info, timeline.Compaction, timeline.Agent:
		return t.Look.Dim(string(row.Kind) + ":")
	case timeline.Done:
		return t.Look.Green("done:")
	case timeline.State:
		return t.Look.Dim("session")
	}
	return ""
}

// block prints the speaker and the text; nothing if there is not text, as when a model only
// calls tools.
func (t *Transcript) block(row timeline.Row, who string) error {
	text := strings.TrimSpace(row.Body)
	if text == "" {
		return nil
	}
	if err := t.heading(row, who, ""); err != nil {
		return err
	}
	_, err := fmt.Fprintln(t.Out, t.quoted(terminal.Margin, text))
	return err
}

// inResult begins the rows of a result, below its first.
const inResult = "  " + terminal.Margin

// quoted is text of a speaker or a tool, with a margin before each row.
func (t *Transcript) quoted(margin, text string) string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		parts := []string{line}
		if room := t.Width - timeline.Width(margin); t.Width > 0 {
			parts = timeline.Fold(strings.ReplaceAll(line, "\t", "    "), room)
		}
		for _, row := range parts {
			rows = append(rows, strings.TrimRight(margin+row, " "))
		}
	}
	return strings.Join(rows, "\n")
}

// sources prints the references of an answer, one a line.
func (t *Transcript) sources(list []timeline.Source) error {
	for _, s := range list {
		if _, err := fmt.Fprintln(t.Out, t.Look.Dim("· ")+s.String()); err != nil {
			return err
		}
	}
	return nil
}

// heading prints one line, after a blank one, with the time of the event.
func (t *Transcript) heading(row timeline.Row, who, rest string) error {
	before := "\n"
	if !t.any {
		before, t.any = "", true
	}
	further := ""
	if rest != "" {
		rows := []string{rest}
		if room := t.Width - headColumns; t.Width > 0 {
			rows = timeline.Fold(rest, room)
		}
		rest = " " + rows[0]
		if len(rows) > 1 {
			further = t.quoted(terminal.Margin, strings.Join(rows[1:], "\n")) + "\n"
		}
	}
	when := ""
	if !row.Time.IsZero() {
		when = t.Look.Dim("  " + row.Time.Local().Format("2006-01-02 15:04:05"))
	}
	if t.Rewound {
		when = t.Look.Yellow("  rewound") + when
	}
	_, err := fmt.Fprintf(t.Out, "%s%s%s%s\n%s", before, who, rest, when, further)
	return err
}

// headColumns is what a heading has beside its text, in columns: a label, and the time.
const headColumns = 10 + 32

// result prints the beginning of a result, or the end of what a command that failed has printed,
// under its call or with the name of the call.
func (t *Transcript) result(row timeline.Row) error {
	mark := "→ "
	if row.Call != t.last && row.Of != "" {
		mark += t.Look.Dim(timeline.Cut(row.Of, terminal.Columns/2) + ": ")
	}
	t.last = row.Call
	text := strings.TrimRight(row.Body, "\n")
	if row.Failed {
		mark += t.Look.Red(timeline.Cut(row.Title, max(t.Width, terminal.Columns)/2))
		if _, message, _ := strings.Cut(row.Title, ": "); message == strings.TrimSpace(text) {
			text = ""
		} else {
			mark += "\n" + inResult
		}
	}
	if text == "" && !row.Failed {
		text = row.Title
	}
	lines := strings.Split(text, "\n")
	switch left := len(lines) - maxResult; {
	case left <= 0:
	case row.Failed && row.Exit != nil:
		lines = append([]string{t.Look.Dim(fmt.Sprintf("… %d lines before; --json has them", left))}, lines[left:]...)
	default:
		lines = append(lines[:maxResult], t.Look.Dim(fmt.Sprintf("… %d more lines; --json has them", left)))
	}
	first, rest, more := strings.Cut(t.quoted(inResult, strings.Join(lines, "\n")), "\n")
	mark += strings.TrimPrefix(first+" ", inResult)
	if mark = strings.TrimRight(mark, " "); more {
		mark += "\n" + rest
	}
	_, err := fmt.Fprintln(t.Out, mark)
	return err
}

// model is the label of a model, whose name its provider has chosen: one that looks like another label
// follows the word model.
func model(name string) string {
	switch name = timeline.OneLine(name, terminal.Columns/2); {
	case name == "":
		return "model"
	case strings.ContainsAny(name, " :") || slices.Contains([]string{"you", "thinking", "error", "warning", "tool", "session", "missing"}, name):
		return "model " + name
	}
	return name
}
