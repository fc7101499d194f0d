package app

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func sessionsCommand(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "See what is in the logs",
		Long: `See what is in the logs. Who only looks changes none of them, so list, show and
verify work beside a server that is running. The list comes from the catalogue
that servers keep beside them.`,
		Example: `  sidestick sessions list
  sidestick sessions show 0b1f5a8e-5d1c-4c39-9a55-2f6c1d8f7a10
  sidestick sessions show notes --json | jq -r .type`,
	}
	cmd.AddCommand(sessionsListCommand(o), sessionsShowCommand(o), sessionsVerifyCommand(o), sessionsImportCommand(o))
	return cmd
}

// listLimit is how many sessions are listed unless somebody asks for more.
const listLimit = 50

func sessionsListCommand(o *options) *cobra.Command {
	var asJSON bool
	limit := listLimit
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions, the one changed last first",
		Example: `  sidestick sessions list
  sidestick sessions list --limit 0                               # all of them
  sidestick sessions list --limit 1 --json | jq -r .sessionId     # the last one`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return usageError{fmt.Errorf("--limit is %d, want a number of sessions, or 0 for all", limit)}
			}
			list, more, err := o.newest(cmd.Context(), limit)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(o, list)
			} else {
				err = o.printSessions(list)
			}
			if more > 0 && err == nil {
				_, err = fmt.Fprintf(o.sys.Stderr, "%d more: --limit 0 lists all\n", more)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&limit, "limit", listLimit, "how many, the newest; 0 is all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// printJSON prints one object a line.
func printJSON[T any](o *options, list []T) error {
	enc := json.NewEncoder(o.sys.Stdout)
	enc.SetEscapeHTML(false)
	for _, l := range list {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) printSessions(list []listing.Listed) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(o.sys.Stdout, `No sessions yet. Start one: sidestick run "..."`)
		return err
	}
	table := newTable(o, "ID", "AGE", "SIZE", "TITLE")
	table.right = []int{1, 2}
	for _, l := range list {
		table.row(l.SessionID, age(l.ModifiedTime), size(l.Bytes), timeline.OneLine(l.Summary, columns))
	}
	return table.print()
}

// age is how long ago a timestamp of the wire was, in its largest unit.
func age(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return "?"
	}
	const day = 24 * time.Hour
	switch d := max(time.Since(t), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}

// size is a number of bytes as people read it.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
}

// completeLimit is how many sessions a shell is offered: more than anybody reads,
// so that the beginning of an older id is completed, too.
const completeLimit = 1000

// completeSession offers session ids to the shell, with their titles.
func (o *options) completeSession(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if list, _, err := o.newest(cmd.Context(), completeLimit); err == nil {
		for _, l := range list {
			ids = append(ids, cobra.CompletionWithDesc(l.SessionID, timeline.OneLine(l.Summary, 40)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
