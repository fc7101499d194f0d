package app

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// printer shows the events of a run.
type printer interface {
	// begin says that what follows answers something new.
	begin()
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

func (p *jsonLines) begin() {}

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
	fit   func() // takes over the terminal's present width, which a resize changes; may be nil

	message string // id of the one that streams
	shown   []byte // of it, from its beginning
	gap     bool   // what streams now does not begin where shown ends
	open    bool   // the last byte that went out was no line feed
	any     bool   // something of this answer went out
}

// newAnswer prints to the streams of a process. In a pipe the answer is data, and
// stays what it is.
func newAnswer(sys System) *answer {
	a := &answer{out: sys.Stdout, notes: newNotes(sys)}
	if terminal.Is(sys.Stdout) {
		a.flow = &terminal.Flow{Out: sys.Stdout}
	}
	a.fit = func() {
		if a.flow != nil {
			a.flow.Width = width(sys.Stdout)
		}
		a.notes.fit(sys.Stderr)
	}
	return a
}

func (a *answer) begin() { a.any = false }

func (a *answer) event(e wire.Event, row timeline.Row, _ []byte) error {
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
			a.notes.print(a.notes.sources(row.Sources))
		}
		return nil
	case "session.warning":
		if data.Get("warningType").Text() == budgetExhausted {
			return nil // it is how the run fails, and said as that
		}
	case "session.task_complete":
		return a.complete(e.ID, data.Get("summary").Text()) // the model's last word
	}
	if row.Kind == timeline.Output && !a.open {
		a.notes.progress(row.Body)
		return nil
	}
	text := a.notes.text(row)
	if text == "" {
		return nil
	}
	if a.flow != nil { // both may be the same screen
		if err := a.finish(); err != nil {
			return err
		}
		a.any = true
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
	a.notes.clear()
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
	a.notes.clear()
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
