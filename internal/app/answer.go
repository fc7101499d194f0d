package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// printer shows the events of a run.
type printer interface {
	// event shows one; line is its JSON.
	event(e wire.Event, d details, line []byte) error
	// missed says that ephemeral events before the next one are gone, because
	// the output was not read for long.
	missed()
	// finish leaves the output at the beginning of a line.
	finish() error
}

func (r *runner) printer() printer {
	if r.json {
		return &jsonLines{out: r.sys.Stdout}
	}
	show := func(s string) string { return s }
	if isTerminal(r.sys.Stdout) {
		show = harmless // in a pipe it is data, and must stay what it is
	}
	return &answer{out: r.sys.Stdout, notes: r.sys.Stderr, look: paintFor(r.sys.Stderr, r.sys.Getenv), show: show}
}

// jsonLines prints each event as it is on the wire.
type jsonLines struct {
	out  io.Writer
	line []byte // reused
}

func (p *jsonLines) event(_ wire.Event, _ details, line []byte) error {
	p.line = append(append(p.line[:0], line...), '\n')
	_, err := p.out.Write(p.line)
	return err
}

func (p *jsonLines) missed() {} // nobody was promised the ephemeral ones

func (p *jsonLines) finish() error { return nil }

// answer prints what the model says to out as it comes, and to notes what else a
// person wants to know.
type answer struct {
	out, notes io.Writer
	look       paint
	show       func(string) string

	message string // id of the one that streams
	shown   []byte // of it, from its beginning
	gap     bool   // what streams now does not begin where shown ends
	open    bool   // the last byte that went out was no line feed
	any     bool   // something went out
}

func (a *answer) event(e wire.Event, d details, _ []byte) error {
	switch e.Type {
	case "assistant.message_start":
		a.gap = false
	case "assistant.message_delta":
		if !a.gap {
			return a.say(d.MessageID, d.DeltaContent)
		}
	case "assistant.message":
		return a.complete(d)
	case "tool.execution_start":
		a.note(a.look.dim("tool: "), called(d))
	case "tool.execution_complete":
		if !d.Success {
			a.note(a.look.yellow("tool failed: "), d.Error.Message)
		}
	case "session.warning":
		a.note(a.look.yellow("warning: "), d.Message)
	case "session.info":
		a.note(a.look.dim("info: "), d.Message)
	}
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
	_, err := io.WriteString(a.out, before+a.show(text))
	return err
}

// missed has the text wait for the whole message, which is never missed.
func (a *answer) missed() { a.gap = true }

// complete prints what of a message has not streamed, which is all of it if the
// provider does not stream.
func (a *answer) complete(d details) error {
	rest := d.Content
	if d.MessageID == a.message {
		var goesOn bool
		if rest, goesOn = strings.CutPrefix(d.Content, string(a.shown)); !goesOn {
			rest = "" // it streamed otherwise than it ended; that is out, and cannot be taken back
		}
	}
	if err := a.say(d.MessageID, rest); err != nil {
		return err
	}
	return a.finish()
}

func (a *answer) finish() error {
	if !a.open {
		return nil
	}
	a.open = false
	_, err := io.WriteString(a.out, "\n")
	return err
}

// note tells stderr; who closed that does not want to know.
func (a *answer) note(label, text string) {
	fmt.Fprintln(a.notes, label+oneLine(text, columns-len("tool failed: ")))
}
