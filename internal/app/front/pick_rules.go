package front

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// rules shows the permission rules; "forget" revokes the approvals.
func (f *embedded) rules(ctx context.Context, arg string) (tui.Effect, error) {
	switch arg {
	case "forget":
		return f.forgetApprovals(ctx)
	case "":
	default:
		return tui.Effect{}, fmt.Errorf("/rules has no argument %q: /rules shows the rules, /rules forget revokes the approvals", timeline.OneLine(arg, 40))
	}
	permissions := f.Client.Session().Permissions()
	r, err := permissions.Rules(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	confined, err := permissions.Sandbox(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	l := page.Rules(f.keys, command.Unruled(r, confined), pageRules(r, confined))
	return tui.Effect{Pick: &tui.Picker{List: l, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListDelete {
			return tui.Effect{Close: true}, nil
		}
		e, err := f.forgetApprovals(ctx)
		e.Close = err == nil
		return e, err
	}}}, nil
}

// forgetApprovals revokes the approvals of the session and of its location.
func (f *embedded) forgetApprovals(ctx context.Context) (tui.Effect, error) {
	permissions := f.Client.Session().Permissions()
	place, err := permissions.Location(ctx, "")
	if err != nil {
		return tui.Effect{}, err
	}
	if err := permissions.Reset(ctx, true); err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "forgotten: the approvals of this session, and those for " + timeline.ExposedLine(cli.Tilde(place.LocationKey), 200)}, nil
}

// pageRules are the rules by their verdicts, those that deny first and the folders last.
func pageRules(r permit.Rules, s permit.Sandboxing) (all []page.Rule) {
	list := command.Rules(r, s)
	for _, g := range []struct {
		verdict command.Verdict
		title   string
	}{{command.Deny, "Denied"}, {command.Allow, "Allowed"}, {command.In, "Folders"}, {command.Outside, "Outside the sandbox, if allowed"}} {
		for _, rule := range list {
			switch {
			case rule.Verdict != g.verdict:
				continue
			case rule.Verdict == command.In:
				rule.What = cli.Tilde(rule.What)
			}
			all = append(all, page.Rule{Verdict: g.title, What: rule.What, From: rule.From})
		}
	}
	return all
}
