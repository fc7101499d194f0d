package offer

import (
	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Tool is a tool that a source has, with its Definition as it was when the list was read, and what was made of
// that: Schema and Sent. These are the same values for all sessions that have the definition.
type Tool struct {
	Tool tool.Tool
	*sheet

	short  *Tool // what Short returns
	looked bool  // for short
}

// Short returns the tool as it is offered in the small set ([tool.Small]), nil if that does not have it. It is
// called on the session's goroutine, and returns the same each time.
func (t *Tool) Short(sheets *Sheets) *Tool {
	if !t.looked {
		t.looked = true
		if d, found := tool.Small(t.Definition); found {
			t.short = &Tool{Tool: t.Tool, sheet: sheets.of(d)}
		}
	}
	return t.short
}

// Named is a tool as the patterns of agents know it.
func Named(d *tool.Definition) agent.Tool {
	return agent.Tool{Source: string(d.Origin), Name: d.Name, Server: d.Server, ServerTool: d.ServerTool}
}

// List is the tools of one source. The zero value is ready. It belongs to the session's goroutine.
type List struct {
	list    []*Tool
	looked  bool
	changed <-chan struct{}
}

// Now returns the tools that the source has now, in its order. The caller does not modify the
// slice. The source must be the same with each call.
func (l *List) Now(from tool.Source, sheets *Sheets) []*Tool {
	select {
	case <-l.changed:
		l.looked = false
	default:
	}
	if !l.looked {
		l.looked, l.changed, l.list = true, from.Changed(), nil
		for _, t := range from.Tools() {
			l.list = append(l.list, sheets.Tool(t))
		}
	}
	return l.list
}
