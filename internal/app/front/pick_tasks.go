package front

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// tasks shows to-dos, sub-agents and commands in the background.
func (f *embedded) tasks(context.Context, string) (tui.Effect, error) {
	return tui.Effect{With: func(c *cell.Conversation) tui.Effect {
		l := page.Tasks(f.keys)
		fill := &filler{words: f.words, list: l, read: func(ctx context.Context) (func(), error) {
			todos, tasks, err := f.readTasks(ctx)
			if err != nil {
				return nil, err
			}
			running, err := f.Client.Session().Shell().Jobs().List(ctx)
			return func() { page.SetTasks(l, todos, append(tasks, jobs(c, running)...), time.Now()) }, err
		}}
		return tui.Effect{Pick: &tui.Picker{
			List: l, Open: fill.open, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) { return f.doTask(ctx, fill, o) },
			Event: func(e follow.Event) {
				if !strings.HasSuffix(string(e.Type), "_delta") {
					fill.load()
				}
			},
		}}
	}}, nil
}

// readTasks reads the to-dos and the sub-agents of the session.
func (f *embedded) readTasks(ctx context.Context) (todos []page.Todo, tasks []page.Task, err error) {
	found, err := f.Client.Session().Workspace().Todos(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range found.Rows {
		todos = append(todos, page.Todo{ID: strconv.Itoa(i), Text: wire.OrZero(r.Title), State: wire.OrZero(r.Status)})
	}
	all, err := f.Client.Session().Agents().Tasks().List(ctx, true)
	for _, t := range all {
		if a, ok := t.(*wire.AgentTask); ok {
			tasks = append(tasks, agentTask(a))
		}
	}
	return todos, tasks, err
}

func agentTask(a *wire.AgentTask) page.Task {
	t := page.Task{
		ID: a.ID, Title: a.Description, State: string(a.Status), Kind: a.AgentType, Model: wire.OrZero(a.ResolvedModel), Started: a.StartedAt,
		Output: wire.OrZero(a.LatestResponse), Err: wire.OrZero(a.Error),
	}
	if a.Result != nil {
		t.Output = *a.Result
	}
	if a.CompletedAt != nil {
		t.Ended = *a.CompletedAt
	}
	return t
}

// jobPrefix begins the ID of a command in the background; the number of its call, if it is known, and
// its shell follow.
const jobPrefix = "job "

// jobs are the commands that run in the background: those that do not end with their calls, and
// those that their calls have left behind.
func jobs(c *cell.Conversation, running []shell.Info) (all []page.Task) {
	left := c.Jobs()
	for _, r := range running {
		number := ""
		for _, j := range left {
			if j.Shell == r.Shell {
				number = strconv.Itoa(j.Number)
			}
		}
		if r.Mode == shell.Sync && number == "" {
			continue
		}
		all = append(all, page.Task{ID: jobPrefix + number + " " + r.Shell, Job: true, Title: r.Text, State: "running", Started: r.Began})
	}
	return all
}

// doTask carries out what the user does with a task.
func (f *embedded) doTask(ctx context.Context, fill *filler, o list.Outcome) (tui.Effect, error) {
	job, isJob := strings.CutPrefix(o.Item.ID, jobPrefix)
	number, id, _ := strings.Cut(job, " ")
	switch {
	case o.Action == keymap.ListChoose && isJob:
		return f.showSession(f.Records(ctx), number)
	case o.Action == keymap.ListChoose:
		return tui.Effect{Read: page.Whole(fill.list, o.Item)}, nil
	case o.Action == keymap.ListDelete && isJob:
		err := f.Client.Session().Shell().Jobs().Stop(ctx, id)
		return tui.Effect{Then: fill.load, Text: "stopped: " + timeline.ExposedLine(o.Item.Title, 200)}, err
	case o.Action == keymap.ListDelete:
		stopped, err := f.Client.Session().Agents().Tasks().Cancel(ctx, o.Item.ID)
		if err == nil && !stopped {
			err = errors.New(timeline.OneLine(o.Item.Title, 60) + " has ended already")
		}
		return tui.Effect{Then: fill.load}, err
	}
	return tui.Effect{}, nil
}

// background lets the work that runs continue in the background.
func (f *embedded) background(ctx context.Context, _ string) (tui.Effect, error) {
	s := f.Client.Session()
	task, err := s.Agents().Tasks().Promote(ctx, "")
	if err != nil {
		return tui.Effect{}, err
	}
	moved, err := s.Shell().Jobs().Background(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if task == nil && len(moved) == 0 {
		return tui.Effect{}, errNothingRuns
	}
	return tui.Effect{Text: "it continues in the background; " + f.keys.Key(keymap.Tasks) + " shows it"}, nil
}
