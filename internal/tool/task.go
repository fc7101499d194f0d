package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

//go:embed task.md
var taskText string

// Task is the tool that starts a sub-agent.
func Task(from Agents) Tool { return &task{from} }

type task struct{ from Agents }

// taskSchema has a place for the names of the agents.
const taskSchema = `{"type":"object","properties":{` +
	`"agent_type":{"type":"string","enum":%s,"description":"Which agent does the task."},` +
	`"name":{"type":"string","description":"A short name for it, such as \"read-config\"."},` +
	`"description":{"type":"string","description":"The task in three to five words, for the user."},` +
	`"prompt":{"type":"string","description":"The whole task: the agent knows nothing else."},` +
	`"mode":{"type":"string","enum":["sync","background"],"description":"sync (default) waits for the result."},` +
	`"model":{"type":"string","description":"Another model. Leave out unless the user names one."}},` +
	`"required":["agent_type","name","description","prompt"]}`

// Definition lists the agents, one line each. It changes when they change.
func (t *task) Definition() Definition {
	var names []string
	text := strings.Builder{}
	text.WriteString(strings.TrimSpace(taskText) + "\n\nAgents:")
	for _, c := range t.from.AgentChoices() {
		names = append(names, c.Name)
		text.WriteString("\n- " + c.Name)
		if c.Description != "" {
			text.WriteString(": " + c.Description)
		}
	}
	enum, err := json.Marshal(names)
	if err != nil || names == nil {
		enum = []byte(`[""]`) // it is not offered
	}
	return define(fact.Task, text.String(), fmt.Appendf(nil, taskSchema, enum))
}

// Run implements [Tool]. Recordings match the texts of the results.
func (t *task) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		Agent       string `json:"agent_type"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Prompt      string `json:"prompt"`
		Mode        string `json:"mode"`
		Model       string `json:"model"`
	}](c)
	if bad != nil {
		return *bad
	}
	if strings.TrimSpace(args.Prompt) == "" {
		return failure("the prompt is empty: the agent would have nothing to do")
	}
	a, err := t.from.StartAgent(ctx, c, AgentTask{
		Agent: args.Agent, Name: args.Name, Description: args.Description, Prompt: args.Prompt, Model: args.Model,
		Background: args.Mode == "background",
	})
	if err != nil {
		return agentError(ctx, err)
	}
	switch a.Status {
	case AgentRunning:
		return success("Agent started in background with agent_id: " + a.ID + ". You'll be notified when it completes. " +
			"Tell the user you're waiting and end your response, or continue unrelated work until notified.")
	case AgentFailed:
		if a.Text != "" {
			return failure("The agent %s failed: %s\n\nIts last message was:\n%s", a.ID, a.Error, a.Text)
		}
		return failure("The agent %s failed: %s", a.ID, a.Error)
	case AgentCanceled:
		if ctx.Err() != nil {
			return interrupted()
		}
		return failure("The agent %s was cancelled before it was done.", a.ID)
	}
	if a.Text == "" {
		return success("The agent " + a.ID + " ended without an answer.")
	}
	return success(a.Text)
}
