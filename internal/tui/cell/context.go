package cell

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// usage is what the session has used since it was opened here.
type usage struct {
	tokens  int64
	cost    float64
	context Context
}

// learn takes over what an event says.
func (u *usage) learn(e follow.Event) {
	switch e.Type {
	case "assistant.usage":
		in, out := timeline.Tokens(e.Event)
		u.tokens += in + out
		if cost, ok := timeline.Cost(e.Event); ok {
			u.cost += cost
		}
	case "session.usage_info":
		if e.AgentID == "" {
			u.context = readContext(e)
		}
	}
}

// percent is how much of the context window is full, -1 if it is not known.
func (u *usage) percent() int { return u.context.percent() }

// Context is what fills the context window of the model, in tokens.
type Context struct {
	Limit int64 // of the window; 0 if it is not known
	Used  int64 // as the provider counts, or an estimate
	Parts []ContextPart
}

// ContextPart is one part of the context. The parts are estimates, which need not add up to what
// the provider counts.
type ContextPart struct {
	Name   string
	Tokens int64
}

// Context returns what fills the context window, by the last model call.
func (c *Conversation) Context() Context { return c.usage.context }

// readContext reads a session.usage_info event.
func readContext(e follow.Event) Context {
	f := timeline.ReadFilling(e.Event)
	return Context{Limit: f.Limit, Used: f.Used, Parts: []ContextPart{
		{"system message and instructions", f.System},
		{"definitions of tools", f.Tools},
		{"messages and results of tools", f.Conversation},
	}}
}

func (c Context) percent() int {
	if c.Limit <= 0 {
		return -1
	}
	return int(min(max(c.Used, 0)*100/c.Limit, 999))
}

// barWidth is the most columns that a bar of the page takes.
const barWidth = 40

// Rows is the page of /context.
func (c Context) Rows(width int) []row.Row {
	if c.Limit <= 0 && c.Used <= 0 {
		return []row.Row{row.Of("How full the context window is will be known after the next model call.", row.Dim).Cut(width - 1)}
	}
	head := fmt.Sprintf("%s tokens", timeline.Count(c.Used))
	if c.Limit > 0 {
		head = fmt.Sprintf("%d%% full: %s of %s tokens", c.percent(), timeline.Count(c.Used), timeline.Count(c.Limit))
	}
	rows := []row.Row{row.Of("Context window", row.Heading), row.Text(head).Cut(width - 1), nil}
	parts := c.Parts
	if free := c.Limit - c.Used; free > 0 {
		parts = append(parts[:len(parts):len(parts)], ContextPart{"free", free})
	}
	names, numbers := 0, 0
	for _, p := range parts {
		names, numbers = max(names, row.Width(p.Name)), max(numbers, len(timeline.Count(p.Tokens)))
	}
	names = min(names, width-1-numbers-2)
	bar := min(barWidth, width-1-names-numbers-4)
	for _, p := range parts {
		r := row.Text(timeline.OneLine(p.Name, 60)).Cut(names).Pad(names).And(fmt.Sprintf("  %*s", numbers, timeline.Count(p.Tokens)), row.Plain)
		if n := filled(p.Tokens, max(c.Limit, c.Used), bar); n > 0 {
			style := row.Accent
			if p.Name == "free" {
				style = row.Dim
			}
			r = r.And("  "+strings.Repeat("█", n), style)
		}
		rows = append(rows, r.Cut(width-1))
	}
	remark := &note{text: "The parts are estimates; the sum is what the provider counts.", style: row.Dim}
	return append(append(rows, nil), remark.take(width)...)
}

// filled is how many of the columns of a bar stand for n of all.
func filled(n, all int64, columns int) int {
	if all <= 0 || n <= 0 || columns < 4 {
		return 0
	}
	return max(int(float64(n)/float64(all)*float64(columns)), 1)
}
