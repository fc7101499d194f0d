package anthropic

import "github.com/sidestick-dev/sidestick/internal/model"

// unthought reports whether the conversation ends with results of calls, in a turn that the model
// to has not begun with thinking: another model has begun it. Models that think by a budget refuse
// such a conversation as long as thinking is asked for.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking ("Extended thinking with
// tool use"), and n8n-io/n8n#22550.
func unthought(list []model.Message, to model.Origin) bool {
	last, results := len(list)-1, false
	for ; last >= 0 && list[last].Role != model.RoleAssistant; last-- {
		results = results || list[last].Role == model.RoleTool
	}
	if last < 0 || !results {
		return false
	}
	for last > 0 && (list[last-1].Role == model.RoleAssistant || list[last-1].Role == model.RoleTool) {
		last--
	}
	for _, r := range list[last].Reasoning {
		if r.Origin == to && r.Opaque != "" {
			return r.AfterText > 0 || r.AfterCalls > 0
		}
	}
	return true
}
