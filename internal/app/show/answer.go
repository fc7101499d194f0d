package show

import (
	"io"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Answer prints the text of the model to stdout as it streams, and tool calls, results
// and warnings to stderr.
type Answer struct {
	out  io.Writer
	flow *terminal.Flow // used instead of out if that is a terminal
	rows *rows
	fit  func() // adopts the present width of the terminal, which a resize changes

	failure timeline.Row // of a model call; printed unless it has ended the run
	open    bool         // the last byte written was no line feed
	any     bool         // something of this run was written
}

// NewAnswer prints to stdout and stderr. Text goes to a pipe unchanged; on a terminal its
// lines are broken between words.
func NewAnswer(sys cli.System) *Answer {
	a := &Answer{out: sys.Stdout, rows: newRows(sys)}
	if terminal.Is(sys.Stdout) {
		a.flow = &terminal.Flow{Out: sys.Stdout}
	}
	a.fit = func() {
		if a.flow != nil {
			a.flow.Width = cli.Width(sys.Stdout)
		}
		a.rows.fit(sys.Stderr)
	}
	return a
}

// Begin implements [Printer].
func (a *Answer) Begin() { a.any = false }

// Text implements [Printer]. A blank line separates messages.
func (a *Answer) Text(piece string, begins bool) error {
	a.fit()
	if begins {
		if err := a.Finish(); err != nil {
			return err
		}
		if a.any {
			piece = "\n" + piece
		}
	}
	a.open, a.any = piece[len(piece)-1] != '\n', true
	return a.write(piece)
}

// Event implements [Printer].
func (a *Answer) Event(e follow.Event) error {
	a.fit()
	if e.AgentID != "" && e.Row.Kind != timeline.Tool && e.Row.Kind != timeline.Agent && e.Type != "session.mcp_server_status_changed" {
		return nil // a sub-agent's text is for the model
	}
	switch e.Type {
	case "assistant.message", "session.task_complete": // the message is complete
		err := a.Finish()
		if len(e.Row.Sources) > 0 && err == nil {
			a.rows.print(a.rows.sources(e.Row.Sources))
		}
		return err
	case "model.call_failure":
		a.failure = e.Row
		return nil
	case "session.error", "session.idle":
		a.failure = timeline.Row{} // it is the reason why the run has failed, which is printed at its end
	case "assistant.turn_start":
		if err := a.row(a.failure); err != nil { // the run continues all the same
			return err
		}
		a.failure = timeline.Row{}
	case "session.warning":
		if e.Get("warningType").Text() == follow.BudgetExhausted {
			return nil // it is printed as the reason why the run has failed
		}
	}
	return a.row(e.Row)
}

// row prints a row beside the answer.
func (a *Answer) row(row timeline.Row) error {
	if row.Kind == timeline.Output && !a.open {
		a.rows.progress(row.Body)
		return nil
	}
	text := a.rows.text(row)
	if text == "" {
		return nil
	}
	if a.flow != nil { // both streams may be the same screen
		if err := a.Finish(); err != nil {
			return err
		}
		a.any = true
	}
	a.rows.print(text)
	return nil
}

// Note implements [Printer].
func (a *Answer) Note(text string) error {
	a.fit()
	if a.flow != nil { // both streams may be the same screen
		if err := a.Finish(); err != nil {
			return err
		}
	}
	a.rows.print(a.rows.line("", text, nil))
	return nil
}

func (a *Answer) write(text string) error {
	a.rows.clear()
	if a.flow != nil {
		return a.flow.WriteString(text)
	}
	_, err := io.WriteString(a.out, text)
	return err
}

// Finish implements [Printer].
func (a *Answer) Finish() error {
	a.rows.clear()
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
