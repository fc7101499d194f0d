package chat

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// fork continues in a copy of the session.
func (c *chatter) fork(ctx context.Context, title string) error {
	id, err := c.talk.Parts.Sessions.Fork(ctx, c.talk.client.Session().ID(), "", title)
	if err != nil {
		return err
	}
	return c.enter(ctx, id)
}

// diff prints the changes of files.
func (c *chatter) diff(ctx context.Context, mode string) error {
	d, err := c.here().Changes(ctx, mode)
	if err != nil {
		return err
	}
	c.print(c.look.Dim(d.Of) + "\n")
	if len(d.Files) == 0 {
		c.print("nothing has changed\n")
	}
	for _, f := range d.Files {
		for line := range strings.Lines(f.Diff) {
			c.print(c.diffLine(strings.TrimSuffix(line, "\n")) + "\n")
		}
		if f.Left {
			c.print(c.look.Yellow("not shown, because it is long or no text: ") + timeline.ExposedPath(f.Path) + "\n")
		}
	}
	c.nameCommands(d.Commands, "in this session")
	return nil
}

func (c *chatter) diffLine(line string) string {
	text := timeline.Exposed(strings.ReplaceAll(line, "\t", "    "))
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
		return c.look.Bold(text)
	case strings.HasPrefix(line, "+"):
		return c.look.Green(text)
	case strings.HasPrefix(line, "-"):
		return c.look.Red(text)
	case strings.HasPrefix(line, "@@"):
		return c.look.Cyan(text)
	}
	return text
}

// export writes the session to a file.
func (c *chatter) export(ctx context.Context, path string) error {
	s := c.talk.client.Session()
	said, err := entry.Export(s.ID(), path, func(format string, out io.Writer) error { return s.Export(ctx, format, out) })
	if err != nil {
		return err
	}
	c.print(said + "\n")
	return nil
}

// maxCopied bounds what is sent to the clipboard, in bytes: terminals drop longer texts.
const maxCopied = 74_000

// copy sends an answer to the clipboard of the terminal (OSC 52), without its control characters. At a
// terminal without escape sequences it prints the answer.
func (c *chatter) copy(ctx context.Context, arg string) error {
	n, err := strconv.Atoi(cmp.Or(arg, "1"))
	if err != nil {
		return cli.NewUsageError(fmt.Errorf("%q is not an answer number; 1 is the last", timeline.OneLine(arg, 40)))
	}
	text, err := c.here().Answer(ctx, n)
	if err != nil {
		return err
	}
	if text = timeline.Copied(text); c.tty.Append() || len(text) > maxCopied {
		c.print(text + "\n")
		return nil
	}
	c.print("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a")
	c.print(fmt.Sprintf("%s copied, if your terminal lets programs set the clipboard; else /export\n", count(len([]rune(text)), "character")))
	return nil
}
