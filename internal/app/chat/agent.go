package chat

import (
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
)

// AgentCommand is `sidestick agent chat`: a chat with an agent of the Extensions protocol
// as the model.
func AgentCommand(o *cli.Options) *cobra.Command {
	c := &chatter{Options: o}
	cmd := &cobra.Command{
		Use:   "chat URL",
		Short: "Talk to an agent, line by line",
		Long: `Talk to an agent of the Extensions protocol, line by line, in one session that can
be gone on with. What it refers to is listed under its answer; what it asks you to
confirm waits for your yes or no, and no flag or rule answers that for you.

It gets what you type, its own answers and nothing else: no file, and no token
but that of --token-env or SIDESTICK_AGENT_TOKEN. https only, apart from agents on
this machine. The same as sidestick chat --model extension:URL.`,
		Example: `  sidestick agent chat http://127.0.0.1:4243
  sidestick agent chat https://agent.example --continue`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := extensions.CheckAddress(args[0], false); err != nil {
				return cli.NewUsageError(err)
			}
			o.Flags.Model = extensions.ModelName(args[0])
			return c.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&c.goOn, "continue", "c", false, "go on with the newest session of this directory")
	f.StringVarP(&c.resume, "resume", "r", "", "go on with the session of this `ID`; its beginning is enough")
	f.StringVar(&o.Flags.AgentTokenEnv, "token-env", "", "environment `variable` with a GitHub token for the agent (default SIDESTICK_AGENT_TOKEN, else none)")
	f.DurationVar(&c.timeout, "timeout", 0, "end an answer after this `time`, as 90s or 5m; 0 is no limit")
	_ = cmd.RegisterFlagCompletionFunc("resume", wiring.CompleteSession(o)) // fails for an unknown flag only
	return cmd
}
