package e2e_test

import (
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// commandsOfTheProgram runs a command of the program, and one that nobody has registered and that
// the program answers because it watches.
func commandsOfTheProgram(t *testing.T) []copilot.SessionEvent {
	c := spawned(t)
	deploy := copilot.CommandDefinition{Name: "deploy", Description: "Deploys.", Handler: func(copilot.CommandContext) error { return nil }}
	s := create(t, c, copilot.SessionConfig{Provider: at(script(t)), Commands: []copilot.CommandDefinition{deploy}})
	if _, err := s.RPC.Commands.Execute(soon(t), &rpc.ExecuteCommandParams{CommandName: "deploy", Args: "now"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RPC.EventLog.RegisterInterest(soon(t), &rpc.RegisterEventInterestParams{EventType: "command.queued"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RPC.Commands.Enqueue(soon(t), &rpc.EnqueueCommandParams{Command: "/special"}); err != nil {
		t.Fatal(err)
	}
	queued := await[*copilot.CommandQueuedData](t, s.ear, 1)
	if _, err := s.RPC.Commands.RespondToQueuedCommand(soon(t), &rpc.CommandsRespondToQueuedCommandRequest{
		RequestID: queued.RequestID, Result: &rpc.QueuedCommandHandled{},
	}); err != nil {
		t.Fatal(err)
	}
	await[*copilot.CommandCompletedData](t, s.ear, 1)
	return s.events()
}

// scout is an agent that the model can give a task.
var scout = copilot.CustomAgentConfig{Name: "scout", DisplayName: "Scout", Description: "Finds things.", Prompt: "Find it."}

// subAgents are one that finds something, and one whose model fails.
func subAgents(t *testing.T) []copilot.SessionEvent {
	task := func(prompt string) modeltest.Reply {
		return call("task", `{"agent_type":"scout","name":"finder","description":"Find it","prompt":"`+prompt+`"}`)
	}
	m := script(
		t, task("Find it."), say("It is there."),
		task("Find more."), modeltest.Reply{Status: 400, Body: `{"error":{"message":"No."}}`}, say("done"),
	)
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), CustomAgents: []copilot.CustomAgentConfig{scout}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	s.ask("Find it")
	return s.events()
}

// theChoiceOfAnAgent is made when the session is created, and unmade.
func theChoiceOfAnAgent(t *testing.T) []copilot.SessionEvent {
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(script(t)), CustomAgents: []copilot.CustomAgentConfig{scout}, Agent: "scout"})
	if _, err := s.RPC.Agent.Deselect(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SubagentDeselectedData](t, s.ear, 1)
	return s.events()
}
