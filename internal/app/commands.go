package app

import (
	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/agentcmd"
	"github.com/sidestick-dev/sidestick/internal/app/chat"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/demo"
	"github.com/sidestick-dev/sidestick/internal/app/mcpcmd"
	"github.com/sidestick-dev/sidestick/internal/app/serve"
	"github.com/sidestick-dev/sidestick/internal/app/sessions"
)

// commands are the subcommands of sidestick. The help lists them by name.
func commands(o *cli.Options) []*cobra.Command {
	return []*cobra.Command{
		demo.Command(o), mcpcmd.Command(o), chat.RunCommand(o, nil), chat.Command(o), serve.Command(o), sessions.Command(o), modelsCommand(o),
		agentcmd.Command(o, chat.AgentCommand(o)), doctorCommand(o), trustCommand(o), versionCommand(o),
	}
}
