package sessions

import (
	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func showCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a session as a conversation",
		Long:  "Show a session as a conversation. Messages that were rewound are marked.",
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
	t := &show.Transcript{Out: o.Sys.Stdout, Look: terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv), Width: screenWidth(o)}
	without := 0 // events that have lost their content
	for past, err := range wiring.StoredEvents(o, id) {
		if err != nil {
			return err
		}
		line := past.JSON
		t.Rewound = past.Removed
		isLost := eventlog.Reference(line) != ""
		if isLost {
			without++
		}
		if err := showEvent(o, t, line, isLost, asJSON); err != nil {
			return err
		}
	}
	if without == 0 {
		return nil
	}
	err := cli.Printf(o.Sys.Stderr, "%s without content; to see which: sidestick sessions verify %s\n", events(without), cli.IDArgument(id))
	return err
}

// screenWidth is the width of stdout, in columns; 0 if it is not a terminal.
func screenWidth(o *cli.Options) int {
	if !terminal.Is(o.Sys.Stdout) {
		return 0
	}
	return cli.Width(o.Sys.Stdout)
}

func showEvent(o *cli.Options, t *show.Transcript, line []byte, isLost, asJSON bool) error {
	if asJSON {
		err := cli.Printf(o.Sys.Stdout, "%s\n", cli.PrintableJSON(line))
		return err
	}
	e, err := wire.ParseEvent(line)
	switch {
	case isLost:
		return t.AddLost(e) // e is empty if not even its type is known
	case err != nil:
		return nil
	}
	return t.Add(e)
}
