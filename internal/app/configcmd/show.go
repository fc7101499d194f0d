package configcmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func showCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [KEY]",
		Short: "Print the settings, and where the value of each comes from",
		Long: `Print every setting that a file can have, its value for a run in this folder, and
where that comes from: a flag, a variable, a line of a file, or the default.
With a KEY, print that setting alone, and what it is for. No secret is printed.`,
		Example: `  sidestick config show
  sidestick config show permissions.deny
  sidestick config show --json | jq -r 'select(.from != "default")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeKey(false),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			if c := (&change{Options: o}); !asJSON {
				return c.show(name)
			}
			keys, cfg, err := shown(o, name)
			if err != nil {
				return err
			}
			return cli.PrintJSON(o.Sys.Stdout, rowsOf(cfg, keys))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// shownRow is a setting as `config show --json` prints it.
type shownRow struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null: it has none
	From  string `json:"from"`  // "flag --model", "env SIDESTICK_MODEL", "file PATH:LINE", "default", "not set"
}

// shown are all settings, or the one with a name, and their values.
func shown(o *cli.Options, name string) (keys []config.Key, cfg config.Config, err error) {
	keys = config.Keys()
	if name != "" {
		k, err := keyOf(name)
		if err != nil {
			return nil, cfg, err
		}
		keys = []config.Key{k}
	}
	cfg, err = o.ConfigToShow()
	return keys, cfg, err
}

func rowsOf(cfg config.Config, keys []config.Key) (rows []shownRow) {
	for _, k := range keys {
		value, from := cfg.Show(k)
		rows = append(rows, shownRow{k.Name, value, from})
	}
	return rows
}

// printed is a value on one line.
func printed(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	case map[string][]string:
		text, _ := json.Marshal(v) // texts only
		return string(text)
	}
	return fmt.Sprint(value)
}

// inFile reports whether a source is a line of a file, or lines of several.
func inFile(from, path string) bool { return strings.Contains(from, path+":") }

// place is a source as the user reads it: with ~ in paths.
func place(from string) string {
	parts := strings.Split(from, ", ")
	for i, part := range parts {
		if path, ok := strings.CutPrefix(part, "file "); ok {
			parts[i] = cli.Tilde(path)
		}
	}
	return timeline.ExposedLine(strings.Join(parts, ", "), 4*terminal.Columns)
}

// widest is the width of the values; a longer one moves its source.
const widest = 30

func table(o *cli.Options, rows []shownRow) error {
	look := terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)
	name := 0
	for _, r := range rows {
		name = max(name, len(r.Key))
	}
	var b strings.Builder
	for _, r := range rows {
		value := timeline.ExposedLine(printed(r.Value), 4*terminal.Columns)
		from := place(r.From)
		if r.Value == nil {
			value = "–"
		}
		line := timeline.Pad(r.Key, name+2) + timeline.Pad(value, widest) + "  "
		if r.From == config.Default || r.From == config.Unset {
			b.WriteString(look.Dim(line+from) + "\n")
		} else {
			b.WriteString(line + look.Dim(from) + "\n")
		}
	}
	_, err := o.Sys.Stdout.Write([]byte(o.Secrets.Redact(b.String())))
	return err
}

// describe prints one setting, and what it is for.
func describe(o *cli.Options, k config.Key, r shownRow) error {
	var b strings.Builder
	value := timeline.ExposedLine(printed(r.Value), 8*terminal.Columns)
	if r.Value == nil {
		value = "(none)"
	}
	fmt.Fprintf(&b, "%s\n  %s\n\n", value, place(r.From))
	b.WriteString(cli.Indented("", strings.ToUpper(k.Help[:1])+strings.ReplaceAll(k.Help[1:], "`", "")+"."))
	for _, line := range []struct{ name, text string }{
		{"values", strings.Join(wordsOf(k), ", ")},
		{"default", strings.ReplaceAll(k.Default, "`", "")},
		{"flags", strings.Join(k.Flags, ", ")},
		{"variables", strings.Join(k.Variables, ", ")},
		{"in a project", inProject(k)},
	} {
		if line.text != "" {
			b.WriteString(cli.Indented("  "+timeline.Pad(line.name, 14), line.text))
		}
	}
	_, err := o.Sys.Stdout.Write([]byte(o.Secrets.Redact(b.String())))
	return err
}

// inProject says what the file of a project may do with a setting.
func inProject(k config.Key) string {
	switch k.Project {
	case config.Trusted:
		return "yes, if you trust the folder"
	case config.Stricter:
		return "yes, if it makes things stricter"
	}
	return "no: " + k.Why
}
