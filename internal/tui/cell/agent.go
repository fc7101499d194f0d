package cell

import (
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// agent is a sub-agent that works.
type agent struct {
	name   string // as the user reads it
	about  string // its task
	parent string // the id of the agent that started it, "" for the main agent
	call   *call  // that waits for it; nil if it works in the background
	began  time.Time
	ended  bool
	calls  int
	tokens int64
	doing  string // its last call
	waits  bool   // for the user
	order  int
	depth  int
	under  []*agent
	log    []row.Row // of its calls, for the pager
}

// spent is what the sub-agent has taken so far.
func (a *agent) spent() (parts []string) {
	if a.calls > 0 {
		parts = append(parts, plural(a.calls, "call"))
	}
	if a.tokens > 0 {
		parts = append(parts, counted(a.tokens)+" tokens")
	}
	return parts
}

// nested is what the agent does now, and the agents below it.
func (a *agent) nested(depth int, s scene) (rows []row.Row) {
	for _, b := range a.under {
		if !b.ended {
			rows = append(rows, b.rows(depth, s)...)
		}
	}
	if len(rows) == 0 && a.doing != "" {
		in := strings.Repeat("  ", min(depth, maxDepth)+1)
		rows = append(rows, row.Of(in+"└ "+a.doing, row.Dim).Cut(s.width-1))
	}
	return rows
}

// maxDepth bounds how far the rows of nested sub-agents are indented.
const maxDepth = 4

// rows is an agent that no row of a call stands for.
func (a *agent) rows(depth int, s scene) []row.Row {
	details := append(s.since(a.began), a.spent()...)
	if a.waits {
		details = append([]string{"waits for you"}, details...)
	}
	r := row.Text(strings.Repeat("  ", min(depth, maxDepth))).And(markRuns, row.Accent).And(" ", row.Plain)
	return append([]row.Row{headed(r, a.name+after(": ", a.about), "", details, s.width)}, a.nested(depth+1, s)...)
}
