package tui

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// meanwhile is the events of the session since a command has begun, for the page that the command
// opens: what the command has read may lack them.
type meanwhile struct {
	typed  string // the command, until it is shown; "" for one that the user has not typed
	events []wire.Event
	missed bool // there were more than maxMeanwhile
}

// maxMeanwhile bounds the events that are kept for one command.
const maxMeanwhile = 4096

// listen keeps the events from now on, until the caller calls ignore. typed is the command.
func (p *program) listen(typed string) *meanwhile {
	m := &meanwhile{typed: typed}
	p.listening = append(p.listening, m)
	return m
}

// ignore ends listen.
func (p *program) ignore(m *meanwhile) {
	p.listening = slices.DeleteFunc(p.listening, func(o *meanwhile) bool { return o == m })
}

// echo shows what the user has typed, above what comes of it. Later calls do nothing.
func (p *program) echo(m *meanwhile) {
	if m != nil && m.typed != "" {
		p.talk.Typed(m.typed)
		m.typed = ""
	}
}

// echoes shows the commands at work above an event of the log, which may be what comes of them.
func (p *program) echoes(e wire.Event) {
	for _, m := range p.listening {
		if !e.Ephemeral {
			p.echo(m)
		}
	}
}

// heard keeps an event for the commands at work.
func (p *program) heard(e wire.Event) {
	for _, m := range p.listening {
		if m.missed = m.missed || len(m.events) == maxMeanwhile; !m.missed && !e.Ephemeral {
			m.events = append(m.events, e)
		}
	}
}
