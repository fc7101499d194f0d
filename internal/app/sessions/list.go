package sessions

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Command is `sidestick sessions`.
func Command(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, search, show, export, rename, remove, verify and import sessions",
		Long: `List, search, show, export, rename, remove, verify and import sessions. list,
search, show, export and verify do not change sessions (except verify --accept),
so you can use them while a server runs.
list reads the list of sessions (catalog.db) that servers keep next to the logs,
and corrects it where it differs from them. The first characters of an id are
enough where only one session has them.`,
		Example: `  sidestick sessions list
  sidestick sessions show 0b1f5a8e-5d1c-4c39-9a55-2f6c1d8f7a10
  sidestick sessions search race condition
  sidestick sessions export 0b1f -o talk.md
  sidestick sessions show notes --json | jq -r .type`,
	}
	cmd.AddCommand(listCommand(o), searchCommand(o), showCommand(o), exportCommand(o), renameCommand(o), removeCommand(o), verifyCommand(o), importCommand(o))
	return cmd
}

// listLimit is how many sessions are listed by default.
const listLimit = 50

func listCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	limit := listLimit
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List sessions, most recently changed first",
		Example: `  sidestick sessions list
  sidestick sessions list --limit 0                               # all of them
  sidestick sessions list --limit 1 --json | jq -r .sessionId     # the last one`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return cli.NewUsageError(fmt.Errorf("--limit is %d, want a number of sessions, or 0 for all", limit))
			}
			list, more, err := wiring.Newest(cmd.Context(), o, limit)
			if err != nil {
				return err
			}
			if asJSON {
				err = cli.PrintJSON(o.Sys.Stdout, list)
			} else {
				err = printSessions(o, list)
			}
			if more > 0 && err == nil {
				err = cli.Printf(o.Sys.Stderr, "%d more: --limit 0 lists all\n", more)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&limit, "limit", listLimit, "how many of the newest to list; 0 lists all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// folder is where a session works, "" if its log does not say. On a terminal only the end
// of a long path is shown, so that the titles stay on the screen. An imported log may name any text, which
// stays in its row.
func folder(o *cli.Options, l listing.Listed) string {
	if l.Context == nil {
		return ""
	}
	path := timeline.ExposedPath(cli.Tilde(l.Context.Cwd))
	const before = 56 // columns of id, age and size
	room := max((cli.Width(o.Sys.Stdout)-before)/2, 10)
	if runes := []rune(path); terminal.Is(o.Sys.Stdout) && len(runes) > room {
		path = "…" + string(runes[len(runes)-room+1:])
	}
	return path
}

func printSessions(o *cli.Options, list []listing.Listed) error {
	if len(list) == 0 {
		err := cli.Print(o.Sys.Stdout, `No sessions yet. Start one: sidestick run "..."`+"\n")
		return err
	}
	table := cli.NewTable(o.Sys, []int{1, 2}, "ID", "AGE", "SIZE", "FOLDER", "TITLE")
	for _, l := range list {
		table.Row(l.Short, cli.Age(l.ModifiedTime), cli.Size(l.Bytes), folder(o, l), timeline.OneLine(l.Summary, terminal.Columns))
	}
	return table.Print()
}
