package agents

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tasks are the sub-agents of a session as clients see and change them, and the tasks that clients have
// registered.
type Tasks struct{ a *Agents }

// Tasks returns the session's tasks.
func (a *Agents) Tasks() Tasks { return Tasks{a} }

// List returns the tasks that this process has started, in the order in which they began, and
// then, if clients is set, those that clients have registered; never nil.
func (t Tasks) List(ctx context.Context, clients bool) ([]wire.Task, error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() ([]wire.Task, error) {
		all := []wire.Task{}
		for _, b := range t.a.subs {
			if !b.earlier {
				all = append(all, b.info())
			}
		}
		if clients {
			all = append(all, t.a.clients.List()...)
		}
		return all, nil
	})
}

// info is a sub-agent as clients get it.
func (b *Subagent) info() wire.Task {
	d := b.describe()
	mode := wire.TaskMode("sync")
	if b.background {
		mode = "background"
	}
	began, active := wire.Moment(b.begin), d.Elapsed.Milliseconds()
	promotable := b.promotable()
	task := &wire.AgentTask{
		ID: b.id, AgentType: b.def.Name, Description: b.task.Description, DisplayName: wire.Optional(b.task.Name), Prompt: b.task.Prompt,
		ToolCallID: b.callID, Status: wire.TaskStatus(b.status), StartedAt: began, ActiveTimeMs: &active, ExecutionMode: &mode,
		CanPromoteToBackground: &promotable, Error: wire.Optional(b.failure), Model: wire.Optional(b.task.Model),
		ResolvedModel: wire.Optional(cmp.Or(b.model, b.chosen)), LatestResponse: wire.Optional(d.Text),
	}
	if b.status == tool.AgentRunning {
		task.ActiveStartedAt = &began
		return task
	}
	ended := wire.Moment(b.end)
	task.CompletedAt = &ended
	if b.status == tool.AgentCompleted {
		task.Result = wire.Optional(b.text)
	}
	return task
}

// promotable reports whether a tool call waits for the sub-agent, so that the sub-agent can be
// moved to the background.
func (b *Subagent) promotable() bool { return b.status == tool.AgentRunning && !b.background }

// get returns a task of this process by its id, nil if there is none.
func (t Tasks) get(id string) *Subagent {
	if i := slices.IndexFunc(t.a.subs, func(b *Subagent) bool { return b.id == id && !b.earlier }); i >= 0 {
		return t.a.subs[i]
	}
	return nil
}

// Start starts a sub-agent in the background and returns its id. If the session is idle, it
// works until the sub-agent has ended and the main agent has read the notice.
// [fault.NotFound] if there is no such agent, or no such model.
func (t Tasks) Start(ctx context.Context, task tool.AgentTask) (id string, err error) {
	if err := t.a.files.SearchAgain(ctx); err != nil {
		return "", err
	}
	if err := t.a.session.CheckModel(ctx, task.Model); err != nil {
		return "", err
	}
	if err := t.a.named.lookUp(ctx, t.a, task.Agent, task.Model); err != nil {
		return "", err
	}
	task.Background = true
	return mailbox.Ask(ctx, t.a.session.Change, func() (string, error) {
		b, err := t.a.launch(launching{task: task, in: t.a.Live("")})
		if err != nil {
			return "", err
		}
		return b.id, nil
	})
}

// Progress returns what a task is doing, nil if there is no such task.
func (t Tasks) Progress(ctx context.Context, id string) (wire.Progress, error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() (wire.Progress, error) {
		if b := t.get(id); b != nil {
			return b.progress.now(), nil
		}
		return t.a.clients.Progress(id), nil
	})
}

// Cancel stops a task that works. It reports whether there was one, and returns once it has
// ended or ctx has.
func (t Tasks) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := mailbox.Ask(ctx, t.a.session.Do, func() (<-chan struct{}, error) {
		b := t.get(id)
		if b == nil || b.status != tool.AgentRunning {
			return nil, nil
		}
		b.worker.Stop()
		return b.done, nil
	})
	if err != nil {
		return false, err
	}
	if done == nil {
		return t.a.clients.Cancel(ctx, id)
	}
	select {
	case <-done:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// CancelAll stops all sub-agents that work in the background, and returns how many those were. It does not
// wait for their ends, and leaves the tasks of clients alone.
func (t Tasks) CancelAll(ctx context.Context) (n int, err error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() (n int, _ error) {
		for _, b := range t.a.subs {
			if b.status == tool.AgentRunning && b.background {
				b.worker.Stop()
				n++
			}
		}
		return n, nil
	})
}

// Remove forgets a task that has ended. It reports whether there was one. Its events stay in
// the log.
func (t Tasks) Remove(ctx context.Context, id string) (bool, error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() (bool, error) {
		if t.a.clients.Remove(id) {
			return true, nil
		}
		b := t.get(id)
		if b == nil || b.status == tool.AgentRunning {
			return false, nil
		}
		b.earlier = true // it is like one that the log alone knows
		t.a.changed()
		return true, nil
	})
}

// Write sends a task a message. [fault.NotFound] if there is no such task.
func (t Tasks) Write(ctx context.Context, id, message string) error {
	if err := t.a.named.lookUp(ctx, t.a, "", ""); err != nil {
		return err
	}
	return t.a.session.Change(ctx, func() error {
		b := t.get(id)
		if b == nil {
			return fault.New(fault.NotFound, "session.tasks.sendMessage", t.a.id, "there is no task %q", id)
		}
		return t.a.write(b, t.a.Live(""), nil, message)
	})
}

// Promotable returns the first task that a call waits for and that can be moved to the
// background, nil if there is none.
func (t Tasks) Promotable(ctx context.Context) (wire.Task, error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() (wire.Task, error) {
		if i := slices.IndexFunc(t.a.subs, (*Subagent).promotable); i >= 0 {
			return t.a.subs[i].info(), nil
		}
		return nil, nil
	})
}

// Promote moves a task to the background, the first that can be if id is "": the call that
// started it returns, and its agent is notified of the end. It returns the task, nil if none
// was moved.
func (t Tasks) Promote(ctx context.Context, id string) (wire.Task, error) {
	return mailbox.Ask(ctx, t.a.session.Do, func() (wire.Task, error) {
		for _, b := range t.a.subs {
			if b.promotable() && (id == "" || b.id == id) {
				b.background = true
				t.a.owe(b)
				close(b.moved)
				t.a.changed()
				return b.info(), nil
			}
		}
		return nil, nil
	})
}

// maxTaskWait bounds how long a client waits for tasks. Source: the schema, at
// session.tasks.waitForPending.
const maxTaskWait = 10 * time.Minute

// Wait returns when no sub-agent works any more and the session has dealt with their ends. After
// ten minutes ([maxTaskWait]) it returns nil although they work. It does not wait for the tasks of clients.
func (t Tasks) Wait(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, maxTaskWait)
	defer cancel()
	works, err := mailbox.Ask(ctx, t.a.session.Do, func() (bool, error) {
		_, awaits := t.a.session.Run()
		return t.a.running > 0 || awaits, nil
	})
	if err != nil || !works {
		return err
	}
	if err := t.whenIdle(limited); limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	return nil
}

// whenIdle returns when the session is idle.
func (t Tasks) whenIdle(ctx context.Context) error {
	for {
		ended, err := mailbox.Ask(ctx, t.a.session.Do, func() (<-chan struct{}, error) {
			ended, _ := t.a.session.Run()
			return ended, nil
		})
		if err != nil || ended == nil {
			return err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
