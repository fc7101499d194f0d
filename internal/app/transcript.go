package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func sessionsShowCommand(o *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what was said and done in a session",
		Example: `  sidestick sessions show notes
  sidestick sessions show notes --json | jq -r 'select(.type == "abort")'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: o.completeSession,
		RunE: func(_ *cobra.Command, args []string) error {
			return o.showSession(args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the events as the log holds them, one a line")
	return cmd
}

func (o *options) showSession(id string, asJSON bool) error {
	t := &transcript{out: o.sys.Stdout, look: paintFor(o.sys.Stdout, o.sys.Getenv)}
	for line, err := range o.storedEvents(id) {
		if err != nil {
			return err
		}
		if asJSON {
			_, err = fmt.Fprintf(o.sys.Stdout, "%s\n", line)
		} else if e, parseErr := wire.ParseEvent(line); parseErr == nil {
			err = t.add(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// transcript prints events as a conversation: a heading for who speaks, then the
// text as it is, so that it can be copied.
type transcript struct {
	out  io.Writer
	look paint
	any  bool
}

// maxResult bounds what is shown of a tool's result, in lines. Tools print for
// models, at length.
const maxResult = 12

func (t *transcript) add(e wire.Event) error {
	d := read(e)
	switch e.Type {
	case "user.message":
		return t.block(e, t.look.bold(t.look.cyan("you")), d.Content)
	case "assistant.reasoning":
		return t.block(e, t.look.dim("thinking"), d.Content)
	case "assistant.message":
		return t.block(e, t.look.bold(t.look.green(named(d.Model, "model"))), d.Content)
	case "tool.execution_start":
		return t.heading(e, t.look.bold("tool "+d.ToolName), harmless(arguments(d.Arguments)))
	case "tool.execution_complete":
		return t.result(d)
	case "permission.requested":
		return t.heading(e, t.look.yellow("asked"), " to run "+d.PermissionRequest.ToolName)
	case "permission.completed":
		return t.heading(e, t.look.yellow("answer"), " "+d.Result.Kind)
	case "session.error":
		return t.block(e, t.look.red("error"), d.Message)
	case "session.warning":
		return t.block(e, t.look.yellow("warning"), d.Message)
	case "session.model_change":
		return t.heading(e, t.look.dim("model"), " is now "+d.NewModel)
	case "session.resume":
		return t.heading(e, t.look.dim("resumed"), "")
	case "abort":
		return t.heading(e, t.look.red("aborted"), "")
	}
	return nil
}

// block prints who speaks and what they say; nothing if they say nothing, as
// models do that only call tools.
func (t *transcript) block(e wire.Event, who, text string) error {
	text = strings.TrimSpace(harmless(text))
	if text == "" {
		return nil
	}
	if err := t.heading(e, who, ""); err != nil {
		return err
	}
	_, err := fmt.Fprintln(t.out, text)
	return err
}

// heading prints one line, after a blank one, with the time of the event.
func (t *transcript) heading(e wire.Event, who, rest string) error {
	before := "\n"
	if !t.any {
		before, t.any = "", true
	}
	when := ""
	if !e.Time.IsZero() {
		when = t.look.dim("  " + e.Time.Local().Format("2006-01-02 15:04:05"))
	}
	_, err := fmt.Fprintf(t.out, "%s%s%s%s\n", before, who, rest, when)
	return err
}

// result prints the beginning of what a tool said.
func (t *transcript) result(d details) error {
	text, mark := d.Result.Content, "→ "
	if !d.Success {
		text, mark = d.Error.Message, t.look.red("failed: ")
	}
	lines := strings.Split(strings.TrimRight(harmless(text), "\n"), "\n")
	if left := len(lines) - maxResult; left > 0 {
		lines = append(lines[:maxResult], t.look.dim(fmt.Sprintf("… %d more lines; --json has them", left)))
	}
	_, err := fmt.Fprintln(t.out, mark+strings.Join(lines, "\n  "))
	return err
}

func named(name, otherwise string) string {
	if name != "" {
		return name
	}
	return otherwise
}
