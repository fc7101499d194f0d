package app

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
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
	t := &transcript{out: o.sys.Stdout, look: terminal.PaintFor(o.sys.Stdout, o.sys.Getenv)}
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
// text as it is, so that it can be copied. What calls did stands in a line each.
type transcript struct {
	out    io.Writer
	look   terminal.Paint
	reader timeline.Reader
	any    bool
	last   string // id of the call that was printed last
}

// maxResult bounds what is shown of a tool's result, in lines. Tools print for
// models, at length.
const maxResult = 12

func (t *transcript) add(e wire.Event) error {
	row := t.reader.Add(e)
	if e.AgentID != "" && row.Kind != timeline.Agent {
		return nil // a sub-agent's conversation is its own
	}
	switch row.Kind {
	case timeline.User:
		return t.block(row, t.look.Bold(t.look.Cyan("you")))
	case timeline.Thinking:
		return t.block(row, t.look.Dim("thinking"))
	case timeline.Model:
		return errors.Join(t.block(row, t.look.Bold(t.look.Green(named(row.Title, "model")))), t.sources(row.Sources))
	case timeline.Error:
		return t.block(row, t.look.Red("error"))
	case timeline.Warning:
		return t.block(row, t.look.Yellow("warning"))
	case timeline.Tool:
		t.last = row.Call
		return t.heading(row, t.look.Bold("tool"), row.Title)
	case timeline.Result:
		return t.result(row)
	}
	if who := t.remark(row); who != "" && row.Title != "" {
		return t.heading(row, who, row.Title)
	}
	return nil
}

// remark is what stands before the title of a row of one line; "" for those that are
// not shown.
func (t *transcript) remark(row timeline.Row) string {
	switch row.Kind {
	case timeline.Asked:
		return t.look.Yellow("asked to")
	case timeline.Answered, timeline.Reply:
		return t.look.Yellow("answer:")
	case timeline.Question:
		return t.look.Yellow("question:")
	case timeline.Info, timeline.Compaction, timeline.Agent:
		return t.look.Dim(string(row.Kind) + ":")
	case timeline.Done:
		return t.look.Green("done:")
	case timeline.State:
		return t.look.Dim("session")
	}
	return ""
}

// block prints who speaks and what they say; nothing if they say nothing, as
// models do that only call tools.
func (t *transcript) block(row timeline.Row, who string) error {
	text := strings.TrimSpace(row.Body)
	if text == "" {
		return nil
	}
	if err := t.heading(row, who, ""); err != nil {
		return err
	}
	_, err := fmt.Fprintln(t.out, text)
	return err
}

// sources prints what an answer refers to, one a line.
func (t *transcript) sources(list []timeline.Source) error {
	for _, s := range list {
		if _, err := fmt.Fprintln(t.out, t.look.Dim("· ")+s.String()); err != nil {
			return err
		}
	}
	return nil
}

// heading prints one line, after a blank one, with the time of the event.
func (t *transcript) heading(row timeline.Row, who, rest string) error {
	before := "\n"
	if !t.any {
		before, t.any = "", true
	}
	if rest != "" {
		rest = " " + rest
	}
	when := ""
	if !row.Time.IsZero() {
		when = t.look.Dim("  " + row.Time.Local().Format("2006-01-02 15:04:05"))
	}
	_, err := fmt.Fprintf(t.out, "%s%s%s%s\n", before, who, rest, when)
	return err
}

// result prints the beginning of what a tool said, under its call or with its name.
func (t *transcript) result(row timeline.Row) error {
	mark := "→ "
	if row.Call != t.last && row.Of != "" {
		mark += t.look.Dim(timeline.Cut(row.Of, columns/2) + ": ")
	}
	t.last = row.Call
	text := strings.TrimRight(row.Body, "\n")
	if row.Failed {
		mark += t.look.Red(row.Title)
		if _, message, _ := strings.Cut(row.Title, ": "); message == strings.TrimSpace(text) {
			text = ""
		} else {
			mark += "\n  "
		}
	}
	lines := strings.Split(text, "\n")
	if left := len(lines) - maxResult; left > 0 {
		lines = append(lines[:maxResult], t.look.Dim(fmt.Sprintf("… %d more lines; --json has them", left)))
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
