package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/timeline"
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
			return cli.WrongUsage(cmd, wrongArguments(cmd, len(args)))
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
	if cmd == cmd.Root() && strings.ContainsAny(strings.TrimSpace(name), " \n?") { // a prompt, not a command
		return cli.NewUsageError(fmt.Errorf("there is no command %q; to send a prompt: sidestick run %s",
			timeline.OneLine(name, 40), cli.ShellWord(timeline.OneLine(name, 200))))
	}
	meant := ""
	cmd.SuggestionsMinimumDistance = 2 // letters; what cobra itself takes when it suggests
	if like := cmd.SuggestionsFor(name); len(like) > 0 {
		meant = "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return cli.WrongUsage(cmd, fmt.Errorf("there is no command %q%s", name, meant))
}

// wrongArguments is the error for a wrong number of arguments.
func wrongArguments(cmd *cobra.Command, given int) error {
	_, wanted, _ := strings.Cut(cmd.Use, " ")
	if wanted = strings.TrimSpace(wanted); wanted == "" {
		return errors.New("it takes no arguments")
	}
	if given == 0 {
		return fmt.Errorf("the argument is missing: %s %s", cmd.CommandPath(), wanted)
	}
	return fmt.Errorf("the number of arguments is wrong: %s %s", cmd.CommandPath(), wanted)
}

// wrongFlag is the error for a flag that does not exist or has a wrong value.
func wrongFlag(cmd *cobra.Command, err error) error {
	text := err.Error()
	if typed, unknown := strings.CutPrefix(text, "unknown flag: --"); unknown {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if meant := cli.Closest(typed, names); meant != "" {
			err = fmt.Errorf("%s; did you mean --%s?", text, meant)
		}
		return cli.WrongUsage(cmd, err)
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		err = fmt.Errorf("--%s is %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), wantedValue(wrong.GetFlag().Value.Type()))
	}
	return cli.WrongUsage(cmd, err)
}

// wantedValue describes the values of a type of flags.
func wantedValue(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "duration":
		return "a time with a unit, such as 90s or 5m"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}
