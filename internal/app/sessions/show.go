package sessions

import (
	"iter"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func showCommand(o *cli.Options) *cobra.Command {
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a session as a conversation",
		Long: `Show a session as a conversation. Messages that were rewound are marked.

With --follow, go on with what is recorded from now on, by whichever program works in
the session, until Ctrl+C. The session does not notice that it is followed.`,
		Example: `  sidestick sessions show notes
  sidestick sessions show notes --follow
  sidestick sessions show notes --json | jq -r 'select(.type == "abort")'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			events := wiring.StoredEvents(cmd.Context(), o, args[0])
			if follow {
				events = wiring.FollowedEvents(cmd.Context(), o, args[0])
			}
			return showSession(o, args[0], events, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is recorded from now on, until Ctrl+C")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as the log holds them, one a line")
	return cmd
}

func showSession(o *cli.Options, id string, past iter.Seq2[listing.Past, error], asJSON bool) error {
	t := &show.Transcript{Out: o.Sys.Stdout, Look: terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv), Width: screenWidth(o)}
	without := 0 // events that have lost their content
	for event, err := range past {
		if err != nil {
			return err
		}
		line := event.JSON
		t.Rewound = event.Removed
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
