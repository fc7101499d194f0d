package tui

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// ownCommands are the shell commands of the user that run. The loop owns them.
type ownCommands struct {
	last  int                        // the number of the last one
	stops map[int]context.CancelFunc // of those that run and were not stopped yet, by number
}

// begin returns the context of a new command, and what to call on the loop when it has ended.
func (c *ownCommands) begin(ctx context.Context) (of context.Context, ended func()) {
	ctx, stop := context.WithCancel(ctx)
	c.last++
	n := c.last
	if c.stops == nil {
		c.stops = map[int]context.CancelFunc{}
	}
	c.stops[n] = stop
	return ctx, func() {
		stop()
		delete(c.stops, n)
	}
}

// stop kills the commands. It reports whether any of them was not stopped before.
func (c *ownCommands) stop() bool {
	stopped := len(c.stops) > 0
	for _, stop := range c.stops {
		stop()
	}
	clear(c.stops)
	return stopped
}

// shell runs a command of the user.
func (p *program) shell(d composer.Draft) {
	s := p.joined.Session
	ctx, ended := p.own.begin(p.gone)
	p.beside(func(context.Context) func() { // it may run for minutes
		err := fault.Guard("tui.shell", func() error { return s.Shell(ctx, d.Text) })
		return func() {
			ended()
			p.fail(err)
		}
	})
}
