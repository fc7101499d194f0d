package server

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answered is the result of the handlePending methods: whether this answer counted.
func answered(ok bool, err error) (any, error) {
	return wire.Success{Success: ok}, err
}

func answerToolCall(ctx context.Context, _ *conn, a *attachment, p wire.ToolCallAnswer) (any, error) {
	return answered(a.client.Tools().Answer(ctx, p))
}

func answerPermission(ctx context.Context, s *session.Session, p wire.OfferedAnswer) (any, error) {
	a, err := wire.ReadDecision(p.Result)
	if err != nil {
		// An SDK does not look at the error, and the call would wait for ever.
		_, denied := s.Permissions().Answer(ctx, p.RequestID, unreadablePermission(err))
		return nil, cmp.Or(denied, err)
	}
	if len(p.Rules) > 0 && a.Outcome == wire.DecisionApproved {
		a.Rules = p.Rules
	}
	rules := permit.FromWire(a.Rules, "approved by a person")
	if len(a.Rules) > 0 && rules == nil {
		rules = []permit.Rule{} // an answer without rules would allow those that cover the request
	}
	return answered(s.Permissions().Answer(ctx, p.RequestID, permit.Answer{
		Outcome: outcomes.Get()[a.Outcome], Scope: scopes.Get()[a.Scope], Rules: rules, Location: a.LocationKey, Feedback: a.Feedback, NoUser: a.NoUser,
	}))
}

var scopes = lazy.Value[map[wire.DecisionScope]permit.Scope]{Make: func() map[wire.DecisionScope]permit.Scope {
	return map[wire.DecisionScope]permit.Scope{
		wire.DecisionOnce: permit.Once, wire.DecisionForSession: permit.ForSession,
		wire.DecisionForLocation: permit.ForLocation, wire.DecisionAlways: permit.Always,
	}
}}

var outcomes = lazy.Value[map[wire.DecisionOutcome]permit.Outcome]{Make: func() map[wire.DecisionOutcome]permit.Outcome {
	return map[wire.DecisionOutcome]permit.Outcome{
		wire.DecisionApproved: permit.Approved, wire.DecisionRejected: permit.Rejected,
		wire.DecisionUnavailable: permit.Unanswerable, wire.DecisionCancelled: permit.Canceled,
	}
}}
