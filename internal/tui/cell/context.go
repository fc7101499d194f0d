package cell

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// usage is what the session has used. The tokens are also those of earlier processes, if they could
// record them when they ended; the cost is since the session was opened here, because other runtimes
// record other units.
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

// earlier adds what an earlier process has used, by the end of that process in the log.
func (u *usage) earlier(e wire.Event) {
	if e.Type != "session.shutdown" {
		return
	}
	var d wire.SessionShutdown
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	for _, m := range d.ModelMetrics {
		u.tokens += m.Usage.InputTokens + m.Usage.OutputTokens
	}
}

// percent is how much of the context window is full, -1 if it is not known.
func (u *usage) percent() int { return u.context.percent() }

// Context is what fills the context window of the model, in tokens.
type Context struct {
	Limit  int64         // of the window; 0 if it is not known
	Source string        // of Limit, in words; "" if it is not known
	Used   int64         // as the provider counts, or an estimate
	Parts  []ContextPart // those without tokens are not shown

	estimated bool // Used is the sum of the parts
}

// ContextPart is one part of the context. The parts are estimates, which need not add up to what
// the provider counts.
type ContextPart struct {
	Name   string
	Tokens int64
}

// Context returns what fills the context window, by the last model call.
func (c *Conversation) Context() Context { return c.usage.context }

// Fill takes over what fills the context window, unless a model call has said so already.
func (c *Conversation) Fill(full Context) {
	if c.usage.context.Limit == 0 {
		c.usage.context = full
	}
}

// With returns the context with parts that the session has measured, and the limit of its model.
// Before the first model call, the parts are all that is known.
func (c Context) With(limit int64, parts ...ContextPart) Context {
	c.Limit, c.Parts = limit, parts
	if c.Used == 0 || c.estimated {
		c.Used, c.estimated = 0, true
		for _, p := range parts {
			c.Used += p.Tokens
		}
	}
	return c
}

// readContext reads a session.usage_info event.
func readContext(e follow.Event) Context {
	f := timeline.ReadFilling(e.Event)
	return Context{Limit: f.Limit, Source: f.Source, Used: f.Used, Parts: []ContextPart{
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
		unknown := &note{text: "How full the context window is will be known after the next model call.", style: row.Dim}
		return unknown.take(width)
	}
	head := fmt.Sprintf("%s tokens", timeline.Count(c.Used))
	if c.Limit > 0 {
		head = fmt.Sprintf("%d%% full: %s of %s tokens", c.percent(), timeline.Count(c.Used), timeline.Count(c.Limit))
	}
	rows := []row.Row{row.Of("Context window", row.Heading), row.Text(head).Cut(width - 1)}
	if c.Source != "" && c.Limit > 0 {
		rows = append(rows, row.Of("The limit is from: "+timeline.OneLine(c.Source, width), row.Dim).Cut(width-1))
	}
	rows = append(rows, nil)
	parts := slices.DeleteFunc(slices.Clone(c.Parts), func(p ContextPart) bool { return p.Tokens <= 0 })
	if free := c.Limit - c.Used; free > 0 {
		parts = append(parts, ContextPart{"free", free})
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
	if c.estimated {
		remark.text = "All numbers are estimates: the model was not called yet."
	}
	return append(append(rows, nil), remark.take(width)...)
}

// filled is how many of the columns of a bar stand for n of all.
func filled(n, all int64, columns int) int {
	if all <= 0 || n <= 0 || columns < 4 {
		return 0
	}
	return max(int(float64(n)/float64(all)*float64(columns)), 1)
}
