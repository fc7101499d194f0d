package configcmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/settings"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Command is `sidestick config`.
func Command(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change the settings in files, and where each comes from",
		Long: `Show and change settings. The value of a setting comes from the first of these
that has one: a flag, a variable of the environment, the file of the project
(.sidestick/config.jsonc), your own file, the default.

The file of a project can make things stricter, such as deny tool calls; in a
folder that you trust (sidestick trust) it can also choose a model of your
provider. It can neither grant permissions nor name servers or programs.
Keys of providers are in no such file: sidestick keys stores them.`,
		Example: `  sidestick config show
  sidestick config show model
  sidestick config set model ollama:qwen3
  sidestick config set permissions.deny 'shell(git push)' --project
  sidestick config unset effort
  sidestick config edit`,
	}
	cmd.AddCommand(showCommand(o), setCommand(o), unsetCommand(o), editCommand(o), pathCommand(o))
	return cmd
}

// editor changes the settings files.
func editor(o *cli.Options) (settings.Editor, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // HomeOf reports it if it needs a home
	}
	state, err := config.HomeOf(o.Sys.Getenv, home)
	if err != nil {
		return settings.Editor{}, cli.NewUsageError(err)
	}
	return settings.Editor{Place: o.Place(home), Lock: filepath.Join(cli.Absolute(state), "config.lock")}, nil
}

// keyOf returns the setting of a name. The error is a [cli.UsageError].
func keyOf(name string) (config.Key, error) {
	k, ok := config.FindKey(name)
	if ok {
		return k, nil
	}
	next := "; sidestick config show lists all settings"
	if meant := spelling.Closest(name, names()); meant != "" {
		next = "; did you mean " + meant + "?"
	}
	return k, cli.NewUsageError(fmt.Errorf("there is no setting %q%s", timeline.OneLine(name, terminal.Columns/2), next))
}

func names() (all []string) {
	for _, k := range config.Keys() {
		all = append(all, k.Name)
	}
	return all
}

// completeKey completes the name of a setting and, if values is set, its value.
func completeKey(values bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			var all []string
			for _, k := range config.Keys() {
				all = append(all, cobra.CompletionWithDesc(k.Name, k.Help))
			}
			return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		case len(args) == 1 && values:
			k, _ := config.FindKey(args[0])
			return wordsOf(k), directiveOf(k)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// shortPath is a path as the user reads it.
func shortPath(path string) string {
	return timeline.ExposedLine(cli.Tilde(path), 2*terminal.Columns)
}
