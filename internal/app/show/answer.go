package show

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// BudgetExhausted is the type of the warning that a run has ended because its budget was
// used up.
const BudgetExhausted = "budget_exhausted"

// Answer prints what the model says to out as it comes, and to notes what else a
// person wants to know.
type Answer struct {
	out  io.Writer
	flow *terminal.Flow // in place of out if that is a terminal
	rows *rows
	fit  func() // takes over the terminal's present width, which a resize changes; may be nil

	message string // id of the one that streams
	shown   []byte // of it, from its beginning
	gap     bool   // what streams now does not begin where shown ends
	open    bool   // the last byte that went out was no line feed
	any     bool   // something of this answer went out
}

// NewAnswer prints to the streams of a process. In a pipe the answer is data, and
// stays what it is.
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

func (a *Answer) Begin() { a.any = false }

func (a *Answer) Event(e wire.Event, row timeline.Row, _ []byte) error {
	if a.fit != nil {
		a.fit()
	}
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
		if err := a.complete(data.Get("messageId").Text(), data.Get("content").Text()); err != nil {
			return err
		}
		if len(row.Sources) > 0 {
			a.rows.print(a.rows.sources(row.Sources))
		}
		return nil
	case "session.warning":
		if data.Get("warningType").Text() == BudgetExhausted {
			return nil // it is how the run fails, and said as that
		}
	case "session.task_complete":
		return a.complete(e.ID, data.Get("summary").Text()) // the model's last word
	}
	if row.Kind == timeline.Output && !a.open {
		a.rows.progress(row.Body)
		return nil
	}
	text := a.rows.text(row)
	if text == "" {
		return nil
	}
	if a.flow != nil { // both may be the same screen
		if err := a.Finish(); err != nil {
			return err
		}
		a.any = true
	}
	a.rows.print(text)
	return nil
}

// say prints a piece of a message, a blank line before all but the first.
func (a *Answer) say(message, text string) error {
	if text == "" {
		return nil
	}
	before := ""
	if message != a.message {
		if err := a.Finish(); err != nil {
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

func (a *Answer) write(text string) error {
	a.rows.clear()
	if a.flow != nil {
		return a.flow.WriteString(text)
	}
	_, err := io.WriteString(a.out, text)
	return err
}

// missed has the text wait for the whole message, which is never missed.
func (a *Answer) Missed() { a.gap = true }

// complete prints what of a message has not streamed, which is all of it if the
// provider does not stream.
func (a *Answer) complete(message, content string) error {
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
	return a.Finish()
}

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
