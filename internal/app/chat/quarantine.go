package chat

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// quarantine is the command /quarantine: it lists what was moved aside in the folder of the session, and gives
// something its name back.
func (c *chatter) quarantine(ctx context.Context, arg string) error {
	aside := session.Quarantine(c.talk.client.Session())
	what, path, _ := strings.Cut(arg, " ")
	path = strings.TrimSpace(path)
	switch {
	case what == "allow" && path != "":
		item, err := aside.Allow(ctx, wire.TakeBack{Path: path})
		if err == nil {
			c.print("taken back: " + timeline.ExposedLine(cli.Tilde(item.Path), 4*terminal.Columns) + "\n")
		}
		return err
	case arg != "":
		return cli.NewUsageError(fmt.Errorf("/quarantine %s: want no argument, or allow PATH", timeline.OneLine(arg, 40)))
	}
	folder := cli.Absolute(".")
	here := func(path string) string {
		if relative, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(relative) {
			return relative
		}
		return cli.Tilde(path)
	}
	items, err := aside.List(ctx)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		c.print("nothing is moved aside in this folder\n")
		return nil
	}
	for _, i := range items {
		c.print(timeline.ExposedLine(here(i.Path), 4*terminal.Columns) + "\n")
		c.rows([2]string{"now", timeline.ExposedLine(here(i.Aside), 4*terminal.Columns)}, [2]string{"why", timeline.ExposedLine(i.Why, 4*terminal.Columns)}, [2]string{"by", timeline.ExposedLine(i.By, 4*terminal.Columns)})
	}
	c.print(c.look.Dim("  /quarantine allow PATH gives one its name back, so that it acts; look at it before") + "\n")
	return nil
}
