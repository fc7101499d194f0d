package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// fleet has sub-agents work at the to-dos.
func (c *Commands) fleet(ctx context.Context, prompt string) (wire.CommandResult, error) {
	if err := c.session.StartFleet(ctx, prompt); err != nil {
		return nil, err
	}
	return said("the agent was asked to distribute the work to sub-agents"), nil
}

// effort shows how much the model reasons, or changes it.
func (c *Commands) effort(ctx context.Context, level string) (wire.CommandResult, error) {
	switch all := config.Efforts(); {
	case level == "":
		now, err := c.session.Effort(ctx)
		return rows([]string{"the effort is " + timeline.OneLine(cmp.Or(now, "that of the provider"), widest) + "; the levels are " + strings.Join(all, ", ")}, err)
	case !slices.Contains(all, level):
		return nil, c.invalid("effort", level, "one of "+strings.Join(all, ", "))
	}
	if err := c.session.SetReasoningEffort(ctx, level); err != nil {
		return nil, err
	}
	return said("the effort is now %s", level), nil
}

// tasks lists what the session has to do and does.
func (c *Commands) tasks(ctx context.Context, _ string) (wire.CommandResult, error) {
	all, err := c.session.Work(ctx)
	var list []string
	for _, w := range all {
		list = append(list, "  "+timeline.Pad(w.Kind, 8)+timeline.Pad(timeline.OneLine(w.State, 20), 12)+timeline.ExposedLine(w.Text, widest))
	}
	return items(list, err, "there are no to-dos, no agents and no background jobs")
}

// background lets what a call waits for continue in the background.
func (c *Commands) background(ctx context.Context, _ string) (wire.CommandResult, error) {
	did, err := c.session.Background(ctx)
	if err == nil && !did {
		err = fault.New(fault.Conflict, "session.commands", c.id, "no call waits for an agent or a command that could continue in the background")
	}
	if err != nil {
		return nil, err
	}
	return said("it continues in the background; /tasks shows it"), nil
}

// every sends a prompt again and again; without an argument it lists the scheduled prompts.
func (c *Commands) every(ctx context.Context, arg string) (wire.CommandResult, error) {
	return c.schedule(ctx, "every", arg, true)
}

// after sends a prompt once; without an argument it lists the scheduled prompts.
func (c *Commands) after(ctx context.Context, arg string) (wire.CommandResult, error) {
	return c.schedule(ctx, "after", arg, false)
}

func (c *Commands) schedule(ctx context.Context, name, arg string, recurring bool) (wire.CommandResult, error) {
	if arg == "" {
		return c.schedules(ctx)
	}
	interval, prompt, _ := strings.Cut(arg, " ")
	prompt = strings.TrimSpace(prompt)
	if prompt == "" {
		return nil, c.invalid(name, arg, "a time such as 5m, and a prompt")
	}
	wait, err := schedule.ParseInterval(interval)
	if err != nil {
		return nil, err
	}
	e, err := c.session.Schedule(ctx, schedule.Entry{Every: wait, Prompt: prompt, Recurring: recurring})
	if err != nil {
		return nil, err
	}
	return said("the prompt is sent first at %s; /%s lists the scheduled prompts", e.NextRunAt.Format(time.RFC3339), name), nil
}

// schedules lists the scheduled prompts.
func (c *Commands) schedules(ctx context.Context) (wire.CommandResult, error) {
	all, err := c.session.Schedules(ctx)
	var list []string
	for _, e := range all {
		again := "once"
		if e.Recurring {
			again = "again and again"
		}
		list = append(list, fmt.Sprintf("  %d  %s, %s: %s", e.ID, e.NextRunAt.Format(time.RFC3339), again, timeline.OneLine(e.Prompt, widest)))
	}
	return items(list, err, "there are no scheduled prompts")
}
