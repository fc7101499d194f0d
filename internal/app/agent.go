package app

import "github.com/spf13/cobra"

// agentCommand is the tools of people who write Copilot Extensions agents. The
// protocol itself is package extension.
func agentCommand(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Write and check Copilot Extensions agents",
		Long: `Write and check Copilot Extensions agents: web services that answer a chat in
server-sent events. Sidestick is the platform that calls them: it signs what it
sends with a key of its own, made at its first use.`,
		Example: `  sidestick agent new parrot                     # an agent in ten lines of Go
  sidestick agent check http://127.0.0.1:8080    # is it right?
  sidestick agent keys                           # how an agent knows who calls`,
	}
	cmd.AddCommand(agentChatCommand(o), agentCheckCommand(o), agentNewCommand(o), agentKeysCommand(o))
	return cmd
}
