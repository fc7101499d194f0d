package tool

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var writeAgentDefinition = described{name: fact.WriteAgent}

type writeAgent struct{ from Agents }

func (t *writeAgent) Definition() Definition { return writeAgentDefinition.Get() }

func (t *writeAgent) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		ID      string `json:"agent_id"`
		Message string `json:"message"`
	}](c)
	if bad != nil {
		return *bad
	}
	if strings.TrimSpace(args.Message) == "" {
		return failure("the message is empty")
	}
	a, err := t.from.WriteAgent(ctx, c, args.ID, args.Message)
	if err != nil {
		return agentError(ctx, err)
	}
	return success("The message was sent to " + a.ID + ". You'll be notified when it completes.")
}
