package front

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
)

// window shows what fills the window of the model.
func (f *embedded) window(ctx context.Context, _ string) (tui.Effect, error) {
	s := f.Client.Session()
	limit, err := s.Settings().Window(ctx, "")
	if err != nil {
		return tui.Effect{}, err
	}
	w, err := s.Metrics().Weigh(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{With: func(c *cell.Conversation) tui.Effect {
		now := c.Context().With(limit.Tokens, partsOf(w)...)
		now.Source = limit.Source
		behind := metrics.Window{Deferred: w.Deferred, DeferredTools: w.DeferredTools}.Behind()
		return tui.Effect{Read: pager.New("context", page.Window{Context: now, Largest: largest(w), Deferred: behind}, f.keys)}
	}}, nil
}

// contextOf is what fills the window as the status line has it.
func contextOf(w metrics.Window) cell.Context {
	return cell.Context{Source: w.Source}.With(w.Limit,
		cell.ContextPart{Name: "system message", Tokens: w.System}, cell.ContextPart{Name: w.ToolsName(), Tokens: w.Tools}, cell.ContextPart{Name: "conversation", Tokens: w.Conversation})
}

// partsOf are the parts of the next request.
func partsOf(w metrics.Weights) []cell.ContextPart {
	parts := []cell.ContextPart{{Name: "system message", Tokens: w.System}, {Name: "custom instructions", Tokens: w.Instructions}}
	var tools, servers, user, model, results int64
	for _, t := range w.Tools {
		if t.MCP {
			servers += t.Tokens
		} else {
			tools += t.Tokens
		}
	}
	for _, m := range w.Messages {
		switch m.Role {
		case "tool":
			results += m.Tokens
		case "assistant":
			model += m.Tokens
		default:
			user += m.Tokens
		}
	}
	return append(parts, []cell.ContextPart{
		{Name: metrics.Window{SmallSet: w.SmallSet}.ToolsName(), Tokens: tools},
		{Name: "tools of MCP servers", Tokens: servers},
		{Name: "messages of the user", Tokens: user},
		{Name: "answers of the model", Tokens: model},
		{Name: "results of tools", Tokens: results},
	}...)
}

// mostLargest is how many of the largest entries are named.
const mostLargest = 8

// largest are the largest tools and messages.
func largest(w metrics.Weights) (all []cell.ContextPart) {
	for _, t := range slices.Concat(w.Tools, w.Messages) {
		name := timeline.OneLine(t.Label, 60)
		if t.Role == "" {
			name = "definition of " + name
		}
		all = append(all, cell.ContextPart{Name: name, Tokens: t.Tokens})
	}
	slices.SortStableFunc(all, func(a, b cell.ContextPart) int { return int(b.Tokens - a.Tokens) })
	return all[:min(len(all), mostLargest)]
}
