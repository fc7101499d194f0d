package mcpcmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func listCommand(o *cli.Options) *cobra.Command {
	var asJSON, test bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List MCP servers by the files that configure them",
		Long: `List MCP servers by the files that configure them. With --test, those that
sessions start are started, and their states shown.`,
		Example: `  sidestick mcp list
  sidestick mcp list --test
  sidestick mcp list --json | jq -r .name`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			load := o.ConfigToShow
			if test { // it starts programs
				load = o.Config
			}
			s, err := open(o, load)
			if err != nil {
				return err
			}
			return s.list(cmd.Context(), test, asJSON)
		},
	}
	cmd.Flags().BoolVar(&test, "test", false, "start the servers and show their states")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// row is a server as `mcp list --json` prints it.
type row struct {
	Name      string   `json:"name"`
	Transport string   `json:"type,omitempty"` // empty if the configuration is wrong
	Target    string   `json:"target,omitempty"`
	Variables []string `json:"env,omitempty"`
	Headers   []string `json:"headers,omitempty"`
	File      string   `json:"file"`
	Source    string   `json:"source"`
	State     string   `json:"state"` // "configured", "disabled", "left out", or that of the attempt
	Why       string   `json:"why,omitempty"`
	Sandbox   string   `json:"sandbox,omitempty"` // what a server of the project may do in its sandbox
	Tools     int      `json:"tools,omitempty"`   // of a server that is connected, that the model is offered
	// NotOffered are the other tools of the server, with the reasons.
	NotOffered []mcp.LeftOut `json:"toolsNotOffered,omitempty"`
	took       string
}

func (s *opened) list(ctx context.Context, test, asJSON bool) error {
	s.complain()
	s.unread()
	rows, wrong := make([]row, 0, len(s.all)), false
	var starting []mcp.Found
	for _, one := range s.all {
		r := s.row(one)
		rows = append(rows, r)
		if r.State == configured {
			starting = append(starting, one)
		}
	}
	if test {
		err := s.attempts(ctx, starting, func(one mcp.Found, a attempt) {
			for i := range rows {
				if r := &rows[i]; r.Name == one.Name && r.File == one.Path {
					r.State, r.Why, r.Tools, r.took = string(a.state), timeline.Harmless(a.why), len(a.tools), took(a.took)
					r.NotOffered = a.left
					wrong = wrong || a.state != wire.MCPConnected
				}
			}
		})
		if err != nil {
			return err
		}
	}
	err := s.print(rows, asJSON)
	if wrong {
		err = cmp.Or(err, errNotUsable)
	}
	return err
}

// unread names a file of Claude Code with servers, which no session reads.
func (s *opened) unread() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	path := filepath.Join(home, ".claude.json")
	if _, err := (vfs.OS{}).Stat(path); err == nil {
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "note: the servers of Claude Code in "+s.shortPath(path)+" are not read; add those that you want with sidestick mcp add"))
	}
}

// The states of servers that were not started.
const (
	configured = "configured"
	disabled   = "disabled"
	leftOut    = "left out"
)

// row describes a server that was not started.
func (s *opened) row(one mcp.Found) row {
	r := row{Name: one.Name, File: one.Path, Source: one.Source, State: configured, Why: one.Why}
	if r.Source == "workspace" {
		r.Source = "project"
	}
	r.Sandbox = s.granted(one)
	shown, err := mcp.OutlineOf(one.Name, one.Written)
	r.Transport, r.Target, r.Variables, r.Headers = shown.Transport, shown.Target, shown.Variables, shown.Headers
	switch {
	case one.Why != "":
		r.State = leftOut
	case err != nil:
		r.State, r.Why = leftOut, fault.Message(err)
	case one.Disabled:
		r.State = disabled
	}
	return r
}

func (s *opened) print(rows []row, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(s.Sys.Stdout, rows)
	}
	if len(rows) == 0 {
		err := cli.Print(s.Sys.Stdout, "No MCP servers yet. Add one: sidestick mcp add NAME -- COMMAND"+"\n")
		return err
	}
	look := terminal.PaintFor(s.Sys.Stdout, s.Sys.Getenv)
	var b strings.Builder
	names := 0
	for _, r := range rows {
		names = min(max(names, timeline.Width(timeline.OneLine(r.Name, maxName))), maxName)
	}
	slices.SortStableFunc(rows, func(a, b row) int { // the user's files first
		return cmp.Or(-strings.Compare(a.Source, b.Source), strings.Compare(a.File, b.File))
	})
	for i, r := range rows {
		if i == 0 || r.File != rows[i-1].File {
			b.WriteString(look.Bold(s.shortPath(r.File)) + "\n")
		}
		b.WriteString(r.text(look, names, cli.Width(s.Sys.Stdout)))
	}
	err := cli.Print(s.Sys.Stdout, b.String())
	return err
}

// text is the lines of a server.
func (r row) text(look terminal.Paint, names, width int) string {
	before := "  " + timeline.Pad(timeline.OneLine(r.Name, maxName), names+2) + timeline.Pad(cmp.Or(r.Transport, "?"), 7)
	text := strings.TrimRight(before+timeline.ExposedLine(r.Target, max(width-timeline.Width(before), 20)), " ") + "\n"
	indent := strings.Repeat(" ", names+4)
	if r.Sandbox != "" && r.State != leftOut {
		text += cli.Indented(indent, r.Sandbox)
	}
	switch r.State {
	case configured:
	case string(wire.MCPConnected):
		text += indent + look.Green("connected") + " in " + r.took + ", " + tools(r.Tools) + "\n" + notOffered(look, indent, r.NotOffered)
	case disabled:
		text += indent + look.Dim("disabled") + "\n"
	default:
		paint := look.Red
		if r.State == leftOut {
			paint = look.Yellow
		}
		label := r.State + ": "
		text += strings.Replace(cli.Indented(indent+label, r.Why), label, paint(label), 1)
	}
	return text
}
