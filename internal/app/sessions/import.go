package sessions

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

func importCommand(o *cli.Options) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import the log of another runtime",
		Long: `Import the log of another runtime: an events.jsonl, or the folder that holds
one. Every event that can be read becomes part of a new session, unchanged,
even if the log is damaged. The log itself is not changed.

Long events are kept beside the log, in events.payloads. If that folder is not
beside the log, their content is lost: the command names these events and ends
with exit code 1.

What the log says about approvals has no effect here: you are asked again.

The session gets the id of its session.start event, unless --id gives another.`,
		Example: `  sidestick sessions import ~/.copilot/session-state/0b1f5a8e-5d1c-4c39-9a55-2f6c1d8f7a10
  sidestick sessions import events.jsonl --id notes`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return importSession(o, args[0], id)
		},
	}
	cmd.Flags().StringVar(&id, "id", "", "the id of the new session")
	return cmd
}

func importSession(o *cli.Options, path, id string) error {
	if id != "" {
		if err := wiring.CheckNewID(id); err != nil {
			return err
		}
	}
	store, err := wiring.OpenStore(o)
	if err != nil {
		return err
	}
	made, err := store.Import(cli.Absolute(filepath.Clean(path)), id, func(session string) error {
		return wiring.Disown(o, session) // from its first moment on, the log grants nothing
	})
	if err != nil {
		return err
	}
	if err := cli.Print(o.Sys.Stdout, imported(made, store.Dir(made.Session))); err != nil {
		return err
	}
	if made.LostCount > 0 {
		return fmt.Errorf("%s was imported without the content of %s", made.Session, events(made.LostCount))
	}
	return nil
}

// imported is the result of an import, for the user. dir is the folder of the session.
func imported(made files.Imported, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d events imported\n%s", made.Session, made.Records, repaired(made.Repair))
	if n := made.OtherCount; n > 0 {
		fmt.Fprintf(&b, "left out, because it is not an event: %s\n", lines(made.Others, n))
	}
	next := "sidestick sessions show " + cli.IDArgument(made.Session)
	if made.LostCount > 0 {
		b.WriteString("without content:\n" + lost(made.Lost, made.LostCount))
		next = fmt.Sprintf("copy events.payloads, which was beside the log, to %s, and check it: sidestick sessions verify %s",
			cli.ShellWord(dir), cli.IDArgument(made.Session))
	}
	return b.String() + "next: " + next + "\n"
}

// lines names the first of n lines.
func lines(first []uint64, n int) string {
	const most = 10
	names := make([]string, 0, most)
	for _, line := range first[:min(most, len(first))] {
		names = append(names, fmt.Sprint(line))
	}
	label := "line "
	if n > 1 {
		label = fmt.Sprintf("%d lines: ", n)
	}
	return label + strings.Join(names, ", ") + more(n-len(names))
}

// lost describes the first of n events that have lost their content, one a line.
func lost(first []files.Lost, n int) string {
	const most = 10
	var b strings.Builder
	shown := min(most, len(first))
	for _, l := range first[:shown] {
		fmt.Fprintf(&b, "  event %d, %s: %s\n", l.Event, cmp.Or(l.Type, "of an unknown type"), l.Why)
	}
	if n > shown {
		fmt.Fprintf(&b, "  and %d more\n", n-shown)
	}
	return b.String()
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func events(n int) string {
	if n == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", n)
}
