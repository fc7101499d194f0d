package chat

import (
	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/model/extensions"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
)

// AgentCommand is `sidestick agent chat`: a chat with an agent of the Extensions protocol
// as the model.
func AgentCommand(o *cli.Options) *cobra.Command {
	c := &chatter{Options: o}
	slug := ""
	cmd := &cobra.Command{
		Use:   "chat URL",
		Short: "Chat with a Copilot Extensions agent",
		Long: `Chat with an agent of the Copilot Extensions protocol, in a
session that --continue resumes. The sources of an answer are listed under it.
If the agent asks for a confirmation, it waits for your answer; no flag or rule
says yes for you.

The agent receives what you type, and its own answers, but no files, and no
token other than that of --token-env or SIDESTICK_AGENT_TOKEN. Its address must
be https, unless it is on this machine. The same as sidestick chat --model
extension:URL. An agent that answers only under its own slug gets it from --slug,
or from the URL: --model extension:https://agent.example#slug.`,
		Example: `  sidestick agent chat http://127.0.0.1:4243
  sidestick agent chat https://agent.example --continue`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := extensions.CheckAddress(args[0], false); err != nil {
				return cli.NewUsageError(err)
			}
			o.Flags.Model = extensions.ModelName(extensions.WithSlug(args[0], slug))
			return c.run(cmd.Context())
		},
	}
	c.plainFlag(cmd)
	f := cmd.Flags()
	f.BoolVarP(&c.Continue, "continue", "c", false, "continue the session of this folder that was changed last")
	f.StringVarP(&c.Resume, "resume", "r", "", "continue the session with this `ID`; its first characters are enough")
	f.StringVar(&slug, "slug", "", "`name` by which the requests call the agent (default that of the URL, else none)")
	f.StringVar(&o.Flags.AgentTokenEnv, "token-env", "", "environment `variable` with a GitHub token for the agent (default SIDESTICK_AGENT_TOKEN, else none)")
	f.DurationVar(&o.Flags.Timeout, "timeout", 0, "end an answer after this `time`, such as 90s or 5m; 0 is no limit")
	_ = cmd.RegisterFlagCompletionFunc("resume", wiring.CompleteSession(o)) // fails for an unknown flag only
	return cmd
}
