package e2e_test

import (
	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// pendingPrograms are those of the suites about work that waits: for a client that is away, or
// behind a suspended session.
var pendingPrograms = map[string]program{
	"pending_work_resume/should_continue_parallel_pending_external_tool_requests_after_resume":                          continuesTwoCalls,
	"pending_work_resume/should_continue_pending_external_tool_request_after_resume":                                    continuesACall,
	"pending_work_resume/should_continue_pending_permission_request_after_resume":                                       continuesAPermission,
	"pending_work_resume/should_keep_pending_external_tool_handleable_on_cold_resume_when_continuependingwork_is_false": coldResume,
	"pending_work_resume/should_keep_pending_external_tool_handleable_on_warm_resume_when_continuependingwork_is_false": warmResume,
	"pending_work_resume/should_report_continuependingwork_true_in_resume_event":                                        reportsContinuation,
	"pending_work_resume/should_resume_successfully_when_no_pending_work_exists":                                        resumesWithoutWork,
	"suspend/should_allow_resume_and_continue_conversation_after_suspend":                                               resumesAfterSuspend,
	"suspend/should_cancel_pending_permission_request_when_suspending":                                                  suspendsAPermission,
	"suspend/should_reject_pending_external_tool_when_suspending":                                                       suspendsACall,
	"suspend/should_suspend_idle_session_without_throwing":                                                              suspendsIdle,
}

// absent is a tool that the program declares and never answers.
func absent(name string) copilot.Tool {
	return copilot.Tool{
		Name: name, Description: "recorded", Parameters: object{"type": "object", "properties": object{"value": object{"type": "string"}}},
	}
}

const lookup = "Use resume_external_tool with value 'beta', then reply with the result."

// left is a session whose client is away while a tool of it runs, and the call's request.
func (s *stage) left(p *process, prompt string, tools ...copilot.Tool) (id string, requests map[string]string, leave func()) {
	c := p.client(s.T)
	talk := s.create(c, copilot.SessionConfig{Tools: tools})
	talk.send(prompt)
	requests = map[string]string{}
	for n := range tools {
		asked := await[*copilot.ExternalToolRequestedData](s.T, talk.ear, n+1)
		requests[asked.ToolName] = asked.RequestID
	}
	return talk.SessionID, requests, c.ForceStop
}

// answered gives a waiting call its result.
func (s *stage) answered(t *talk, request, result string) bool {
	s.Helper()
	done, err := t.RPC.Tools.HandlePendingToolCall(soon(s.T), &rpc.HandlePendingToolCallRequest{RequestID: request, Result: rpc.ExternalToolStringResult(result)})
	s.must(err)
	return done.Success
}

func continuesACall(s *stage) {
	p := s.shared()
	id, requests, leave := s.left(p, lookup, absent("resume_external_tool"))
	leave()
	talk := s.resume(p.client(s.T), id, copilot.ResumeSessionConfig{ContinuePendingWork: new(true), Tools: []copilot.Tool{absent("resume_external_tool")}})
	if !s.answered(talk, requests["resume_external_tool"], "EXTERNAL_RESUMED_BETA") {
		s.Error("the call was not pending")
	}
	await[*copilot.SessionIdleData](s.T, talk.ear, 1)
}

func continuesTwoCalls(s *stage) {
	p := s.shared()
	tools := []copilot.Tool{absent("pending_lookup_a"), absent("pending_lookup_b")}
	id, requests, leave := s.left(p, "Call pending_lookup_a with value 'alpha' and pending_lookup_b with value 'beta', then reply with both results.", tools...)
	leave()
	talk := s.resume(p.client(s.T), id, copilot.ResumeSessionConfig{ContinuePendingWork: new(true), Tools: tools})
	if !s.answered(talk, requests["pending_lookup_b"], "PARALLEL_B_BETA") || !s.answered(talk, requests["pending_lookup_a"], "PARALLEL_A_ALPHA") {
		s.Error("a call was not pending")
	}
	await[*copilot.SessionIdleData](s.T, talk.ear, 1)
}

// continuesAPermission: what the model said afterwards was not recorded, so the call is rejected.
func continuesAPermission(s *stage) {
	p := s.shared()
	c := p.client(s.T)
	away := make(chan struct{})
	defer close(away)
	waiting := func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
		<-away
		return &rpc.PermissionDecisionNoResult{}, nil
	}
	talk := s.create(c, copilot.SessionConfig{Tools: []copilot.Tool{absent("resume_permission_tool")}, OnPermissionRequest: waiting})
	talk.send("Use resume_permission_tool with value 'alpha', then reply with the result.")
	asked := await[*copilot.PermissionRequestedData](s.T, talk.ear, 1)
	c.ForceStop()
	again := s.resume(p.client(s.T), talk.SessionID, copilot.ResumeSessionConfig{
		ContinuePendingWork: new(true), Tools: []copilot.Tool{absent("resume_permission_tool")}, OnPermissionRequest: waiting,
	})
	done, err := again.RPC.Permissions.HandlePendingPermissionRequest(soon(s.T), &rpc.PermissionDecisionRequest{
		RequestID: asked.RequestID, Result: &rpc.PermissionDecisionReject{},
	})
	s.must(err)
	if !done.Success {
		s.Error("the permission was not pending")
	}
	await[*copilot.SessionIdleData](s.T, again.ear, 1)
}

