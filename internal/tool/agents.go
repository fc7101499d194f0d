package tool

import (
	"context"
	"fmt"
	"time"
)

// Agents are the sub-agents of a session, as the tools for them need them. Its methods are
// safe for concurrent use. Errors are for the model.
type Agents interface {
	// AgentChoices returns the agents that the model may start; none if it may start none.
	// The caller does not modify the slice.
	AgentChoices() []AgentChoice
	// StartAgent starts a sub-agent for a call. Unless it runs in the background,
	// StartAgent returns when it has ended, or was moved to the background, or ctx has
	// ended, which stops it.
	StartAgent(ctx context.Context, c Call, t AgentTask) (SubAgent, error)
	// SubAgent returns a sub-agent that c may see: one that was started in the same session.
	// It waits at most wait for the sub-agent to end.
	SubAgent(ctx context.Context, id string, wait time.Duration) (SubAgent, error)
	// SubAgents returns the sub-agents of the session, in the order in which they started.
	SubAgents(ctx context.Context) ([]SubAgent, error)
	// WriteAgent sends a sub-agent a message. One that has ended continues in the background.
	WriteAgent(ctx context.Context, c Call, id, message string) (SubAgent, error)
}

// AgentChoice is an agent that a model may start.
type AgentChoice struct{ Name, Description string }

// AgentTask is what a sub-agent is started for.
type AgentTask struct {
	Agent       string // the name of its definition
	Name        string // of the sub-agent, chosen by its starter
	Description string
	Prompt      string
	Model       string // "": the agent's own, or the session's
	Background  bool
}

// SubAgent is the state of a sub-agent.
type SubAgent struct {
	ID, Agent, Name, Description string
	Status                       AgentStatus
	Background                   bool
	Elapsed                      time.Duration // while it worked
	Turns                        int
	Text                         string // of its last answer
	Error                        string // why it failed
}

// AgentStatus is the status of a sub-agent, in the words of the protocol.
type AgentStatus string

const (
	AgentRunning   AgentStatus = "running"
	AgentCompleted AgentStatus = "completed"
	AgentFailed    AgentStatus = "failed"
	AgentCanceled  AgentStatus = "cancelled"
)

// AgentTools are the tools that start sub-agents, read their results, list them, and send
// them messages.
func AgentTools(from Agents) []Tool {
	return []Tool{&readAgent{from}, &listAgents{from}, &writeAgent{from}}
}

// summary is the line about a sub-agent that the model reads. Recordings match it.
func (a SubAgent) summary() string {
	return fmt.Sprintf("agent_id: %s, agent_type: %s, status: %s, description: %s, elapsed: %ds, total_turns: %d",
		a.ID, a.Agent, a.Status, a.Description, int(a.Elapsed.Seconds()), a.Turns)
}

// agentError is the result of a call about a sub-agent that could not be made.
func agentError(ctx context.Context, err error) Result {
	if ctx.Err() != nil {
		return interrupted()
	}
	return failure("%v", err)
}
