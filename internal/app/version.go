package app

import (
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
		RunE:  func(*cobra.Command, []string) error { return printVersion(o) },
	}
}

// printVersion is what `version` and --version do.
func printVersion(o *cli.Options) error {
	err := cli.Printf(o.Sys.Stdout, "sidestick %s (protocol %d, %s, %s/%s)\n",
		cli.Version(), wire.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
