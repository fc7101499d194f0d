package cell

import (
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// call is a tool call.
type call struct {
	number  int
	tool    string
	title   string // what it does, in one line
	command string // all of it, if the title shows less
	began   time.Time
	ended   time.Time     // zero while it runs
	output  output        // what it has printed so far
	result  *timeline.Row // nil while it runs
	decided decision      // by the user, if they were asked
	typed   bool          // by the user, and not called by the model
	apart   bool          // its sub-agent works in the background
	waits   bool          // for the user
	agent   *agent        // that works for it; nil if none does
	spent   []string      // by that agent, once the call has ended
	whole   bool
	all     string    // how to read what is folded
	rows    []row.Row // of the finished call, at the width at
	at      int
}

// The marks of calls.
const (
	markRuns    = "●"
	markDone    = "✓"
	markFailed  = "✗"
	markStopped = "■"
)

func (c *call) done() bool  { return c.result != nil }
func (c *call) tight() bool { return !c.whole }

func (c *call) take(width int) []row.Row {
	if c.result == nil {
		return nil
	}
	mark, style := markDone, row.Success
	switch {
	case c.result.Failed && c.result.Title == timeline.Interrupted:
		mark, style = markStopped, row.Warning
	case c.result.Failed:
		mark, style = markFailed, row.Failure
	}
	short, body := c.short()
	h := heading{mark: row.Of(mark, style), number: c.number, title: c.title, short: short, details: c.details()}
	var rows []row.Row
	if c.result.Failed {
		h.lead, h.short = row.Of(short, style), ""
		if !h.fits(width) {
			h.lead = nil
			rows = message([]string{short}, width, c.whole, c.all)
		}
	}
	rows = append([]row.Row{h.row(width)}, rows...)
	if c.whole {
		rows = append(rows, c.text()...)
		if c.agent != nil {
			rows = append(rows, c.agent.log...)
		}
	}
	return append(rows, c.below(body, width)...)
}

// details are how long the call took, who has allowed it, and what its sub-agent took.
func (c *call) details() (parts []string) {
	if took := c.ended.Sub(c.began); took >= 100*time.Millisecond && !c.began.IsZero() {
		parts = append(parts, elapsed(took))
	}
	if !c.decided.denied && c.decided.text != "" {
		parts = append(parts, c.decided.text)
	}
	if c.result.Sandboxed && !c.result.Stopped {
		parts = append(parts, "sandboxed")
	}
	return append(parts, c.spent...)
}

// text is the whole command, for the pager.
func (c *call) text() (rows []row.Row) {
	if c.command == "" {
		return nil
	}
	for _, l := range strings.Split(c.command, "\n") {
		rows = append(rows, row.Of(row.Expand(l), row.Code))
	}
	return rows
}

// live is the call while it runs, or while it waits to become final.
func (c *call) live(s scene) []row.Row {
	if c.result != nil {
		return c.cached(s.width)
	}
	h := heading{mark: row.Of(markRuns, row.Accent), number: c.number, title: c.title, details: s.since(c.began)}
	if c.waits {
		h.mark, h.lead = row.Of(markRuns, row.Warning), row.Of(waitsForUser, row.Warning)
	}
	if c.agent != nil {
		h.details = append(h.details, c.agent.spent()...)
	}
	rows := []row.Row{h.row(s.width)}
	if c.agent != nil {
		return append(rows, c.agent.nested(1, s)...)
	}
	return append(rows, c.output.tail(s.tail, s.width)...)
}

// cached is the rows of a finished call, which are the same in each frame while it waits.
func (c *call) cached(width int) []row.Row {
	if c.whole {
		return c.take(width)
	}
	if c.rows == nil || c.at != width {
		c.rows, c.at = c.take(width), width
	}
	return c.rows
}
