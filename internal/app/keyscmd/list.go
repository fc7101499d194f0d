package keyscmd

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func listCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the providers that have a key, and where each key comes from",
		Long: `List the providers that have a key, in the environment or stored, and where each
key comes from. Of a key itself, at most the last four characters are shown.
Commands are not run.`,
		Example: `  sidestick keys list
  sidestick keys list --json | jq -r .provider`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open(o, o.ConfigToShow)
			if err != nil {
				return err
			}
			defer s.stored.Close()
			rows, err := s.rows(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(o.Sys.Stdout, rows)
			}
			return s.print(rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// row is a key as `keys list --json` prints it.
type row struct {
	Provider string `json:"provider"`
	From     string `json:"from"`           // "env ANTHROPIC_API_KEY", "keyring", "file", "command op"
	Ends     string `json:"ends,omitempty"` // the last four characters, of a long key
	Used     bool   `json:"used"`           // false: another row has the key that is used
	Error    string `json:"error,omitempty"`
}

func (s *opened) rows(ctx context.Context) (rows []row, err error) {
	for _, source := range s.cfg.KeySources() {
		used := !slices.ContainsFunc(rows, func(r row) bool { return r.Provider == source.Name })
		rows = append(rows, row{Provider: source.Name, From: "env " + source.Variable, Ends: ends(string(source.Key)), Used: used})
	}
	all, err := s.stored.Entries()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := s.storedRow(ctx, name, all[name])
		r.Used = s.variable(name) == ""
		rows = append(rows, r)
	}
	return rows, nil
}

// storedRow describes a stored key.
func (s *opened) storedRow(ctx context.Context, name string, e keys.Entry) row {
	r := row{Provider: name, From: "file", Ends: ends(e.Key)}
	switch {
	case len(e.Command) > 0:
		r.From = "command " + timeline.OneLine(e.Command[0], terminal.Columns)
	case e.Keyring:
		r.From = "keyring"
		key, err := s.stored.Key(ctx, name, "")
		if r.Ends = ends(key); err != nil {
			r.Error = s.Secrets.Redact(fault.Message(err))
		}
	}
	return r
}

// minShown is the shortest key of which the last characters are shown: those of a shorter one
// would be too much of it.
const minShown = 20

func ends(key string) string {
	if len(key) < minShown {
		return ""
	}
	return "…" + key[len(key)-4:]
}

func (s *opened) print(rows []row) error {
	if len(rows) == 0 {
		_, err := s.Sys.Stdout.Write([]byte("no keys; to store one: sidestick keys set PROVIDER\n"))
		return err
	}
	table := cli.NewTable(s.Sys, nil, "PROVIDER", "ENDS", "FROM")
	for _, r := range rows {
		from := r.From
		switch {
		case r.Error != "":
			from += ": " + timeline.OneLine(r.Error, 2*terminal.Columns)
		case !r.Used:
			from += " (not used: another row has precedence)"
		}
		table.Row(timeline.OneLine(r.Provider, terminal.Columns), r.Ends, from)
	}
	return table.Print()
}
