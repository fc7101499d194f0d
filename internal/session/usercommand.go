package session

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A message in the agent mode "shell" is a command of the user: it runs without a model
// and without an approval, because the user has typed it. The model reads the command and
// its result with the next message.

// shellTool is the tool that runs commands.
const shellTool = "bash"

// shell runs the command that the run was started for.
func (r *run) shell(ctx context.Context, command string) turn.Outcome {
	c := tool.Call{ID: wire.NewID(), Name: shellTool, Arguments: commandArgs(command)}
	// Without the context, because a command that is recorded as begun gets a result.
	t, err := mailbox.Ask(context.WithoutCancel(ctx), r.s.post, func() (t tool.Tool, _ error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, known := range r.s.tools.own().Tools() {
			if known.Definition().Name == shellTool {
				t = known
			}
		}
		if t == nil {
			return nil, fault.New(fault.Invalid, "session.send", r.s.id, "there is no shell on this system")
		}
		return t, r.s.log.record(&wire.ToolUserRequested{ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments})
	})
	if err != nil {
		return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
	}
	res := r.runCommand(ctx, t, c)
	done := &wire.ToolComplete{ToolCallID: c.ID, Success: res.Outcome == tool.Success, IsUserRequested: new(true)}
	if done.Success {
		done.Result = &wire.ToolResult{Content: res.Text}
	} else {
		code := string(res.Outcome)
		done.Error = &wire.ToolError{Message: res.Text, Code: &code}
	}
	return turn.Outcome{Err: r.main.Record(done), Aborted: ctx.Err() != nil}
}

func commandArgs(command string) json.RawMessage {
	args, err := json.Marshal(map[string]string{"command": command, "description": "A command of the user"})
	if err != nil {
		panic(err) // cannot be: they are strings
	}
	return args
}

// runCommand runs the tool as for a model whose call was approved.
func (r *run) runCommand(ctx context.Context, t tool.Tool, c tool.Call) tool.Result {
	if asker, ok := t.(tool.Asker); ok {
		q, refused := asker.Request(ctx, c)
		if refused != nil {
			return *refused
		}
		c.Permitted = q
	}
	return r.spill(turn.RunTool(ctx, t, c))
}
