package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var taskCompleteDefinition = described{name: fact.TaskComplete}

type taskComplete struct{}

// TaskComplete is the tool task_complete. It ends the run; the summary goes into
// session.task_complete.
func TaskComplete() Tool { return taskComplete{} }

func (taskComplete) Definition() Definition { return taskCompleteDefinition.Get() }

func (taskComplete) Run(_ context.Context, c Call) Result {
	args, bad := decode[struct {
		Summary string `json:"summary"`
	}](c)
	if bad != nil {
		return *bad
	}
	done := wire.TaskComplete(args.Summary)
	return Result{Outcome: Success, Text: "Task completed.", Detail: args.Summary, After: []wire.Data{done}}
}
