package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tasks are the sub-agents of a session as clients see and change them.
type Tasks struct{ s *Session }

// Tasks returns the session's tasks.
func (a *Agents) Tasks() Tasks { return Tasks{a.s} }

// List returns the tasks that this process has started, in the order in which they began, and
// then, if clients is set, those that clients have registered; never nil.
func (t Tasks) List(ctx context.Context, clients bool) ([]wire.Task, error) {
	return mailbox.Ask(ctx, t.s.do, func() ([]wire.Task, error) {
		all := []wire.Task{}
		for _, b := range t.s.agents.subs {
			if !b.earlier {
				all = append(all, b.info())
			}
		}
		if clients {
			all = append(all, t.s.agents.clientTasks.List()...)
		}
		return all, nil
	})
}

// info is a sub-agent as clients get it.
func (b *subagent) info() wire.Task {
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
		ResolvedModel: wire.Optional(cmp.Or(b.model, b.thread.choice.Model)), LatestResponse: wire.Optional(d.Text),
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
func (b *subagent) promotable() bool { return b.status == tool.AgentRunning && !b.background }

// get returns a task of this process by its id, nil if there is none.
func (t Tasks) get(id string) *subagent {
	if i := slices.IndexFunc(t.s.agents.subs, func(b *subagent) bool { return b.id == id && !b.earlier }); i >= 0 {
		return t.s.agents.subs[i]
	}
	return nil
}

// Start starts a sub-agent in the background and returns its id. If the session is idle, it
// works until the sub-agent has ended and the main agent has read the notice.
// [fault.NotFound] if there is no such agent, or no such model.
func (t Tasks) Start(ctx context.Context, task tool.AgentTask) (id string, err error) {
	if err := t.s.discovery.Refresh(ctx); err != nil {
		return "", err
	}
	if err := t.checkModel(ctx, task.Model); err != nil {
		return "", err
	}
	task.Background = true
	return mailbox.Ask(ctx, t.s.change, func() (string, error) {
		b, err := t.s.agents.launch(launching{task: task, run: t.s.run})
		if err != nil {
			return "", err
		}
		return b.id, nil
	})
}

// checkModel refuses a model that the provider does not list. A provider without a list is
// asked with the first call.
func (t Tasks) checkModel(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	if state.IsExtension(name) {
		return fault.New(fault.Invalid, "session.tasks.startAgent", t.s.id, "a sub-agent runs on a model, and %s is an agent of another system", name)
	}
	registered, err := mailbox.Ask(ctx, t.s.do, func() (bool, error) { return t.s.config.providers.Registered.Has(name), nil })
	if err != nil || registered {
		return err
	}
	p, err := t.s.Settings().Provider(ctx)
	if err != nil {
		return err
	}
	if p.Missing != nil {
		return p.Missing
	}
	list, err := t.s.home.Model.Models(ctx, p.Endpoint)
	if me := model.ErrorOf(err); err != nil && (me == nil || !slices.Contains([]int{404, 405, 501}, me.Status)) {
		return err
	}
	if err != nil || len(list) == 0 || slices.ContainsFunc(list, func(m model.Info) bool { return m.ID == name }) {
		return ctx.Err()
	}
	return fault.New(fault.NotFound, "session.tasks.startAgent", t.s.id, "the provider has no model %q", name)
}

// Progress returns what a task is doing, nil if there is no such task.
func (t Tasks) Progress(ctx context.Context, id string) (wire.Progress, error) {
	return mailbox.Ask(ctx, t.s.do, func() (wire.Progress, error) {
		if b := t.get(id); b != nil {
			return b.progress.now(), nil
		}
		return t.s.agents.clientTasks.Progress(id), nil
	})
}

// Cancel stops a task that works. It reports whether there was one, and returns once it has
// ended or ctx has.
func (t Tasks) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := mailbox.Ask(ctx, t.s.do, func() (<-chan struct{}, error) {
		b := t.get(id)
		if b == nil || b.status != tool.AgentRunning {
			return nil, nil
		}
		b.stop()
		return b.done, nil
	})
	if err != nil {
		return false, err
	}
	if done == nil {
		return t.s.agents.clientTasks.Cancel(ctx, id)
	}
	select {
	case <-done:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// CancelAll stops all tasks that work in the background, and returns how many those were.
func (t Tasks) CancelAll(ctx context.Context) (n int, err error) {
	return mailbox.Ask(ctx, t.s.do, func() (n int, _ error) {
		for _, b := range t.s.agents.subs {
			if b.status == tool.AgentRunning && b.background {
				b.stop()
				n++
			}
		}
		return n, nil
	})
}

// Remove forgets a task that has ended. It reports whether there was one. Its events stay in
// the log.
func (t Tasks) Remove(ctx context.Context, id string) (bool, error) {
	return mailbox.Ask(ctx, t.s.do, func() (bool, error) {
		if t.s.agents.clientTasks.Remove(id) {
			return true, nil
		}
		b := t.get(id)
		if b == nil || b.status == tool.AgentRunning {
			return false, nil
		}
		b.earlier = true // it is like one that the log alone knows
		t.s.agents.changed()
		return true, nil
	})
}

// Write sends a task a message. [fault.NotFound] if there is no such task.
func (t Tasks) Write(ctx context.Context, id, message string) error {
	return t.s.change(ctx, func() error {
		b := t.get(id)
		if b == nil {
			return fault.New(fault.NotFound, "session.tasks.sendMessage", t.s.id, "there is no task %q", id)
		}
		return t.s.agents.write(b, t.s.run, nil, message)
	})
}

// Promotable returns the first task that a call waits for and that can be moved to the
// background, nil if there is none.
func (t Tasks) Promotable(ctx context.Context) (wire.Task, error) {
	return mailbox.Ask(ctx, t.s.do, func() (wire.Task, error) {
		if i := slices.IndexFunc(t.s.agents.subs, (*subagent).promotable); i >= 0 {
			return t.s.agents.subs[i].info(), nil
		}
		return nil, nil
	})
}

// Promote moves a task to the background, the first that can be if id is "": the call that
// started it returns, and its agent is notified of the end. It returns the task, nil if none
// was moved.
func (t Tasks) Promote(ctx context.Context, id string) (wire.Task, error) {
	return mailbox.Ask(ctx, t.s.do, func() (wire.Task, error) {
		for _, b := range t.s.agents.subs {
			if b.promotable() && (id == "" || b.id == id) {
				b.background = true
				t.s.agents.owe(b)
				close(b.moved)
				t.s.agents.changed()
				return b.info(), nil
			}
		}
		return nil, nil
	})
}

// maxTaskWait bounds how long a client waits for tasks. Source: the schema, at
// session.tasks.waitForPending.
const maxTaskWait = 10 * time.Minute

// Wait returns when no task works any more and the session has dealt with their ends, or after
// maxTaskWait.
func (t Tasks) Wait(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, maxTaskWait)
	defer cancel()
	works, err := mailbox.Ask(ctx, t.s.do, func() (bool, error) {
		return t.s.agents.running > 0 || t.s.run != nil && t.s.run.awaits != nil, nil
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
		ended, err := mailbox.Ask(ctx, t.s.do, func() (<-chan struct{}, error) {
			if t.s.run == nil {
				return nil, nil
			}
			return t.s.run.ended, nil
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

// progress is what a sub-agent has done last. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex // guards the rest
	lines []wire.ProgressLine
	about string // the last intent
}

// maxProgress bounds the lines that are kept.
const maxProgress = 20

// add adds a line, which replaces the oldest if there are too many.
func (p *progress) add(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) >= maxProgress {
		p.lines = slices.Delete(p.lines, 0, 1)
	}
	p.lines = append(p.lines, wire.ProgressLine{Message: line, Timestamp: wire.Moment(time.Now())})
}

func (p *progress) now() *wire.AgentProgress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &wire.AgentProgress{RecentActivity: append([]wire.ProgressLine{}, p.lines...), LatestIntent: wire.Optional(p.about)}
}

// note adds what an event of the sub-agent says about its progress.
func (p *progress) note(events ...wire.Data) {
	for _, e := range events {
		switch e := e.(type) {
		case *wire.ToolStart:
			p.add("▸ " + e.ToolName)
		case *wire.ToolComplete:
			switch {
			case !e.Success:
				p.add("✗ a tool call failed")
			case e.ShellExecution != nil && e.ShellExecution.ExitCode != 0:
				p.add(fmt.Sprintf("✗ a command ended with exit code %d", e.ShellExecution.ExitCode))
			}
		case *wire.AssistantIntent:
			p.mu.Lock()
			p.about = e.Intent
			p.mu.Unlock()
		}
	}
}
