package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// turnLines is how many messages /rewind lists.
const turnLines = 20

// rewind goes back to before a message; without a number it lists the messages.
func (c *chatter) rewind(ctx context.Context, arg string) error {
	turns, tracking, err := c.turns(ctx)
	if err != nil {
		return err
	}
	if arg == "" {
		c.listTurns(turns)
		return nil
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || n > len(turns) {
		return cli.NewUsageError(fmt.Errorf("there is no message %q; /rewind lists the messages, 1 to %d", timeline.OneLine(arg, 40), len(turns)))
	}
	return c.goBack(ctx, turns[n-1:], tracking)
}

// undo goes back to before the last message.
func (c *chatter) undo(ctx context.Context, _ string) error {
	turns, tracking, err := c.turns(ctx)
	if err != nil {
		return err
	}
	return c.goBack(ctx, turns[len(turns)-1:], tracking)
}

// turns are the messages to which the session can be rewound, at least one.
func (c *chatter) turns(ctx context.Context) (turns []operate.Turn, tracking bool, err error) {
	turns, tracking, err = c.here().Turns(ctx)
	if err == nil && len(turns) == 0 {
		err = errors.New("there is no message to go back to yet")
	}
	return turns, tracking, err
}

func (c *chatter) listTurns(turns []operate.Turn) {
	width, _ := c.out.Size()
	if n := len(turns) - turnLines; n > 0 {
		c.print(c.look.Dim(fmt.Sprintf("  … %d earlier", n)) + "\n")
		turns = turns[n:]
	}
	for _, t := range turns {
		changed := ""
		if t.Added+t.Removed > 0 {
			changed = fmt.Sprintf("  (+%d −%d)", t.Added, t.Removed)
		}
		head := fmt.Sprintf("  %3d  ", t.Number)
		c.print(head + timeline.OneLine(t.Text, width-timeline.Width(head)-timeline.Width(changed)) + changed + "\n")
	}
	c.print(c.look.Dim("  /rewind NUMBER goes back to before that message") + "\n")
}

// goBack shows what going back to before the first of the turns would remove and restore, and does
// it if the user says so.
func (c *chatter) goBack(ctx context.Context, turns []operate.Turn, tracking bool) error {
	h := c.here()
	files, err := h.Preview(ctx, turns[0])
	if err != nil {
		return err
	}
	width, _ := c.out.Size()
	c.print(fmt.Sprintf("removes %s from the conversation:\n", count(len(turns), "message")))
	for _, t := range turns {
		c.print("  " + timeline.OneLine(t.Text, width-2) + "\n")
	}
	c.previewFiles(files, turns[0], tracking)
	since, err := h.CommandsSince(ctx, turns[0].EventID)
	if err != nil {
		return err
	}
	c.nameCommands(since, "since then")
	question := "go back? [c] the conversation, [Enter] no › "
	if turns[0].Restorable {
		question = "go back? [b] both conversation and files, [c] the conversation, [Enter] no › "
	}
	answer, err := c.tty.ReadLine(ctx, question, c.look.Bold)
	if errors.Is(err, terminal.ErrInterrupted) || errors.Is(err, io.EOF) {
		answer, err = "", nil
	}
	if err != nil {
		return err
	}
	switch a := strings.ToLower(strings.TrimSpace(answer)); {
	case a == "b" && turns[0].Restorable:
		return c.goneBack(h.Rewind(ctx, turns[0], true))
	case a == "c":
		return c.goneBack(h.Rewind(ctx, turns[0], false))
	}
	c.print("nothing was changed\n")
	return nil
}

// previewFiles prints the files that would be restored.
func (c *chatter) previewFiles(files []operate.File, t operate.Turn, tracking bool) {
	switch {
	case !tracking:
		c.print(c.look.Dim("this session does not keep what files were, so files stay as they are") + "\n")
	case len(files) == 0:
		c.print(c.look.Dim("no files were changed by the agent's tools") + "\n")
	default:
		c.print(fmt.Sprintf("restores %s, unless something else has changed them:\n", count(len(files), "file")))
		for _, f := range files {
			c.print("  " + f.String() + "\n")
		}
		if !t.Restorable {
			c.print(c.look.Yellow("none of them can be restored: what they were is not kept on this machine") + "\n")
		}
	}
}

// nameCommands prints the commands whose changes are not known.
func (c *chatter) nameCommands(ran operate.Commands, since string) {
	note := ran.String(since)
	if note == "" {
		return
	}
	c.print(c.look.Yellow(note+":") + "\n")
	for _, text := range ran.Texts {
		c.print("  $ " + text + "\n")
	}
	if more := ran.More(); more != "" {
		c.print("  " + more + "\n")
	}
}

// goneBack prints what a rewind has done.
func (c *chatter) goneBack(r operate.Rewound, err error) error {
	if err != nil {
		return err
	}
	for _, f := range r.Restored {
		c.print("restored  " + timeline.ExposedPath(f) + "\n")
	}
	for _, k := range r.Kept {
		c.print(c.look.Yellow("kept as it is") + "  " + timeline.ExposedPath(k.Path) + ": " + timeline.ExposedPath(k.Why) + "\n")
	}
	c.print("the conversation is as it was before that message; ↑ brings the message back\n")
	return nil
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
