package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// invalid is the error of a command with a wrong argument.
func (c *Commands) invalid(name, arg, want string) error {
	line := strings.TrimSpace("/" + name + " " + timeline.OneLine(arg, 40))
	return fault.New(fault.Invalid, "session.commands", c.id, "%s: want %s", line, want)
}

// rules shows the permission rules and where they come from. "forget" revokes the approvals.
func (c *Commands) rules(ctx context.Context, arg string) (wire.CommandResult, error) {
	switch arg {
	case "":
	case "forget":
		return c.forget(ctx, "")
	default:
		return nil, c.invalid("rules", arg, "no argument, which shows the rules, or forget, which revokes the approvals")
	}
	p := c.session.Permissions()
	r, err := p.Rules(ctx)
	if err != nil {
		return nil, err
	}
	box, err := p.Sandbox(ctx)
	return rows(ruleRows(r, box), err)
}

// forget revokes the approvals of the session and of its location.
func (c *Commands) forget(ctx context.Context, _ string) (wire.CommandResult, error) {
	p := c.session.Permissions()
	place, err := p.Location(ctx, "")
	if err != nil {
		return nil, err
	}
	if err := p.Reset(ctx, true); err != nil {
		return nil, err
	}
	return said("forgotten: the approvals of this session, and those for %s", timeline.ExposedPath(place.LocationKey)), nil
}

// ruleRows are the rules, one a row: the verdict, what it covers, where it comes from. Rules
// that let commands run outside the sandbox come last.
func ruleRows(r permit.Rules, s permit.Sandboxing) []string {
	list := []string{Unruled(r, s)}
	for _, rule := range Rules(r, s) {
		row := "  " + timeline.Pad(string(rule.Verdict), 8) + timeline.ExposedLine(rule.What, widest)
		if rule.Verdict == Outside {
			row += ", if it is allowed"
		}
		if rule.From != "" {
			row += "  (" + timeline.ExposedLine(rule.From, widest) + ")"
		}
		list = append(list, row)
	}
	return list
}

// allow shows whether everything is allowed, or changes it with on and off.
func (c *Commands) allow(ctx context.Context, arg string) (wire.CommandResult, error) {
	p := c.session.Permissions()
	mode, known := map[string]wire.PermissionMode{"on": wire.ModeAllowAll, "off": wire.ModeManual}[arg]
	now, err := wire.PermissionMode(""), error(nil)
	switch {
	case known:
		now, err = p.SetMode(ctx, mode)
	case arg != "":
		return nil, c.invalid("allow", arg, "on or off")
	default:
		now, err = p.Mode(ctx)
	}
	if fault.KindOf(err) == fault.Denied {
		return nil, fault.New(fault.Denied, "", "", "/allow %s was refused: %s", arg, fault.Message(err))
	}
	if err != nil {
		return nil, err
	}
	if now != wire.ModeAllowAll {
		return said("you are asked about everything that no rule allows; /rules shows the rules"), nil
	}
	return said("careful: you are no longer asked. Every command may run and every file may be changed, " +
		"unless a --deny-tool rule denies it. /allow off ends this, and so does the end of the process."), nil
}

// allowAll is /allow with on as its default.
func (c *Commands) allowAll(ctx context.Context, arg string) (wire.CommandResult, error) {
	switch arg {
	case "":
		arg = "on"
	case "show":
		arg = ""
	}
	return c.allow(ctx, arg)
}

// addFolder allows one more folder.
func (c *Commands) addFolder(ctx context.Context, path string) (wire.CommandResult, error) {
	if path == "" {
		return nil, c.invalid("add-dir", "", "a folder")
	}
	cwd, err := c.session.Cwd(ctx)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if err := c.session.Permissions().AddFolder(ctx, path); err != nil {
		return nil, err
	}
	return said("tools may now use %s; /list-dirs shows all folders", timeline.ExposedPath(path)), nil
}

// folders lists the folders that tools may use.
func (c *Commands) folders(ctx context.Context, _ string) (wire.CommandResult, error) {
	all, err := c.session.Permissions().Folders(ctx)
	list := []string{}
	for _, dir := range all.Directories {
		list = append(list, "  "+timeline.ExposedPath(dir))
	}
	return rows(append(list, fmt.Sprintf("Total: %d directories", len(list))), err)
}
