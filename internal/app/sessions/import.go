package sessions

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/spf13/cobra"
)

func importCommand(o *cli.Options) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import the log of another runtime",
		Long: `Import the log of another runtime: an events.jsonl, or the folder that holds
one. Every event that can be read becomes part of a new session, unchanged,
even if the log is damaged. The log itself is not changed.

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
		if err := wiring.CheckID(id); err != nil {
			return err
		}
	}
	store, err := wiring.OpenStore(o)
	if err != nil {
		return err
	}
	made, err := store.Import(cli.Absolute(filepath.Clean(path)), id)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s: %d events imported\n%snext: sidestick sessions show %s\n",
		made.Session, made.Records, repaired(made.Repair), cli.ShellWord(made.Session))
	_, err = io.WriteString(o.Sys.Stdout, text)
	return err
}
