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
	allowed string        // who has allowed it, "" if nobody was asked
	waits   bool          // for the user
	agent   *agent        // that works for it; nil if none does
	quiet   bool          // its result is shown elsewhere
	whole   bool
}

// The marks of calls.
const (
	markRuns   = "●"
	markDone   = "✓"
	markFailed = "✗"
)

func (c *call) done() bool  { return c.result != nil }
func (c *call) tight() bool { return true }

func (c *call) take(width int) []row.Row {
	if c.result == nil {
		return nil
	}
	mark, style := markDone, row.Success
	if c.result.Failed {
		mark, style = markFailed, row.Failure
	}
	var details []string
	if c.result.Sandboxed && !c.result.Stopped {
		details = append(details, "sandboxed")
	}
	if c.agent != nil {
		details = append(details, c.agent.spent()...)
	}
	if c.allowed != "" {
		details = append(details, c.allowed)
	}
	if took := c.ended.Sub(c.began); took >= 100*time.Millisecond && !c.began.IsZero() {
		details = append(details, elapsed(took))
	}
	short, body := c.short()
	if short != "" {
		details = append([]string{short}, details...)
	}
	rows := []row.Row{c.head(mark, style, details, width)}
	if c.whole {
		rows = append(rows, c.text()...)
	}
	return append(rows, c.below(body, width)...)
}

// head is the row that names the call: its mark, its number, its title and the details.
func (c *call) head(mark string, style row.Style, details []string, width int) row.Row {
	r := row.Of(mark, style).And(fmt.Sprintf(" [%d] ", c.number), row.Dim)
	rest := ""
	if len(details) > 0 {
		rest = " · " + strings.Join(details, " · ")
	}
	room := max(width-1-r.Width()-row.Width(rest), min(row.Width(c.title), width/2))
	return r.Join(row.Text(c.title).Cut(room)).And(rest, row.Dim).Cut(width - 1)
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
		return c.take(s.width)
	}
	details := []string{}
	if c.agent != nil {
		details = append(details, c.agent.spent()...)
	}
	if took := s.now.Sub(c.began); took >= time.Second && !c.began.IsZero() {
		details = append(details, elapsed(took))
	}
	mark := row.Accent
	if c.waits {
		mark, details = row.Warning, append(details, "waits for you")
	}
	rows := []row.Row{c.head(markRuns, mark, details, s.width)}
	if c.agent != nil {
		return append(rows, c.agent.nested(1, s)...)
	}
	return append(rows, c.output.tail(s.tail, s.width)...)
}
