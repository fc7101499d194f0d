package wire

// The results whose members the protocol declares as nullable, and not as absent. The types of the Go SDK
// leave such a member out if it has no value; a client that looks for null would not find it.
// TestResultsHaveTheMembersOfTheSDKsTypes of package server finds a result that belongs here.
type (
	// AgentCurrent is the result of session.agent.getCurrent.
	AgentCurrent struct {
		Agent *AgentInfo `json:"agent"` // null: the main agent is none of those of the session
	}
	// TaskProgressResult is the result of session.tasks.getProgress.
	TaskProgressResult struct {
		Progress Progress `json:"progress"` // null: there is no such task
	}
	// UserCommandResult is the result of session.shell.executeUserRequested.
	UserCommandResult struct {
		Error      *string `json:"error,omitempty"`
		ExitCode   *int64  `json:"exitCode"` // null: the command did not end by itself
		Output     string  `json:"output"`
		Success    bool    `json:"success"`
		ToolCallID string  `json:"toolCallId"`
	}
)
