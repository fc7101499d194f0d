package session

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// clientTask is work of a client outside of this program that it shows as a task of the session.
// It belongs to the session's goroutine and is not recorded: nothing of it survives the process.
type clientTask struct {
	info        wire.ClientTask
	owner       *Client // nil once it has left
	cancellable bool
	last        string // the last update, to recognise its repetition
	progress    wire.ClientProgress
}

// maxClientTasks bounds the tasks of clients in one session.
const maxClientTasks = 1000

// RegisterTask shows work of the client as a task, or takes a task up again that the same
// program has left behind when its connection ended. [fault.Conflict] if the task is another
// client's, or has another sequence number than the client expects.
func (c *Client) RegisterTask(ctx context.Context, p wire.TaskRegister) (out wire.TaskRegistered, err error) {
	return mailbox.Ask(ctx, c.s.do, func() (out wire.TaskRegistered, _ error) {
		a, now := &c.s.agents, whole(time.Now())
		for _, t := range a.clientTasks {
			if t.info.ClientTaskID != p.ClientTaskID || t.info.Owner.ParticipantID != c.participant() {
				continue
			}
			if p.ExpectedSequence != nil && *p.ExpectedSequence != t.info.Sequence {
				return out, fault.New(fault.Conflict, "session.tasks.register", c.s.id, "the task %q is at sequence %d", p.ClientTaskID, t.info.Sequence)
			}
			if t.owner != nil && t.owner != c {
				return out, fault.New(fault.Conflict, "session.tasks.register", c.s.id, "the task %q belongs to a client that is attached", p.ClientTaskID)
			}
			if t.info.Status == "orphaned" {
				t.take(c, now)
				t.info.Status, t.info.ReclaimedAt, out.Reclaimed = "running", &now, true
				a.changed()
			}
			out.Task = t.info
			return out, nil
		}
		if len(a.clientTasks) >= maxClientTasks {
			return out, fault.New(fault.Unavailable, "session.tasks.register", c.s.id, "there are %d tasks of clients already", maxClientTasks)
		}
		t := &clientTask{cancellable: p.Cancellable, info: wire.ClientTask{
			ID: wire.NewID(), ClientTaskID: p.ClientTaskID, Description: p.Description, DisplayName: p.DisplayName, ExecutionMode: "background",
			StartedAt: now, UpdatedAt: now, ActiveStartedAt: &now, Status: "running",
		}}
		t.take(c, now)
		a.clientTasks = append(a.clientTasks, t)
		a.changed()
		return wire.TaskRegistered{Created: true, Task: t.info}, nil
	})
}

// participant identifies the program behind a client in this session: by its name, so that it
// is the same after a lost connection.
func (c *Client) participant() string { return "client:" + c.name }

// take makes a client the owner of a task.
func (t *clientTask) take(c *Client, now time.Time) {
	t.owner = c
	t.info.CanCancel = t.cancellable && c.peer != nil
	t.info.Owner = wire.TaskOwner{Kind: "sdk", ParticipantID: c.participant(), JoinID: c.join, Presence: "connected", DisplayName: wire.Optional(c.name)}
	t.info.UpdatedAt = now
}

// ended reports whether the task is over.
func (t *clientTask) ended() bool {
	return slices.Contains([]wire.ClientTaskStatus{"completed", "failed", "cancelled"}, t.info.Status)
}

// UpdateTask applies an update of the task's owner. The sequence number of an update is higher
// than that of the one before; the same update again is a duplicate. [fault.NotFound] if there
// is no such task, [fault.Denied] if another client owns it, [fault.Conflict] if the task is over
// or the number is too low.
func (c *Client) UpdateTask(ctx context.Context, p wire.TaskUpdate) (wire.TaskUpdated, error) {
	sent, err := json.Marshal(p.Update)
	if err != nil {
		return wire.TaskUpdated{}, fault.New(fault.Invalid, "session.tasks.update", c.s.id, "the update cannot be read: %w", err)
	}
	return mailbox.Ask(ctx, c.s.do, func() (out wire.TaskUpdated, _ error) {
		t := c.s.agents.clientTask(p.ID)
		switch {
		case t == nil:
			return out, fault.New(fault.NotFound, "session.tasks.update", c.s.id, "there is no task %q of a client", p.ID)
		case t.owner != c:
			return out, fault.New(fault.Denied, "session.tasks.update", c.s.id, "the task %q is another client's; register it first", p.ID)
		case p.Sequence == t.info.Sequence && string(sent) == t.last:
			return wire.TaskUpdated{Duplicate: true, Task: t.info}, nil
		case t.ended():
			return out, fault.New(fault.Conflict, "session.tasks.update", c.s.id, "the task %q is over", p.ID)
		case p.Sequence <= t.info.Sequence:
			return out, fault.New(fault.Conflict, "session.tasks.update", c.s.id, "the task %q is at sequence %d already", p.ID, t.info.Sequence)
		}
		t.info.Sequence, t.last = p.Sequence, string(sent)
		t.apply(p.Update, whole(time.Now()))
		c.s.agents.changed()
		return wire.TaskUpdated{Applied: true, Task: t.info}, nil
	})
}

