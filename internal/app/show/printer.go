package show

import (
	"io"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
)

// Printer prints the runs of a session. [Answer], [JSON] and [Script] are printers.
type Printer interface {
	// Begin is called before each run.
	Begin()
	// Text prints a piece of the answer; begins says that a message begins with it.
	Text(piece string, begins bool) error
	// Event prints an event, but not the text in it, which Text has printed.
	Event(e follow.Event) error
	// Note prints what no event holds, in one line beside the answer.
	Note(text string) error
	// Progress is Note for what only a user who waits wants to know.
	Progress(text string) error
	// Finish leaves the output at the beginning of a line.
	Finish() error
}

// JSON prints each event with its value on the wire, one a line, as [cli.PrintableJSON]. Ephemeral events may be
// missing if the output is read slowly.
type JSON struct {
	Out  io.Writer
	line []byte // reused
}

// Begin implements [Printer].
func (p *JSON) Begin() {}

// Text implements [Printer]: the events hold the text.
func (p *JSON) Text(string, bool) error { return nil }

// Event implements [Printer].
func (p *JSON) Event(e follow.Event) error {
	p.line = append(append(p.line[:0], cli.PrintableJSON(e.Line)...), '\n')
	_, err := p.Out.Write(p.line)
	return err
}

// Note implements [Printer]: only events are printed.
func (p *JSON) Note(string) error { return nil }

// Progress implements [Printer].
func (p *JSON) Progress(string) error { return nil }

// Finish implements [Printer].
func (p *JSON) Finish() error { return nil }
