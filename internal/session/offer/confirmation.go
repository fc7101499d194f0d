package offer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Confirmation is the tool with which a Copilot Extensions agent asks the user. It runs
// if the user accepts; the next call of the agent reports its result. The zero value is that of a new run.
type Confirmation struct {
	unasked int // confirmations in a row that no client could put to a user
}

var _ tool.Refused = (*Confirmation)(nil)

// maxUnasked bounds how many confirmations of a run are dismissed because no client can
// ask the user: an agent that asks again each time would never end.
const maxUnasked = 10

// Definition implements [tool.Tool].
func (*Confirmation) Definition() tool.Definition {
	return tool.Definition{Name: extensions.ConfirmationTool, Origin: tool.Builtin, Description: "An agent asks for a yes or a no."}
}

// Request implements [tool.Asker].
func (*Confirmation) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var of extensions.Confirmation
	if err := json.Unmarshal(c.Arguments, &of); err != nil {
		return nil, &tool.Result{Outcome: tool.Failure, Text: extensions.Dismissed + ": it cannot be read: " + fault.JSON(err).Error()}
	}
	return &permit.Request{
		Kind: permit.CustomTool, Tool: c.Name, Description: of.Title + "\n\n" + of.Message, Args: c.Arguments, Personal: true,
	}, nil
}

// Run implements [tool.Tool].
func (t *Confirmation) Run(context.Context, tool.Call) tool.Result {
	t.unasked = 0
	return tool.Result{Outcome: tool.Success, Text: extensions.Accepted}
}

// Refused implements [tool.Refused]: a denial is reported to the agent and does not end
// the run.
func (t *Confirmation) Refused(a permit.Answer) tool.Result {
	switch a.Outcome {
	case permit.Rejected:
		t.unasked = 0
		return tool.Result{Outcome: tool.Denied, Text: extensions.Dismissed}
	case permit.Canceled:
		return tool.Result{Outcome: tool.Rejected, Text: "void: the user sent another message instead of deciding"}
	}
	why := "no client can ask the user"
	if a.Outcome == permit.Forbidden {
		why = a.Why
	}
	if t.unasked++; t.unasked > maxUnasked {
		text := fmt.Sprintf("The agent was stopped: it has asked for %d confirmations, one after the other, that no client could put to the user.", t.unasked)
		return tool.Result{
			Outcome: tool.Rejected, Text: "void: " + text,
			After: []wire.Data{&wire.SessionWarning{WarningType: "copilot_confirmation", Message: text}},
		}
	}
	return tool.Result{Outcome: tool.Denied, Text: extensions.Dismissed + ": " + why}
}
