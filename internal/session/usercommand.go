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
		if t = r.s.tools.shell(); t == nil {
			return nil, fault.New(fault.Invalid, "session.send", r.s.id, "there is no shell on this system")
		}
		return t, r.s.log.record(&wire.ToolUserRequested{ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments})
	})
	if err != nil {
		return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
	}
	res := r.spill(r.s.Shell().run(ctx, t, c))
	return turn.Outcome{Err: r.main.Record(userResult(c.ID, res)), Aborted: ctx.Err() != nil}
}

// shell is the tool that runs commands; nil if this system has none.
func (t *toolset) shell() tool.Tool {
	for _, known := range t.own().source.Tools() {
		if known.Definition().Name == shellTool {
			return known
		}
	}
	return nil
}

// commandArgs are the arguments of a command as the log holds them.
func commandArgs(command string) json.RawMessage {
	return shellArgs(map[string]any{"command": command, "description": "A command of the user"})
}

// waitingArgs are those of a command whose caller waits for its end: as long as the tool
// allows.
func waitingArgs(command string) json.RawMessage {
	return shellArgs(map[string]any{"command": command, "description": "A command of the user", "initial_wait": 3600})
}

func shellArgs(args map[string]any) json.RawMessage {
	encoded, err := json.Marshal(args)
	if err != nil {
		panic(err) // cannot be: they are strings and a number
	}
	return encoded
}
