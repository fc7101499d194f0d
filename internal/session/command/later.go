package command

import (
	"context"
	"fmt"
	"strings"
	"time"

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
