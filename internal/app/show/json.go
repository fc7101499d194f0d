package show

import (
	"io"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
)

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
