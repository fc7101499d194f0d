package tool

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// maxAgentWait bounds how long read_agent waits, in one call.
const maxAgentWait = 10 * time.Minute

var readAgentDefinition = described{name: fact.ReadAgent}

type readAgent struct{ from Agents }

func (t *readAgent) Definition() Definition { return readAgentDefinition.Get() }

// Run implements [Tool]. Recordings match the text of the result.
func (t *readAgent) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		ID      string  `json:"agent_id"`
		Wait    bool    `json:"wait"`
		Timeout float64 `json:"timeout"`
	}](c)
	if bad != nil {
		return *bad
	}
	wait := time.Duration(0)
	if args.Wait {
		wait = time.Minute
		if args.Timeout > 0 {
			wait = min(time.Duration(min(args.Timeout, maxAgentWait.Seconds())*float64(time.Second)), maxAgentWait)
		}
	}
	a, err := t.from.SubAgent(ctx, args.ID, wait)
	if err != nil {
		return agentError(ctx, err)
	}
	head := "Agent completed. "
	switch a.Status {
	case AgentRunning:
		head = "Agent is still running. "
	case AgentFailed:
		head = "Agent failed. "
	case AgentCanceled:
		head = "Agent was cancelled. "
	}
	text := head + a.summary()
	if a.Error != "" {
		text += "\n\n" + a.Error
	}
	if a.Text != "" {
		text += "\n\n" + a.Text
	}
	res := success(text)
	if a.Status == AgentFailed || a.Status == AgentCanceled { // as the task tool, whose result it would have been
		res.Outcome = Failure
	}
	return res
}
