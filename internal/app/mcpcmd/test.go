package mcpcmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func testCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Start an MCP server and list its tools",
		Long: `Start an MCP server, list its tools, and end it. If that fails, the reason is
printed and what you can do. A program starts in the working directory and
outside of any sandbox.`,
		Example:           "  sidestick mcp test memory",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete(o),
		RunE:              onServer(o, func(ctx context.Context, s *opened, name string) error { return s.test(ctx, name) }),
	}
}

func (s *opened) test(ctx context.Context, name string) error {
	one, err := s.effective(name)
	if err != nil {
		return err
	}
	look := terminal.PaintFor(s.Sys.Stdout, s.Sys.Getenv)
	shown, err := mcp.OutlineOf(one.Name, one.Written)
	if err != nil {
		return err
	}
	text := look.Bold(timeline.OneLine(name, terminal.Columns)) + "  " + shown.Transport + "  " + timeline.ExposedLine(shown.Target, terminal.Columns) + "\n"
	text += look.Dim("in "+s.shortPath(one.Path)) + "\n"
	if granted := s.granted(one); granted != "" {
		text += cli.Indented("", "in a session it "+granted+"; this test starts it outside of the sandbox")
	}
	if one.Disabled {
		text += look.Yellow("disabled") + ": sessions do not start it\n"
	}
	if err := cli.Print(s.Sys.Stdout, text); err != nil {
		return err
	}
	var result attempt
	if err := s.attempts(ctx, []mcp.Found{one}, func(_ mcp.Found, a attempt) { result = a }); err != nil {
		return err
	}
	for _, note := range result.notes {
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "warning: "+timeline.Harmless(note)))
	}
	if result.state != wire.MCPConnected {
		return fmt.Errorf("MCP server %s cannot be used: %s\nnext: %s", timeline.OneLine(name, terminal.Columns), timeline.Harmless(result.why), result.next(one))
	}
	return s.printTools(result)
}

// effective returns the server that sessions start under a name.
func (s *opened) effective(name string) (mcp.Found, error) {
	list := s.named(name)
	if len(list) == 0 {
		return mcp.Found{}, s.unknown(name)
	}
	for _, one := range list {
		if one.Why == "" {
			return one, nil
		}
	}
	one := list[len(list)-1]
	hint := "sidestick mcp list shows all"
	if one.Untrusted {
		hint = "sidestick trust"
	}
	return one, &fault.Error{Op: "mcp.test", On: name, Kind: fault.Denied, Err: fmt.Errorf("it is in %s and not started: %s", s.shortPath(one.Path), one.Why), Hint: hint}
}

// printTools prints the tools of a server that is connected.
func (s *opened) printTools(a attempt) error {
	look, width := terminal.PaintFor(s.Sys.Stdout, s.Sys.Getenv), cli.Width(s.Sys.Stdout)
	var b strings.Builder
	b.WriteString(look.Green("connected") + " in " + took(a.took) + ", " + tools(len(a.tools)) + "\n")
	names := 0
	for _, t := range a.tools {
		names = min(max(names, timeline.Width(timeline.OneLine(t.ServerTool, maxName))), maxName)
	}
	for _, t := range a.tools {
		row := "  " + timeline.Pad(timeline.OneLine(t.ServerTool, maxName), names+2) + look.Dim(timeline.OneLine(t.Description, max(width-names-4, 20)))
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	b.WriteString(notOffered(look, "", a.left))
	err := cli.Print(s.Sys.Stdout, b.String())
	return err
}

// notOffered are the lines about the tools that the model is not offered; "" if there are none.
func notOffered(look terminal.Paint, indent string, left []mcp.LeftOut) string {
	if len(left) == 0 {
		return ""
	}
	text := indent + look.Yellow("not offered") + " to the model: " + tools(len(left)) + "\n"
	for _, one := range left {
		text += cli.Indented(indent+"  "+timeline.OneLine(one.Name, maxName)+": ", timeline.Harmless(one.Why))
	}
	return text
}

// maxName bounds the name of a server or a tool in a list, in columns.
const maxName = 40

func took(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

func tools(n int) string {
	switch n {
	case 0:
		return "no tools"
	case 1:
		return "1 tool"
	}
	return timeline.Count(int64(n)) + " tools"
}
