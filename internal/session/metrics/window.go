package metrics

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Window is what fills the model's window, estimated in tokens.
type Window struct {
	System, Tools, Conversation int64
	Limit                       int64  // of a prompt
	Source                      string // of Limit, in words; "" if that is not known
	SmallSet                    bool   // Tools are the small set
	Deferred                    int64  // of the definitions of tools that the prompt leaves out
	DeferredTools               int    // their number
}

// Window measures what fills a window of limit tokens, which are known from source.
func (m *Metrics) Window(ctx context.Context, limit int64, source string) (Window, error) {
	f, err := m.Measure(ctx)
	if err != nil {
		return Window{}, err
	}
	small, err := m.SmallTools(ctx)
	return Window{
		System: f.System, Tools: f.Tools, Conversation: f.Conversation, Limit: limit, Source: source, SmallSet: small,
		Deferred: f.Deferred, DeferredTools: f.DeferredTools,
	}, err
}

// ToolsName is what Tools are called.
func (w Window) ToolsName() string {
	if w.SmallSet {
		return "tools, small set"
	}
	return "tools"
}

// Used is the size of the next prompt.
func (w Window) Used() int64 { return w.System + w.Tools + w.Conversation }

// Free is what is left, 0 or more.
func (w Window) Free() int64 { return max(w.Limit-w.Used(), 0) }

// Rows are the parts of the window and what is free, each in a row with its share.
func (w Window) Rows() (rows []string) {
	for _, part := range []struct {
		name string
		n    int64
	}{{"system message", w.System}, {w.ToolsName(), w.Tools}, {"conversation", w.Conversation}, {"free", w.Free()}} {
		percent := 100 * float64(part.n) / float64(max(w.Limit, 1))
		rows = append(rows, fmt.Sprintf("%s %10s tokens %5.1f %%", timeline.Pad(part.name, 16), timeline.Count(part.n), percent))
	}
	if w.DeferredTools > 0 {
		rows = append(rows, w.Behind())
	}
	return rows
}

// Behind says what the tools that are deferred would take, "" if there are none.
func (w Window) Behind() string {
	if w.DeferredTools == 0 {
		return ""
	}
	return fmt.Sprintf("%d tools are deferred until they are found, which leaves out %s tokens", w.DeferredTools, timeline.Count(w.Deferred))
}

// Of says of how many tokens the window is, and where that is known from.
func (w Window) Of() string {
	text := timeline.Count(w.Limit)
	if w.Source != "" {
		text += " (" + timeline.OneLine(w.Source, 100) + ")"
	}
	return text
}
