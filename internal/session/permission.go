package session

import (
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// rule is what the rules say of a request, nil if a person is to be asked.
func (s *Session) rule(q permit.Request) *permit.Answer {
	rules := s.rules
	rules.All = rules.All || s.reg.opts.Rules.All
	switch rules.Decide(q).Verdict {
	case permit.Allow:
		return &permit.Answer{Outcome: permit.Approved}
	case permit.Deny:
		return &permit.Answer{Outcome: permit.Unanswerable}
	}
	return nil
}

// permissionRequest is a request in the words of the protocol.
func permissionRequest(id string, q permit.Request, c tool.Call) *wire.PermissionRequested {
	return &wire.PermissionRequested{
		RequestID: id,
		PermissionRequest: &wire.CustomToolPermission{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
		},
		PromptRequest: &wire.CustomToolPrompt{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
		},
	}
}

// permissionResult is an answer in the words of the protocol.
func permissionResult(toolName string, a permit.Answer) wire.PermissionResult {
	switch {
	case a.Outcome == permit.Approved && a.ForSession:
		return &wire.PermissionApprovedForSession{Approval: &wire.CustomToolApproval{ToolName: toolName}}
	case a.Outcome == permit.Approved:
		return &wire.PermissionApproved{}
	case a.Outcome == permit.Rejected:
		return &wire.PermissionRejected{Feedback: optional(a.Feedback)}
	case a.Outcome == permit.Canceled:
		return &wire.PermissionCancelled{}
	}
	return &wire.PermissionUnanswerable{}
}
