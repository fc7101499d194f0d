package app

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// strict makes every error about arguments, in all commands, a [cli.UsageError] that names
// the help. line is the whole command line. A command that only groups others refuses unknown subcommands; cobra alone
// would print its help and exit with 0.
func strict(o *cli.Options, cmd *cobra.Command, line []string) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		o.Flags.Given = cmd.Flags().Changed
		if len(args) > 0 && cmd.HasAvailableSubCommands() {
			return unknownCommand(cmd, args[0])
		}
		if err := cmp.Or(oneDash(cmd, line), blankFlag(cmd)); err != nil {
			return cli.WrongUsage(cmd, err)
		}
		if err := cli.CheckSandboxFlag(cmd, args); err != nil {
			return err
		}
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return cli.WrongUsage(cmd, wrongArguments(cmd, len(args)))
		}
		if slices.ContainsFunc(args, blank) {
			return cli.WrongUsage(cmd, fmt.Errorf("an argument is empty: %s", cmd.UseLine()))
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
		strict(o, sub, line)
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
		return cli.WrongUsage(cmd, fmt.Errorf("%s%s", text, meantFlag(cmd, typed)))
	}
	if _, typed, unknown := strings.Cut(text, " in -"); unknown && strings.HasPrefix(text, "unknown shorthand flag: ") {
		return cli.WrongUsage(cmd, fmt.Errorf("unknown flag: -%s%s", typed, meantFlag(cmd, typed)))
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		err = wrongValue(wrong.GetFlag().Name, wrong.GetFlag().Value.Type(), wrong.GetValue(), wrong.Unwrap())
	}
	return cli.WrongUsage(cmd, err)
}

// flagsElsewhere are flags of other agents at a terminal, and what they are here.
func flagsElsewhere() map[string]string {
	return map[string]string{
		"dangerously-skip-permissions": "allow-all", "dangerously-bypass-approvals-and-sandbox": "allow-all", "full-auto": "allow-all",
		"allowedTools": "allow-tool", "allowed-tools": "allow-tool", "disallowedTools": "deny-tool", "disallowed-tools": "deny-tool",
		"permission-mode": "agent-mode", "reasoning-effort": "effort", "fallback-model": "fallback", "include-directories": "add-dir",
	}
}

// meantFlag says which flag was probably meant: one of the command or, if that is the program
// itself, one of a command below it, which takes it behind its name. "" if none is near.
func meantFlag(cmd *cobra.Command, typed string) string {
	typed, _, _ = strings.Cut(typed, "=")
	if meant := closestFlag(cmd, typed); meant != "" {
		return "; did you mean --" + meant + "?"
	}
	if slices.Contains([]string{"p", "print", "prompt"}, typed) && (cmd == cmd.Root() || cmd.Name() == "run") {
		return "; the prompt needs no flag: " + cmd.Root().Name() + " run PROMPT"
	}
	if cmd != cmd.Root() {
		return ""
	}
	for _, below := range cmd.Commands() {
		if below.Flags().Lookup(typed) != nil {
			return fmt.Sprintf("; it goes behind a command: %s --%s", below.CommandPath(), typed)
		}
	}
	for _, below := range cmd.Commands() {
		if meant := closestFlag(below, typed); meant != "" {
			return fmt.Sprintf("; did you mean %s --%s?", below.CommandPath(), meant)
		}
	}
	return ""
}

func closestFlag(cmd *cobra.Command, typed string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if meant := flagsElsewhere()[typed]; slices.Contains(names, meant) {
		return meant
	}
	return spelling.Closest(typed, names)
}

// oneDash returns the error for a long flag that was written with one dash, which would be read as
// a short flag and its value: -model is -m with the model odel.
func oneDash(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if len(name) > 2 && arg[0] == '-' && arg[1] != '-' && cmd.Flags().Lookup(name) != nil {
			return fmt.Errorf("unknown flag: -%s; did you mean --%s?", name, name)
		}
	}
	return nil
}

// wrongValue is the error for a value that the type of its flag does not allow, for the
// reason cause.
func wrongValue(name, kind, value string, cause error) error {
	if errors.Is(cause, strconv.ErrRange) || kind == "duration" && durations.Get().MatchString(value) {
		size := "large"
		if strings.HasPrefix(value, "-") {
			size = "small"
		}
		return fmt.Errorf("--%s is %s, which is too %s", name, value, size)
	}
	return fmt.Errorf("--%s is %q, want %s", name, value, wantedValue(kind))
}

// durations matches what package time reads as a duration if it is not too long.
var durations = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?([0-9]+[.]?[0-9]*(ns|us|µs|ms|s|m|h))+$`) }}

// blank reports whether there is nothing in a value.
func blank(value string) bool { return strings.TrimSpace(value) == "" }

// blankFlag returns the error for a flag that was given an empty or a blank value, nil if
// there is none. Such a value is most often that of a shell variable that is not set, and only flags with
// [cli.TakesBlank] have a use for it.
func blankFlag(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if err == nil && f.Annotations[cli.TakesBlank] == nil && slices.ContainsFunc(values, blank) {
			err = fmt.Errorf("--%s has an empty value: give it one, or leave the flag out", f.Name)
		}
	})
	return err
}

// wantedValue describes the values of a type of flags.
func wantedValue(kind string) string {
	switch kind {
	case "float64":
		return "a number, such as 0.50"
	case "int":
		return "a whole number"
	case "duration":
		return "a time with a unit, such as 90s or 5m"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}