// apply changes a task as its owner says.
func (t *clientTask) apply(update wire.ClientTaskUpdate, now time.Time) {
	t.info.UpdatedAt = now
	said := func(message *string) {
		if message == nil || *message == "" {
			return
		}
		t.progress.LastMessage = message
		if len(t.progress.RecentActivity) >= maxProgress {
			t.progress.RecentActivity = slices.Delete(t.progress.RecentActivity, 0, 1)
		}
		t.progress.RecentActivity = append(t.progress.RecentActivity, wire.ProgressLine{Message: *message, Timestamp: now})
	}
	switch u := update.(type) {
	case *wire.ClientTaskProgressed:
		said(u.Message)
		if u.Percentage != nil {
			t.progress.Percentage = *u.Percentage
		}
		if u.Phase != nil {
			t.progress.Phase = *u.Phase
		}
		if u.Status != nil {
			t.info.Status = wire.ClientTaskStatus(*u.Status)
		}
		t.info.IdleSince = nil
		if t.info.Status == "idle" {
			t.info.IdleSince = &now
		}
		return
	case *wire.ClientTaskCompleted:
		said(u.Message)
		t.info.Status, t.info.Result = "completed", u.Result
	case *wire.ClientTaskFailed:
		said(u.Message)
		t.info.Status, t.info.Error, t.info.ErrorCode = "failed", &u.Error, u.Code
	case *wire.ClientTaskCancelled:
		said(u.Message)
		t.info.Status, t.info.CancellationReason = "cancelled", u.Reason
	}
	t.end(now)
}

// end notes that the task is over.
func (t *clientTask) end(now time.Time) {
	t.info.ActiveTimeMs = now.Sub(t.info.StartedAt).Milliseconds()
	t.info.CompletedAt, t.info.ActiveStartedAt, t.info.IdleSince, t.info.CanCancel = &now, nil, nil, false
}

// clientTask returns a task of a client, nil if there is none with that id.
func (a *Agents) clientTask(id string) *clientTask {
	for _, t := range a.clientTasks {
		if t.info.ID == id {
			return t
		}
	}
	return nil
}

// orphan notes that a client has left: what became of its tasks is not known.
func (a *Agents) orphan(c *Client) {
	now, left := whole(time.Now()), false
	for _, t := range a.clientTasks {
		if t.owner != c {
			continue
		}
		t.owner, t.info.CanCancel = nil, false
		t.info.Owner.Presence, t.info.Owner.DisconnectedAt = "disconnected", &now
		if !t.ended() {
			t.info.Status, t.info.OrphanedAt, left = "orphaned", &now, true
		}
	}
	if left {
		a.changed()
	}
}

// cancelClientTask asks the owner of a task to stop its work, and reports whether it has.
func (t Tasks) cancelClientTask(ctx context.Context, id string) (bool, error) {
	type call struct {
		task   *clientTask
		owner  *Client
		params map[string]any
	}
	ask, err := mailbox.Ask(ctx, t.s.do, func() (call, error) {
		task := t.s.agents.clientTask(id)
		if task == nil || task.owner == nil || !task.info.CanCancel || task.ended() {
			return call{}, nil
		}
		return call{task, task.owner, map[string]any{
			"sessionId": t.s.id, "id": id, "clientTaskId": task.info.ClientTaskID, "cancellationId": wire.NewID(), "reason": "cancel_requested",
		}}, nil
	})
	if err != nil || ask.task == nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	limited, leave := ask.owner.present(limited)
	defer leave()
	var answer struct {
		Cancelled bool `json:"cancelled"`
	}
	if err := ask.owner.peer.Call(limited, "tasks.cancel", ask.params, &answer); err != nil || !answer.Cancelled {
		return false, ctx.Err()
	}
	return true, t.s.post(ctx, func() error {
		if !ask.task.ended() {
			now := whole(time.Now())
			ask.task.info.Status = "cancelled"
			ask.task.end(now)
			t.s.agents.changed()
		}
		return nil
	})
}
