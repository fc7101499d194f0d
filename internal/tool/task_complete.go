package tool

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// TaskCompleteName is what the model calls when the task is done.
const TaskCompleteName = "task_complete"

//go:embed task_complete.md
var taskCompleteText string

const taskCompleteSchema = `{"type":"object","properties":{` +
	`"summary":{"type":"string","description":"What was done and how it was checked, for the user, in a few sentences."}` +
	`},"required":["summary"],"additionalProperties":false}`

type taskComplete struct{}

// TaskComplete is the tool task_complete. It ends the run; the summary goes into
// session.task_complete.
func TaskComplete() Tool { return taskComplete{} }

func (taskComplete) Definition() Definition {
	return Definition{
		Name: TaskCompleteName, Description: taskCompleteText, Parameters: json.RawMessage(taskCompleteSchema),
		Source: Builtin, Trusted: true, Terminal: true,
	}
}

func (taskComplete) Run(_ context.Context, c Call) Result {
	var args struct {
		Summary string `json:"summary"`
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return Failed("The summary cannot be read: %v.", err)
	}
	done := wire.TaskComplete(args.Summary)
	return Result{Outcome: Success, Text: "Task completed.", Detail: args.Summary, After: []wire.Data{done}}
}
