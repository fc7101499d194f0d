package session

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// transcript is the conversation as a provider accepts it, whatever the log
// holds: the system message first, and after each assistant message exactly one
// result for each of its calls, in their order. A call without a recorded
// result reads as interrupted; a result without a call cannot appear, because
// results are kept with their calls. An assistant message that says nothing and
// calls nothing is left out; some providers refuse it.
func transcript(system string, entries []entry) []model.Message {
	out := make([]model.Message, 0, len(entries)+1)
	if system != "" {
		out = append(out, model.Message{Role: model.RoleSystem, Content: system})
	}
	for i := range entries {
		out = entries[i].append(out)
	}
	return out
}

func (e *entry) append(out []model.Message) []model.Message {
	switch {
	case e.cleared:
		return out
	case e.user:
		return append(out, model.Message{Role: model.RoleUser, Content: e.text, Parts: e.parts})
	case e.text == "" && len(e.calls) == 0:
		return out
	}
	calls := make([]model.ToolCall, len(e.calls))
	for i := range e.calls {
		calls[i] = e.calls[i].ToolCall
	}
	out = append(out, model.Message{Role: model.RoleAssistant, Content: e.text, ToolCalls: calls})
	for i := range e.calls {
		result := e.calls[i].result
		if !e.calls[i].done {
			result = tool.TextInterrupted
		}
		out = append(out, model.Message{Role: model.RoleTool, ToolCallID: e.calls[i].ID, Content: result})
	}
	for i := range e.calls { // after all results: nothing may stand between them
		for _, p := range e.calls[i].pictures {
			out = append(out, model.Message{Role: model.RoleUser, Parts: prompt.Viewed(p.Path, p.MediaType, string(p.Data))})
		}
	}
	return out
}
