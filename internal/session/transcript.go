package session

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// transcript is the conversation as a provider accepts it, whatever the log
// holds: the system message first, and after each assistant message exactly one
// result for each of its calls, in their order. A call without a recorded
// result reads as interrupted; a result without a call cannot appear, because
// results are kept with their calls. An assistant message that says nothing and
// calls nothing is left out; some providers refuse it. Pictures go out to models
// that can see; they stay in the conversation for one that is switched to later.
func transcript(system string, entries []entry, vision bool) []model.Message {
	out := make([]model.Message, 0, len(entries)+1)
	if system != "" {
		out = append(out, model.Message{Role: model.RoleSystem, Content: system})
	}
	for i := range entries {
		out = entries[i].append(out, vision)
	}
	return out
}

func (e *entry) append(out []model.Message, vision bool) []model.Message {
	switch {
	case e.user:
		return append(out, e.asked(vision))
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
	if vision { // after all results: nothing may stand between them
		for i := range e.calls {
			out = append(out, viewed(e.calls[i].pictures)...)
		}
	}
	return out
}

// asked is a user's message, with what was attached to it.
func (e *entry) asked(vision bool) model.Message {
	m := model.Message{Role: model.RoleUser, Content: e.text}
	if len(e.pictures) == 0 {
		return m
	}
	m.Parts = []model.Part{{Text: e.text}}
	for _, p := range e.pictures {
		switch {
		case !vision:
			m.Parts = append(m.Parts, model.Part{Text: "[An image is attached that this model cannot see: " + p.name + "]"})
			continue
		case p.name != "":
			m.Parts = append(m.Parts, model.Part{Text: p.name})
		}
		m.Parts = append(m.Parts, model.Part{ImageURL: p.url})
	}
	return m
}

// viewed are the messages that show what a tool has found.
func viewed(pictures []picture) (out []model.Message) {
	for _, p := range pictures {
		out = append(out, model.Message{
			Role: model.RoleUser, Parts: []model.Part{{Text: "Image file at path " + p.name}, {ImageURL: p.url}},
		})
	}
	return out
}
