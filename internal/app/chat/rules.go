package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// permitting learns whether anything is asked in the session.
func (c *chatter) permitting(ctx context.Context) error {
	mode, err := c.talk.client.Session().Permissions().Mode(ctx)
	c.allowed = mode == wire.ModeAllowAll
	return err
}

// allow is "/allow on" and "/allow off"; alone it says which of them it is.
func (c *chatter) allow(ctx context.Context, arg string) error {
	mode := map[string]wire.PermissionMode{"on": wire.ModeAllowAll, "off": wire.ModeManual}[arg]
	switch {
	case arg != "" && mode == "":
		return cli.NewUsageError(fmt.Errorf("/allow %s: want on or off", timeline.OneLine(arg, 40)))
	case mode != "":
		now, err := c.talk.client.Session().Permissions().SetMode(ctx, mode)
		if err != nil {
			return err
		}
		if c.allowed = now == wire.ModeAllowAll; now != mode {
			return errors.New("--allow-all was said when this chat was started; begin another without it")
		}
	}
	if !c.allowed {
		c.print("what no rule allows is asked about; /rules shows the rules\n")
		return nil
	}
	c.print(c.look.Yellow("careful: ") + "nothing is asked any more. Every command runs and every file may be\n" +
		"changed, unless a --deny-tool rule says no. /allow off asks again, and so does\nthe next chat.\n")
	return nil
}

// rules shows what is allowed and denied, and who said so. "forget" takes back what
// was approved.
func (c *chatter) rules(ctx context.Context, arg string) error {
	s := c.talk.client.Session()
	if arg != "" && arg != "forget" {
		return cli.NewUsageError(fmt.Errorf("/rules %s: want forget, or nothing", timeline.OneLine(arg, 40)))
	}
	place, err := s.Permissions().Location(ctx, "")
	if err != nil {
		return err
	}
	if arg == "forget" {
		if err := s.Permissions().Reset(ctx, true); err != nil {
			return err
		}
		c.print("forgotten: what was approved in this session, and for " + timeline.OneLine(place.LocationKey, terminal.Columns) + "\n")
		return nil
	}
	r, err := s.Permissions().Rules(ctx)
	if err != nil {
		return err
	}
	width, _ := c.tty.Size()
	for _, row := range ruleRows(r) {
		c.print(timeline.Cut(row, width) + "\n")
	}
	return nil
}

// ruleRows is rules, a row each: the verdict, what it is of, who said it.
func ruleRows(r permit.Rules) []string {
	rows := []string{"what no rule allows is asked about"}
	if r.All {
		rows[0] = "everything is allowed that is not denied (" + r.AllBy + ")"
	}
	add := func(verdict, what, from string) {
		row := "  " + timeline.Pad(verdict, 8) + timeline.OneLine(what, 2*terminal.Columns)
		if from != "" {
			row += "  (" + timeline.OneLine(from, terminal.Columns) + ")"
		}
		rows = append(rows, row)
	}
	for _, dir := range r.Places.Folders() {
		add("in", dir, "")
	}
	if r.Places.Anywhere {
		add("in", "every other folder", "--allow-all-paths")
	}
	if r.ReadsInside {
		add("allow", "reading files there", "")
	}
	if r.ReadOnly {
		add("allow", "commands that change nothing there", "")
	}
	if r.AnyURL {
		add("allow", "every address", "")
	}
	for _, rule := range r.Allow {
		add("allow", rule.String(), rule.From)
	}
	for _, rule := range r.Deny {
		add("deny", rule.String(), rule.From)
	}
	return rows
}
