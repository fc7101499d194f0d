package show

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Answer prints the text of the model to stdout as it streams, and tool calls, results
// and warnings to stderr.
type Answer struct {
	out  io.Writer
	flow *terminal.Flow // used instead of out if that is a terminal
	rows *rows
	fit  func() // adopts the present width of the terminal, which a resize changes

	// late keeps everything from stdout until [Answer.End]; kept is what is there so far.
	late bool
	kept strings.Builder

	// last keeps messages that call tools from stdout, because a program reads it: held is the
	// present message so far.
	last bool
	held string

	waiting timeline.Waiting // what the model call waits for; zero: for nothing

	failure timeline.Row // of a model call; printed unless it has ended the run
	open    bool         // the last byte written was no line feed
	any     bool         // something of this run was written
}

// NewAnswer prints to stdout and stderr. On a terminal the lines of the text are broken between words, and
// each row has a margin, see [terminal.Flow]. To a pipe or a file, which may end at a terminal, the text
// goes as it is, but for the characters that [timeline.Harmless] replaces; --json has these, too.
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

// NewOneAnswer is [NewAnswer] for a command that answers once. If stdout is not a terminal, only the
// answer goes there: not what the model says beside its tool calls. verbose prints tool calls and
// their results also to a stderr that is not a terminal. Call End at the end.
func NewOneAnswer(sys cli.System, verbose bool) *Answer {
	a := NewAnswer(sys)
	a.last = a.flow == nil
	a.rows.quiet = !verbose && !terminal.Is(sys.Stderr)
	return a
}

// Asked says that the user is asked at a terminal while the answer is printed. size is the columns and rows of
// that terminal. stdout may end there too, by way of a pipe, and its text could imitate a question: that of
// [NewOneAnswer] stays data, and goes out at the end, when no question can follow; other text has the margin
// that it has at a terminal. If stdout is a terminal, nothing changes.
func (a *Answer) Asked(size func() (columns, rows int)) {
	if a.flow != nil {
		return
	}
	if a.last {
		a.late = true
		return
	}
	a.flow = &terminal.Flow{Out: a.out}
	fit := a.fit
	a.fit = func() {
		fit()
		a.flow.Width, _ = size()
	}
}

// Still keeps the last line of a tool's output, which is drawn and erased again, off the screen.
func (a *Answer) Still() { a.rows.live = false }

// End prints what was held back: a message that broke off, and after [Answer.Asked] the whole answer.
func (a *Answer) End() error {
	err := a.endMessage()
	if a.kept.Len() == 0 {
		return err
	}
	text := a.kept.String()
	a.kept.Reset()
	a.rows.clear()
	_, failed := io.WriteString(a.out, text)
	return errors.Join(err, failed)
}

// endMessage prints what was held back of a message.
func (a *Answer) endMessage() error {
	if a.held == "" {
		return nil
	}
	text := a.held
	a.held = ""
	a.rows.clear()
	if a.any {
		text = "\n" + text
	}
	a.any = true
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	return a.write(text)
}

// maxKept bounds an answer that is kept until the end, in bytes.
const maxKept = 64 << 20

// keep keeps text for the end.
func (a *Answer) keep(text string) error {
	if a.kept.Len()+len(text) > maxKept {
		return fmt.Errorf("the answer has more than %d MB, and is kept until the run is over, because questions are asked at the terminal; run it without --ask", maxKept>>20)
	}
	a.kept.WriteString(text)
	return nil
}

// maxHeld bounds what is held back of a message, in bytes. A message that calls tools is short; a
// longer one is the answer, and is passed on as it comes.
const maxHeld = 64 << 10

// hold takes a piece of a message that a program reads.
func (a *Answer) hold(piece string, begins bool) error {
	if begins {
		a.release() // its end is missing
	}
	a.held += piece
	if len(a.held) < maxHeld {
		return nil
	}
	text := a.held
	a.held = ""
	a.open, a.any = text[len(text)-1] != '\n', true
	return a.write(text)
}

// release drops a message that is not the answer, because it calls tools: it is progress.
func (a *Answer) release() {
	if a.held != "" && !a.rows.quiet {
		a.rows.print(a.rows.line("", timeline.OneLine(a.held, a.rows.width), nil))
	}
	a.held = ""
}

// CallsTools reports whether a message of the model is not its answer, because it calls tools.
func CallsTools(e follow.Event) bool {
	for range e.Get("toolRequests").Elements() {
		return true
	}
	return false
}

// withoutCopies is what is kept of a message that has streamed, once the message is there: of one that repeated itself
// only the text up to its first copy is.
func withoutCopies(e follow.Event, streamed string) string {
	if kept := e.Get("content").Text(); e.Get(wire.FieldFinish).Text() == wire.FinishRepetition && strings.HasPrefix(streamed, kept) {
		return kept
	}
	return streamed
}

// Begin implements [Printer].
func (a *Answer) Begin() { a.any = false }

// Live reports whether a row that changes with the time can be drawn. [Answer.Tick] draws it.
func (a *Answer) Live() bool { return a.rows.live && !a.rows.quiet }

// Tick draws for how long the model call has been waiting for its answer, and for what. It is called about
// every second.
func (a *Answer) Tick(now time.Time) {
	if text := a.waiting.Text(now); text != "" && !a.open {
		a.fit()
		a.rows.progress(text)
	}
}

// waits takes over what an event says about the wait for an answer, and reports whether that is all that it says.
func (a *Answer) waits(e follow.Event) bool {
	now := time.Now()
	if w, ok := timeline.ReadWaiting(e.Event, now); ok {
		a.waiting = w
		a.Tick(now)
		return true
	}
	if !a.waiting.Told.IsZero() && timeline.EndsWaiting(e.Type) {
		a.waiting = timeline.Waiting{}
		a.rows.clear()
	}
	return false
}

// Text implements [Printer]. A blank line separates messages.
func (a *Answer) Text(piece string, begins bool) error {
	a.fit()
	a.waiting = timeline.Waiting{}
	if a.last {
		return a.hold(piece, begins)
	}
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
	if a.waits(e) {
		return nil
	}
	switch e.Type {
	case "assistant.message", "session.task_complete": // the message is complete
		a.held = withoutCopies(e, a.held)
		if CallsTools(e) {
			a.release()
		}
		err := errors.Join(a.endMessage(), a.Finish())
		if len(e.Row.Sources) > 0 && err == nil {
			a.rows.print(a.rows.sources(e.Row.Sources))
		}
		return err
	case "assistant.turn_retry":
		a.held = "" // the text was dropped
		if err := a.Finish(); err != nil {
			return err
		}
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
		if e.Get("warningType").Text() == fallback {
			a.failure = timeline.Row{} // the warning has the reason
		}
		if e.Get("warningType").Text() == wire.WarningBudget {
			return nil // it is printed as the reason why the run has failed
		}
	}
	return a.row(e.Row)
}

// fallback is the type of the warning that another model takes over.
const fallback = "model_fallback"

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
	a.rows.print(a.rows.line("", timeline.Harmless(text), nil))
	return nil
}

// Progress implements [Printer].
func (a *Answer) Progress(text string) error {
	if a.rows.quiet {
		return nil
	}
	return a.Note(text)
}

func (a *Answer) write(text string) error {
	a.rows.clear()
	if a.flow != nil {
		return a.flow.WriteString(text)
	}
	if a.late {
		return a.keep(timeline.Harmless(text))
	}
	_, err := io.WriteString(a.out, timeline.Harmless(text))
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
