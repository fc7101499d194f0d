package app

import (
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// toolbox makes the built-in tools of one session. Their order is the order in
// which a model is told of them.
func toolbox(h tool.Host) session.Toolbox {
	tools := tool.Files(h)
	tools = append(tools, tool.AskUser(h), tool.ExitPlanMode(h), tool.TaskComplete(), tool.NewSkill(h))
	tools = append(tools, tool.Search(h)...)
	return session.Toolbox{Tools: tools}
}
