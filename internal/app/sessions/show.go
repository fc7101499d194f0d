package sessions

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/spf13/cobra"
)

func showCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a session as a conversation",
		Example: `  sidestick sessions show notes
  sidestick sessions show notes --json | jq -r 'select(.type == "abort")'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(_ *cobra.Command, args []string) error {
			return showSession(o, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as the log holds them, one a line")
	return cmd
}

func showSession(o *cli.Options, id string, asJSON bool) error {
	t := &show.Transcript{Out: o.Sys.Stdout, Look: terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)}
	for line, err := range wiring.StoredEvents(o, id) {
		if err != nil {
			return err
		}
		if asJSON {
			_, err = fmt.Fprintf(o.Sys.Stdout, "%s\n", line)
		} else if e, parseErr := wire.ParseEvent(line); parseErr == nil {
			err = t.Add(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
