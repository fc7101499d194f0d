package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// permitting finds out whether the session allows everything.
func (c *chatter) permitting(ctx context.Context) error {
	mode, err := c.talk.client.Session().Permissions().Mode(ctx)
	c.allowed = mode == wire.ModeAllowAll
	return err
}

// allow is "/allow on" and "/allow off"; without an argument it prints which one holds.
func (c *chatter) allow(ctx context.Context, arg string) error {
	mode := map[string]wire.PermissionMode{"on": wire.ModeAllowAll, "off": wire.ModeManual}[arg]
	switch {
	case arg != "" && mode == "":
		return cli.NewUsageError(fmt.Errorf("/allow %s: want on or off", timeline.OneLine(arg, 40)))
	case mode != "":
		now, err := c.talk.client.Session().Permissions().SetMode(ctx, mode)
		if now != "" {
			c.allowed = now == wire.ModeAllowAll
		}
		if fault.KindOf(err) == fault.Denied {
			return errors.New("/allow " + arg + " was refused: " + fault.Message(err))
		}
		if err != nil {
			return err
		}
	}
	if !c.allowed {
		c.print("you are asked about everything that no rule allows; /rules shows the rules\n")
		return nil
	}
	c.print(c.look.Yellow("careful: ") + "you are no longer asked. Every command may run and every file may be\n" +
		"changed, unless a --deny-tool rule denies it. /allow off ends this, and so does\nthe next chat.\n")
	return nil
}

// rules prints the permission rules and where they come from. "forget" revokes the
// approvals.
func (c *chatter) rules(ctx context.Context, arg string) error {
	s := c.talk.client.Session()
	if arg != "" && arg != "forget" {
		return cli.NewUsageError(fmt.Errorf("/rules has no argument %q: /rules shows the rules, /rules forget revokes the approvals", timeline.OneLine(arg, 40)))
	}
	place, err := s.Permissions().Location(ctx, "")
	if err != nil {
		return err
	}
	if arg == "forget" {
		if err := s.Permissions().Reset(ctx, true); err != nil {
			return err
		}
		c.print("forgotten: the approvals of this session, and those for " + timeline.ExposedLine(place.LocationKey, terminal.Columns) + "\n")
		return nil
	}
	r, err := s.Permissions().Rules(ctx)
	if err != nil {
		return err
	}
	confined, err := s.Permissions().Sandbox(ctx)
	if err != nil {
		return err
	}
	width, _ := c.out.Size()
	for _, row := range ruleRows(r, confined) {
		c.print(strings.Join(timeline.Fold(row, width), "\n") + "\n")
	}
	return nil
}

// ruleRows are the rules, one a row: the verdict, what it covers, where it comes from. Rules
// that let commands run outside the sandbox come last.
func ruleRows(r permit.Rules, s permit.Sandboxing) []string {
	rows := []string{operate.Unruled(r, s)}
	for _, rule := range operate.Rules(r, s) {
		row := "  " + timeline.Pad(string(rule.Verdict), 8) + timeline.ExposedLine(rule.What, 2*terminal.Columns)
		if rule.Verdict == operate.Outside {
			row += ", if it is allowed"
		}
		if rule.From != "" {
			row += "  (" + timeline.ExposedLine(rule.From, terminal.Columns) + ")"
		}
		rows = append(rows, row)
	}
	return rows
}
