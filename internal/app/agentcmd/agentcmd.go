// Package agentcmd is the command `sidestick agent`, for users of Copilot Extensions
// agents and for their authors. The protocol itself is the public package extension.
package agentcmd

import (
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/spf13/cobra"
)

// Command is `sidestick agent`. chat is the command that talks to an agent.
func Command(o *cli.Options, chat *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Talk to Copilot Extensions agents; write and check them",
		Long: `Talk to Copilot Extensions agents, write them and check them. Such an agent is a
web service that answers chat messages with server-sent events. Sidestick calls
such agents as GitHub did, and signs the requests with a key that it creates on
first use.`,
		Example: `  sidestick agent chat https://agent.example   # talk to one
  sidestick agent new parrot                   # an agent in ten lines of Go
  sidestick agent check http://127.0.0.1:8080  # check its answer
  sidestick agent keys                         # the key to verify requests with`,
	}
	cmd.AddCommand(chat, checkCommand(o), newCommand(o), keysCommand(o))
	return cmd
}
