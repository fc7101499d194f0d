package show

import (
	"io"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Printer prints the events of a session's runs.
type Printer interface {
	// Begin is called before each run.
	Begin()
	// Event prints one event; row is its text for people, line its JSON.
	Event(e wire.Event, row timeline.Row, line []byte) error
	// Missed is called before an event that ephemeral events are missing before,
	// because the output was read too slowly.
	Missed()
	// Finish leaves the output at the beginning of a line.
	Finish() error
}

// JSON prints each event as it is on the wire, one a line.
type JSON struct {
	Out  io.Writer
	line []byte // reused
}

func (p *JSON) Begin() {}

func (p *JSON) Event(_ wire.Event, _ timeline.Row, line []byte) error {
	p.line = append(append(p.line[:0], line...), '\n')
	_, err := p.Out.Write(p.line)
	return err
}

func (p *JSON) Missed() {} // nobody was promised the ephemeral ones

func (p *JSON) Finish() error { return nil }