// resumed returns the event of a resume.
func (s *stage) resumed(t *talk) *copilot.SessionResumeData {
	s.Helper()
	found := all[*copilot.SessionResumeData](t.history())
	if len(found) == 0 {
		s.Fatal("no session.resume")
	}
	return found[len(found)-1]
}

func coldResume(s *stage) {
	p := s.shared()
	id, requests, leave := s.left(p, lookup, absent("resume_external_tool"))
	leave()
	talk := s.resume(p.client(s.T), id, copilot.ResumeSessionConfig{ContinuePendingWork: new(false), Tools: []copilot.Tool{absent("resume_external_tool")}})
	if e := s.resumed(talk); e.SessionWasActive == nil || *e.SessionWasActive {
		s.Errorf("the resume says %+v", e)
	}
	if s.answered(talk, requests["resume_external_tool"], "EXTERNAL_RESUMED_BETA") {
		s.Error("an interrupted call took an answer")
	}
	talk.asked("Reply with exactly: COLD_RESUMED_FOLLOWUP")
}

func warmResume(s *stage) {
	p := s.shared()
	id, requests, _ := s.left(p, lookup, absent("resume_external_tool"))
	talk := s.resume(p.client(s.T), id, copilot.ResumeSessionConfig{ContinuePendingWork: new(false)})
	if e := s.resumed(talk); e.SessionWasActive == nil || !*e.SessionWasActive {
		s.Errorf("the resume says %+v", e)
	}
	if !s.answered(talk, requests["resume_external_tool"], "EXTERNAL_RESUMED_BETA") {
		s.Error("the call was not pending")
	}
	await[*copilot.SessionIdleData](s.T, talk.ear, 1)
}

// inTwo is a conversation of two processes.
func (s *stage) inTwo(first, second string) *talk {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked(first)
	s.must(talk.Disconnect())
	c.ForceStop()
	again := s.resume(s.client(), talk.SessionID, copilot.ResumeSessionConfig{ContinuePendingWork: new(true)})
	again.asked(second)
	return again
}

func reportsContinuation(s *stage) {
	talk := s.inTwo("Reply with exactly: CONTINUE_PENDING_WORK_TRUE_TURN_ONE", "Reply with exactly: CONTINUE_PENDING_WORK_TRUE_TURN_TWO")
	if e := s.resumed(talk); e.ContinuePendingWork == nil || !*e.ContinuePendingWork || e.SessionWasActive == nil || *e.SessionWasActive {
		s.Errorf("the resume says %+v", e)
	}
}

func resumesWithoutWork(s *stage) {
	s.inTwo("Reply with exactly: NO_PENDING_TURN_ONE", "Reply with exactly: NO_PENDING_TURN_TWO")
}

// suspended suspends the session.
func (s *stage) suspended(t *talk) {
	s.Helper()
	_, err := t.RPC.Suspend(soon(s.T))
	s.must(err)
}

func suspendsIdle(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("Reply with: SUSPEND_IDLE_OK")
	s.suspended(talk)
}

func resumesAfterSuspend(s *stage) {
	p := s.shared()
	c := p.client(s.T)
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Remember the magic word: SUSPENSE. Reply with: SUSPEND_TURN_ONE")
	s.suspended(talk)
	c.ForceStop()
	s.resume(p.client(s.T), talk.SessionID, copilot.ResumeSessionConfig{}).
		asked("What was the magic word I asked you to remember? Reply with just the word.")
}

func suspendsAPermission(s *stage) {
	away := make(chan struct{})
	defer close(away)
	never := toolOf("suspend_cancel_permission_tool", "value", func(string) string {
		s.Error("the tool ran")
		return ""
	})
	talk := s.create(s.client(), copilot.SessionConfig{
		Tools: []copilot.Tool{never},
		OnPermissionRequest: func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
			<-away
			return &rpc.PermissionDecisionNoResult{}, nil
		},
	})
	talk.send("Use suspend_cancel_permission_tool with value 'omega', then reply with the result.")
	await[*copilot.PermissionRequestedData](s.T, talk.ear, 1)
	s.suspended(talk)
}

func suspendsACall(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{Tools: []copilot.Tool{absent("suspend_reject_external_tool")}})
	talk.send("Use suspend_reject_external_tool with value 'sigma', then reply with the result.")
	asked := await[*copilot.ExternalToolRequestedData](s.T, talk.ear, 1)
	s.suspended(talk)
	if done, err := talk.RPC.Tools.HandlePendingToolCall(soon(s.T), &rpc.HandlePendingToolCallRequest{RequestID: asked.RequestID, Result: rpc.ExternalToolStringResult("late")}); err == nil && done.Success {
		s.Error("a rejected call took an answer")
	}
}
