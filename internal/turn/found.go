package turn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FoundByCall is the strategy of tool_search.activated for a deferred tool that the model has called without
// searching for it.
const FoundByCall = "call"

// maxReferences bounds the tools that the result of one call makes available.
const maxReferences = 128

// activates adds to a call that has ended which deferred tools it makes available: those that it has found, or its
// own one, which the model knew. If no tool has the name, the model is told so.
func (t *turn) activates(e *ending) {
	var names, unknown []string
	add := func(name string) {
		offer, ok := t.prompt.Tools[name]
		switch {
		case !ok:
			unknown = append(unknown, fault.Bounded(name))
		case offer.Deferred:
			if name = offer.Tool.Definition().Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	found, by := e.result.Found.Names, e.result.Found.By
	for i, name := range found {
		if i == maxReferences {
			e.result.Text += fmt.Sprintf("\nOnly the first %d of these %d tools are offered; search for the others by their names.", i, len(found))
			break
		}
		add(name)
	}
	if t.prompt.Tools[e.call.Name].Deferred {
		by = FoundByCall
		add(e.call.Name)
	}
	if len(unknown) > 0 {
		e.result.Text += "\nThere are no tools of these names: " + strings.Join(unknown, ", ") + "."
	}
	if len(names) > 0 {
		e.result.After = append(slices.Clip(e.result.After), &wire.ToolSearchActivated{Strategy: by, ToolNames: names})
	}
}

// unknown returns the result of a call of a tool that there is not.
func (t *turn) unknown(name string) string {
	text := fmt.Sprintf("Tool '%s' does not exist.", fault.Bounded(name))
	names := make([]string, 0, len(t.prompt.Tools))
	for n, offer := range t.prompt.Tools {
		if !offer.Deferred {
			names = append(names, n)
		}
	}
	if t.prompt.Similar != nil {
		if similar := t.prompt.Similar(name); len(similar) > 0 {
			text += " Do you mean " + strings.Join(similar, ", ") + "?"
		}
	}
	if len(names) == 0 {
		return text
	}
	slices.Sort(names)
	return text + " Available tools that can be called are " + strings.Join(names, ", ") + "."
}
