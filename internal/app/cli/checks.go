package cli

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Grade is the result of a check.
type Grade uint8

// The grades. The zero value is Bad, so that a check that sets none fails.
const (
	Bad  Grade = iota // a run would fail, or would not use what is stored
	Fair              // a run may work
	Good
)

// Check is one row of a report of checks.
type Check struct {
	About string // the subject, such as "home"; "" is that of the check before
	Grade Grade
	Is    string // the result
	// Lines are further lines of the result, which are not broken; see [Print].
	Lines []string
	Next  string // what to do about it; "" is nothing
}

// Report prints checks, and below each what to do about it.
func Report(checks []Check, look terminal.Paint) string {
	var b strings.Builder
	b.WriteString(look.Bold("Checks") + "\n")
	for _, c := range checks {
		mark := map[Grade]string{Good: look.Green("ok  "), Fair: look.Yellow("note"), Bad: look.Red("FAIL")}[c.Grade]
		row := Indented(strings.Repeat(" ", 8)+timeline.Pad(c.About, 10), c.Is)
		b.WriteString("  " + mark + "  " + row[8:])
		for _, line := range c.Lines {
			b.WriteString(strings.Repeat(" ", 18) + line + "\n")
		}
		if c.Next != "" {
			b.WriteString(Indented(strings.Repeat(" ", 18)+"→ ", c.Next))
		}
	}
	return b.String()
}
