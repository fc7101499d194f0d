package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// wrapFlags lets cmd and the commands below it print their usage as cobra does, but with the
// flags broken into lines of at most [terminal.Columns] columns.
//
// A template would be shorter. But a program that executes a template can call any exported
// method by its name, so the linker keeps all of them: 8 MB of this program.
func wrapFlags(cmd *cobra.Command) {
	usage := cmd.UsageFunc()
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		var plain strings.Builder
		out := cmd.OutOrStderr()
		cmd.SetOut(&plain)
		err := usage(cmd)
		cmd.SetOut(out)
		if err != nil {
			return err
		}
		text := plain.String()
		for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
			if flags.HasAvailableFlags() {
				text = strings.Replace(text, flags.FlagUsages(), flags.FlagUsagesWrapped(terminal.Columns), 1)
			}
		}
		_, err = fmt.Fprint(out, text)
		return err
	})
}
