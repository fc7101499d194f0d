package app

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/spf13/cobra"
)

// strict makes every error about arguments, in all commands, a [cli.UsageError] that names
// the help. A command that only groups others refuses unknown subcommands; cobra alone
// would print its help and exit with 0.
func strict(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && cmd.HasAvailableSubCommands() {
			return unknownCommand(cmd, args[0])
		}
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return cli.WrongUsage(cmd, err)
		}
		return nil
	}
	if cmd.Name() == "help" {
		cmd.Args = helpFor
	}
	if cmd.Run == nil && cmd.RunE == nil {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	for _, sub := range cmd.Commands() {
		strict(sub)
	}
}

// helpFor refuses the name of a command that does not exist.
func helpFor(help *cobra.Command, args []string) error {
	cmd, rest, _ := help.Root().Find(args)
	if len(rest) > 0 {
		return unknownCommand(cmd, rest[0])
	}
	return nil
}

func unknownCommand(cmd *cobra.Command, name string) error {
	meant := ""
	cmd.SuggestionsMinimumDistance = 2 // letters; what cobra itself takes when it suggests
	if like := cmd.SuggestionsFor(name); len(like) > 0 {
		meant = "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return cli.WrongUsage(cmd, fmt.Errorf("there is no command %q%s", name, meant))
}
