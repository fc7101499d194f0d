package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// decided reports whether the next call of a Copilot Extensions agent reports the user's
// decision to it.
func (t *thread) decided() (yes bool) {
	if !t.endpoint.isExtension() {
		return false
	}
	_ = t.s.post(context.Background(), func() error {
		if said := t.talk().Messages; len(said) > 0 {
			calls := said[len(said)-1].Calls
			yes = len(calls) > 0 && len(state.OpenCalls(calls)) == 0
		}
		return nil
	})
	return yes
}

// confirms reports whether a call is a confirmation that a Copilot Extensions agent asks
// for, and not a tool call of a model.
func (t *thread) confirms(c tool.Call) bool {
	return t.endpoint.isExtension() && c.Name == extensions.ConfirmationTool
}

// confirmation is the tool with which a Copilot Extensions agent asks the user. It runs
// if the user accepts; the next call of the agent reports its result.
type confirmation struct {
	unasked int // confirmations in a row that no client could put to a user
}

var _ tool.Refused = (*confirmation)(nil)

// maxUnasked bounds how many confirmations of a run are dismissed because no client can
// ask the user: an agent that asks again each time would never end.
const maxUnasked = 10

func (*confirmation) Definition() tool.Definition {
	return tool.Definition{Name: extensions.ConfirmationTool, Origin: tool.Builtin, Description: "An agent asks for a yes or a no."}
}

// Request implements [tool.Asker].
func (*confirmation) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var of extensions.Confirmation
	if err := json.Unmarshal(c.Arguments, &of); err != nil {
		return nil, &tool.Result{Outcome: tool.Failure, Text: extensions.Dismissed + ": it cannot be read: " + err.Error()}
	}
	return &permit.Request{
		Kind: permit.CustomTool, Tool: c.Name, Description: of.Title + "\n\n" + of.Message, Args: c.Arguments, Personal: true,
	}, nil
}

func (t *confirmation) Run(context.Context, tool.Call) tool.Result {
	t.unasked = 0
	return tool.Result{Outcome: tool.Success, Text: extensions.Accepted}
}

// Refused implements [tool.Refused]: a denial is reported to the agent and does not end
// the run.
func (t *confirmation) Refused(a permit.Answer) tool.Result {
	switch a.Outcome {
	case permit.Rejected:
		t.unasked = 0
		return tool.Result{Outcome: tool.Denied, Text: extensions.Dismissed}
	case permit.Canceled:
		return tool.Result{Outcome: tool.Rejected, Text: "void: the person said something else instead of deciding"}
	}
	why := "nobody is there who could be asked"
	if a.Outcome == permit.Forbidden {
		why = a.Why
	}
	if t.unasked++; t.unasked > maxUnasked {
		text := fmt.Sprintf("The agent was stopped: it has asked for %d confirmations, one after the other, that nobody could give.", t.unasked)
		return tool.Result{
			Outcome: tool.Rejected, Text: "void: " + text,
			After: []wire.Data{&wire.SessionWarning{WarningType: "copilot_confirmation", Message: text}},
		}
	}
	return tool.Result{Outcome: tool.Denied, Text: extensions.Dismissed + ": " + why}
}
