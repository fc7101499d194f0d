package app

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func versionCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(o.Sys.Stdout, versionLine())
			return err
		},
	}
}

// versionLine is what `version` and --version print.
func versionLine() string {
	return fmt.Sprintf("sidestick %s (protocol %d, %s, %s/%s)",
		cli.Version(), wire.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
