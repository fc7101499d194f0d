package wire

import (
	"encoding/json"
	"fmt"

	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// DecisionOutcome is the outcome of a client's decision.
type DecisionOutcome uint8

const (
	DecisionUnavailable DecisionOutcome = iota // no user could decide
	DecisionApproved
	DecisionRejected
	DecisionCancelled
)

// DecisionScope says how long an approval holds.
type DecisionScope uint8

const (
	DecisionOnce DecisionScope = iota
	DecisionForSession
	DecisionForLocation
	DecisionAlways
)

// Decision is a client's decision on a permission request, read from any of the protocol's
// forms for it.
type Decision struct {
	Outcome DecisionOutcome
	// Scope extends an approval to later calls.
	Scope DecisionScope
	// Rules are the rules of the approval; nil leaves the choice to the runtime.
	Rules []PermissionRule
	// LocationKey is the location that the approval is stored for.
	LocationKey string
	// Feedback is the text that the user wrote with a rejection.
	Feedback string
	// NoUser says that nobody was there to decide, unlike a denial by rules or hooks of the client.
	NoUser bool
}

// ReadDecision reads the result of handlePendingPermissionRequest: the client's decision or,
// as some clients send, the result to report for the request. [fault.Invalid] is an unknown kind, or an
// approval that names nothing which can be approved.
func ReadDecision(d PermissionDecision) (Decision, error) {
	yes := func(scope DecisionScope, location string, approval any, domain *string) (Decision, error) {
		rules := approved(approval)
		if domain != nil && *domain != "" {
			rules = append(rules, PermissionRule{Kind: "url", Argument: domain})
		}
		if approval != nil && len(rules) == 0 { // no rules would leave the choice to the runtime, which may approve more
			return Decision{}, fault.New(fault.Invalid, "", "", "the approval names nothing that can be approved")
		}
		return Decision{Outcome: DecisionApproved, Scope: scope, Rules: rules, LocationKey: location}, nil
	}
	switch v := d.(type) {
	case *rpc.PermissionDecisionApproveOnce, *rpc.PermissionDecisionApproved:
		return Decision{Outcome: DecisionApproved}, nil
	case *rpc.PermissionDecisionApproveForSession:
		return yes(DecisionForSession, "", v.Approval, v.Domain)
	case *rpc.PermissionDecisionApprovedForSession:
		return yes(DecisionForSession, "", v.Approval, nil)
	case *rpc.PermissionDecisionApproveForLocation:
		return yes(DecisionForLocation, v.LocationKey, v.Approval, nil)
	case *rpc.PermissionDecisionApprovedForLocation:
		return yes(DecisionForLocation, v.LocationKey, v.Approval, nil)
	case *rpc.PermissionDecisionApprovePermanently:
		return yes(DecisionAlways, "", nil, &v.Domain)
	case *rpc.PermissionDecisionReject:
		return Decision{Outcome: DecisionRejected, Feedback: deref(v.Feedback)}, nil
	case *rpc.PermissionDecisionDeniedInteractivelyByUser:
		return Decision{Outcome: DecisionRejected, Feedback: deref(v.Feedback)}, nil
	case *rpc.PermissionDecisionCancelled:
		return Decision{Outcome: DecisionCancelled}, nil
	case *rpc.PermissionDecisionUserNotAvailable, *rpc.PermissionDecisionDeniedNoApprovalRuleAndCouldNotRequestFromUser:
		return Decision{Outcome: DecisionUnavailable, NoUser: true}, nil
	case *rpc.PermissionDecisionDeniedByRules,
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

// approved reads an approval from any of the protocol's types for the same JSON. An approval
// of a kind that this runtime does not ask for yet approves nothing.
func approved(approval any) []PermissionRule {
	if approval == nil {
		return nil
	}
	b, err := json.Marshal(approval)
	if err != nil {
		return nil
	}
	return ApprovalRules(b)
}
