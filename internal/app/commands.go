package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/agentcmd"
	"github.com/sidestick-dev/sidestick/internal/app/chat"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/configcmd"
	"github.com/sidestick-dev/sidestick/internal/app/demo"
	"github.com/sidestick-dev/sidestick/internal/app/keyscmd"
	"github.com/sidestick-dev/sidestick/internal/app/mcpcmd"
	"github.com/sidestick-dev/sidestick/internal/app/replay"
	"github.com/sidestick-dev/sidestick/internal/app/serve"
	"github.com/sidestick-dev/sidestick/internal/app/sessions"
)

// command makes one subcommand of sidestick.
type command struct {
	name string
	make func(o *cli.Options) *cobra.Command
}

// commands are the subcommands of sidestick. The help lists them by name.
func commands() []command {
	return []command{
		{"demo", demo.Command},
		{"mcp", mcpcmd.Command},
		{"run", func(o *cli.Options) *cobra.Command { return chat.RunCommand(o, nil) }},
		{"chat", func(o *cli.Options) *cobra.Command { return chat.Command(o, offerModels) }},
		{"serve", serve.Command},
		{"sessions", sessions.Command},
		{"replay", replay.Command},
		{"models", modelsCommand},
		{"agent", func(o *cli.Options) *cobra.Command { return agentcmd.Command(o, chat.AgentCommand(o)) }},
		{"keys", keyscmd.Command},
		{"config", configcmd.Command},
		{"init", initCommand},
		{"doctor", doctorCommand},
		{"trust", trustCommand},
		{"quarantine", quarantineCommand},
		{"version", versionCommand},
	}
}

// needed are those of the subcommands that the arguments can be about, because making one takes
// time and memory: the one that they begin with; none if they start a server as the SDKs do, by
// flags alone; and otherwise all, for help, completion and what a wrong command is answered with.
func needed(args []string) []command {
	all := commands()
	if len(args) == 0 {
		return all
	}
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] }); i >= 0 {
		return all[i : i+1]
	}
	server := false
	for _, arg := range args {
		switch {
		case arg == "--headless", arg == "--server":
			server = true
		case arg == "help", arg == "completion", strings.HasPrefix(arg, "--help"), !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, "-"),
			slices.ContainsFunc(all, func(c command) bool { return c.name == arg }):
			return all
		}
	}
	if server && strings.HasPrefix(args[0], "--") {
		return nil
	}
	return all
}
