package cell

import (
	"fmt"
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
	if c.result.Failed {
		mark, style = markFailed, row.Failure
	}
	short, body := c.short()
	details := c.details()
	if c.result.Failed {
		short, details = "", append([]string{short}, details...)
	}
	rows := []row.Row{c.head(row.Of(mark, style), short, details, width)}
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

// head is the row that names the call: its mark, its number, its title, its result in short, and
// the details. The result is cut first, and then the title.
func (c *call) head(mark row.Row, short string, details []string, width int) row.Row {
	r := mark.And(fmt.Sprintf(" [%d] ", c.number), row.Dim)
	return headed(r, c.title, short, details, width)
}

// headed is a row with a title, a text that may be cut, and details. Details that have no room
// beside the title, or beside half of the width for it, are left out, the last ones first.
func headed(r row.Row, title, short string, details []string, width int) row.Row {
	room := width - 1 - r.Width()
	least := min(row.Width(title), width/2)
	rest := ""
	for _, d := range details {
		if d == "" {
			continue
		}
		if least+row.Width(rest+" · "+d) > room {
			break
		}
		rest += " · " + d
	}
	title = row.Text(title).Cut(room - row.Width(rest)).String()
	room -= row.Width(title) + row.Width(rest)
	if room > leastShort && short != "" {
		rest = row.Text(" · "+short).Cut(room).String() + rest
	}
	return r.And(title, row.Plain).And(rest, row.Dim).Cut(width - 1)
}

// leastShort is the fewest columns that a result in short is worth.
const leastShort = 12

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
		return c.take(s.width)
	}
	details, mark := s.since(c.began), row.Accent
	if c.waits {
		details, mark = append([]string{"waits for you"}, details...), row.Warning
	}
	if c.agent != nil {
		details = append(details, c.agent.spent()...)
	}
	rows := []row.Row{c.head(row.Of(markRuns, mark), "", details, s.width)}
	if c.agent != nil {
		return append(rows, c.agent.nested(1, s)...)
	}
	return append(rows, c.output.tail(s.tail, s.width)...)
}
