package app

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func versionCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(o.sys.Stdout, versionLine())
			return err
		},
	}
}

// versionLine is what `version` and --version print.
func versionLine() string {
	return fmt.Sprintf("sidestick %s (protocol %d, %s, %s/%s)",
		Version(), wire.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
