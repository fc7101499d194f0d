package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// complaint is what a person reads of an error: on what, why, and what to do
// next. The name of the function that failed is for logs.
func complaint(err error) string {
	var e *fault.Error
	text := err.Error()
	if errors.As(err, &e) && text == e.Error() { // nobody put more around it
		text = fault.Message(e)
		if e.On != "" {
			text = e.On + ": " + text
		}
	}
	return strings.TrimSpace(text)
}

// strict makes every complaint about arguments, in all commands, a [usageError]
// that says where the help is, and has a command that only groups others refuse
// what it does not know; cobra would show its help and call that success.
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
			return wrongUsage(cmd, err)
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
	return wrongUsage(cmd, fmt.Errorf("there is no command %q%s", name, meant))
}

func wrongUsage(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
}
