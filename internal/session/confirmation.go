package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// decided reports whether the agent is next to be told a decision.
func (r *run) decided() (yes bool) {
	if !r.endpoint.agent() {
		return false
	}
	_ = r.s.post(context.Background(), func() error {
		if n := len(r.s.state.Main.Messages); n > 0 {
			calls := r.s.state.Main.Messages[n-1].Calls
			yes = len(calls) > 0 && len(state.OpenCalls(calls)) == 0
		}
		return nil
	})
	return yes
}

// confirms tells the calls of an agent from those of a model that its run goes on with.
func (r *run) confirms(c tool.Call) bool {
	return r.endpoint.agent() && c.Name == model.ConfirmationTool
}

// talkOver takes an open confirmation back because a person has said something else:
// the agent hears that, and no decision.
func (s *Session) talkOver() error {
	if w := s.confirming(); w != nil {
		return s.settle(w, permit.Answer{Outcome: permit.Canceled})
	}
	return nil
}

// confirming is the open confirmation, of which there is one at most; nil if none is.
func (s *Session) confirming() *wait {
	for _, w := range s.waits {
		if w.permission != nil && askedFor(wire.Raw(w.permission.Data)).Personal {
			return w
		}
	}
	return nil
}

// confirmation is the tool by which an agent asks a person. That it runs is the yes;
// its result is told to the agent with the next call.
type confirmation struct {
	unasked int // that nobody was there for, one after the other
}

var _ tool.Refused = (*confirmation)(nil)

// maxUnasked bounds how many confirmations in a run are dismissed because nobody is
// there: an agent that asks again and again would never end.
const maxUnasked = 10

func (*confirmation) Definition() tool.Definition {
	return tool.Definition{Name: model.ConfirmationTool, Source: tool.Builtin, Description: "An agent asks for a yes or a no."}
}

// Request implements [tool.Asker].
func (*confirmation) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var of model.Confirmation
	if err := json.Unmarshal(c.Arguments, &of); err != nil {
		return nil, &tool.Result{Outcome: tool.Failure, Text: model.Dismissed + ": it cannot be read: " + err.Error()}
	}
	return &permit.Request{
		Kind: permit.CustomTool, Tool: c.Name, Description: of.Title + "\n\n" + of.Message, Args: c.Arguments, Personal: true,
	}, nil
}

func (t *confirmation) Run(context.Context, tool.Call) tool.Result {
	t.unasked = 0
	return tool.Result{Outcome: tool.Success, Text: model.Accepted}
}

// Refused implements [tool.Refused]: a no is for the agent to hear, and does not end
// the run.
func (t *confirmation) Refused(a permit.Answer) tool.Result {
	switch a.Outcome {
	case permit.Rejected:
		t.unasked = 0
		return tool.Result{Outcome: tool.Denied, Text: model.Dismissed}
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
	return tool.Result{Outcome: tool.Denied, Text: model.Dismissed + ": " + why}
}
