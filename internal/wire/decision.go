package wire

import (
	"fmt"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// DecisionOutcome is what a client's decision comes to.
type DecisionOutcome uint8

const (
	DecisionUnavailable DecisionOutcome = iota // nobody was there to decide
	DecisionApproved
	DecisionRejected
	DecisionCancelled
)

// Decision is a client's answer to a permission request, read from any of the
// forms that the protocol has for it.
type Decision struct {
	Outcome DecisionOutcome
	// ForSession extends an approval to later calls.
	ForSession bool
	// Feedback is what the person said to a rejection.
	Feedback string
}

// ReadDecision reads the result of handlePendingPermissionRequest: what a client
// decides, or, as some send, how the request is to be reported as ended.
// [fault.Invalid] for a kind that nobody knows.
func ReadDecision(d PermissionDecision) (Decision, error) {
	switch v := d.(type) {
	case *rpc.PermissionDecisionApproveOnce, *rpc.PermissionDecisionApproved:
		return Decision{Outcome: DecisionApproved}, nil
	case *rpc.PermissionDecisionApproveForSession, *rpc.PermissionDecisionApprovedForSession,
		*rpc.PermissionDecisionApproveForLocation, *rpc.PermissionDecisionApprovedForLocation,
		*rpc.PermissionDecisionApprovePermanently:
		return Decision{Outcome: DecisionApproved, ForSession: true}, nil
	case *rpc.PermissionDecisionReject:
		return Decision{Outcome: DecisionRejected, Feedback: deref(v.Feedback)}, nil
	case *rpc.PermissionDecisionDeniedInteractivelyByUser:
		return Decision{Outcome: DecisionRejected, Feedback: deref(v.Feedback)}, nil
	case *rpc.PermissionDecisionCancelled:
		return Decision{Outcome: DecisionCancelled}, nil
	case *rpc.PermissionDecisionUserNotAvailable, *rpc.PermissionDecisionDeniedByRules,
		*rpc.PermissionDecisionDeniedNoApprovalRuleAndCouldNotRequestFromUser,
		*rpc.PermissionDecisionDeniedByContentExclusionPolicy, *rpc.PermissionDecisionDeniedByPermissionRequestHook:
		return Decision{Outcome: DecisionUnavailable}, nil
	case nil:
		return Decision{}, fault.New(fault.Invalid, "", "", "result is missing")
	}
	return Decision{}, fault.New(fault.Invalid, "", "", "result is of an unknown kind %q", fmt.Sprint(d.Kind()))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
