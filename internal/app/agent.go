package app

import "github.com/spf13/cobra"

// agentCommand is for people who talk to Copilot Extensions agents, and who write
// them. The protocol itself is package extension.
func agentCommand(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Talk to Copilot Extensions agents; write and check them",
		Long: `Talk to Copilot Extensions agents, and write and check them: web services that
answer a chat in server-sent events. Sidestick is the platform that calls them:
it signs what it sends with a key of its own, made at its first use.`,
		Example: `  sidestick agent chat https://agent.example     # talk to one
  sidestick agent new parrot                     # an agent in ten lines of Go
  sidestick agent check http://127.0.0.1:8080    # is it right?
  sidestick agent keys                           # how an agent knows who calls`,
	}
	cmd.AddCommand(agentChatCommand(o), agentCheckCommand(o), agentNewCommand(o), agentKeysCommand(o))
	return cmd
}
