package app

import (
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// printer shows the events of a run.
type printer interface {
	// event shows one; line is its JSON.
	event(e wire.Event, d details, line []byte) error
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

func (p *jsonLines) finish() error { return nil }

// answer prints what the model says to out as it comes, and to notes what else a
// person wants to know.
type answer struct {
	out, notes io.Writer
	look       paint
	show       func(string) string

	message string // id of the one that streams
	shown   int    // bytes of it that are out
	open    bool   // the last byte that went out was no line feed
	any     bool   // something went out
}

func (a *answer) event(e wire.Event, d details, _ []byte) error {
	switch e.Type {
	case "assistant.message_delta":
		return a.say(d.MessageID, d.DeltaContent)
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
		a.message, a.shown = message, 0
	}
	a.shown += len(text)
	a.open, a.any = text[len(text)-1] != '\n', true
	_, err := io.WriteString(a.out, before+a.show(text))
	return err
}

// complete prints what of a message has not streamed, which is all of it if the
// provider does not stream.
func (a *answer) complete(d details) error {
	shown := 0
	if d.MessageID == a.message {
		shown = a.shown
	}
	if len(d.Content) > shown {
		if err := a.say(d.MessageID, d.Content[shown:]); err != nil {
			return err
		}
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
