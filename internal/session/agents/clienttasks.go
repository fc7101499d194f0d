package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Client is a client that shows its own work as tasks. Two values of the same client are equal.
type Client interface {
	// Call calls a method of the client and decodes its result.
	Call(ctx context.Context, method string, params, result any) error
	// Attached returns a context that ends when the client leaves the session.
	Attached() context.Context
	// Reachable reports whether Call can be called.
	Reachable() bool
	// Name returns the name of the client's program, which is the same after a lost connection; "" if it
	// has none.
	Name() string
	// Joined returns the id of this attachment.
	Joined() string
}

// clientLimit is how long a client may take to stop its work.
const clientLimit = time.Minute

// ClientTasks are the tasks that clients have registered in a session. They are not recorded: nothing
// of them survives the process. Methods with a context are safe for concurrent use and not called on
// the session's goroutine, and return as [mailbox.Goroutine] describes. The others are called on that
// goroutine.
type ClientTasks struct {
	session state.Recorder
	id      string        // of the session
	all     []*clientTask // in the order in which they were registered
}

// NewClientTasks returns the tasks of clients in a session, of which there are none yet.
func NewClientTasks(session state.Recorder, id string) *ClientTasks {
	return &ClientTasks{session: session, id: id}
}

// clientTask is work of a client outside of this program that it shows as a task of the session.
type clientTask struct {
	info        wire.ClientTask
	owner       Client // nil once it has left
	cancellable bool
	last        string // the last update, to recognise its repetition
	progress    wire.ClientProgress
}

// maxProgress bounds the lines of progress that are kept of a task.
const maxProgress = 20

// maxClientTasks bounds the tasks of clients in one session.
const maxClientTasks = 1000

// Register shows work of a client as a task, or takes a task up again that the same program has left
// behind when its connection ended. [fault.Conflict] if the task is another client's, or has another
// sequence number than the client expects.
func (ts *ClientTasks) Register(ctx context.Context, c Client, p wire.TaskRegister) (wire.TaskRegistered, error) {
	return mailbox.Ask(ctx, ts.session.Do, func() (wire.TaskRegistered, error) {
		now := wire.Moment(time.Now())
		for _, t := range ts.all {
			if t.info.ClientTaskID == p.ClientTaskID && t.info.Owner.ParticipantID == participant(c) {
				return ts.again(t, c, p, now)
			}
		}
		if len(ts.all) >= maxClientTasks {
			return wire.TaskRegistered{}, fault.New(fault.Unavailable, "session.tasks.register", ts.id, "there are %d tasks of clients already", maxClientTasks)
		}
		t := &clientTask{cancellable: p.Cancellable, info: wire.ClientTask{
			ID: wire.NewID(), ClientTaskID: p.ClientTaskID, Description: p.Description, DisplayName: p.DisplayName, ExecutionMode: "background",
			StartedAt: now, UpdatedAt: now, ActiveStartedAt: &now, Status: "running",
		}}
		t.take(c, now)
		ts.all = append(ts.all, t)
		ts.changed()
		return wire.TaskRegistered{Created: true, Task: t.info}, nil
	})
}

// again is [ClientTasks.Register] of a task that the client's program has registered before.
func (ts *ClientTasks) again(t *clientTask, c Client, p wire.TaskRegister, now time.Time) (out wire.TaskRegistered, _ error) {
	if p.ExpectedSequence != nil && *p.ExpectedSequence != t.info.Sequence {
		return out, fault.New(fault.Conflict, "session.tasks.register", ts.id, "the task %q is at sequence %d", p.ClientTaskID, t.info.Sequence)
	}
	if t.owner != nil && t.owner != c {
		return out, fault.New(fault.Conflict, "session.tasks.register", ts.id, "the task %q belongs to a client that is attached", p.ClientTaskID)
	}
	if t.info.Status == "orphaned" {
		t.take(c, now)
		t.info.Status, t.info.ReclaimedAt, out.Reclaimed = "running", &now, true
		ts.changed()
	}
	out.Task = t.info
	return out, nil
}

// changed reports that the list of tasks has changed.
func (ts *ClientTasks) changed() { ts.session.Notify("", &wire.BackgroundTasksChanged{}) }

// participant identifies the program behind a client in this session: by its name, so that it
// is the same after a lost connection. A client without a name is a participant of its own.
func participant(c Client) string { return "client:" + cmp.Or(c.Name(), c.Joined()) }

// take makes a client the owner of a task.
func (t *clientTask) take(c Client, now time.Time) {
	t.owner = c
	t.info.CanCancel = t.cancellable && c.Reachable()
	t.info.Owner = wire.TaskOwner{Kind: "sdk", ParticipantID: participant(c), JoinID: c.Joined(), Presence: "connected", DisplayName: wire.Optional(c.Name())}
	t.info.UpdatedAt = now
}

// ended reports whether the task is over.
func (t *clientTask) ended() bool {
	return slices.Contains([]wire.ClientTaskStatus{"completed", "failed", "cancelled"}, t.info.Status)
}

// Update applies an update of the task's owner. The sequence number of an update is higher
// than that of the one before; the same update again is a duplicate. [fault.NotFound] if there
// is no such task, [fault.Denied] if another client owns it, [fault.Conflict] if the task is over
// or the number is too low.
func (ts *ClientTasks) Update(ctx context.Context, c Client, p wire.TaskUpdate) (wire.TaskUpdated, error) {
	sent, err := json.Marshal(p.Update)
	if err != nil {
		return wire.TaskUpdated{}, fault.New(fault.Invalid, "session.tasks.update", ts.id, "the update cannot be read: %w", err)
	}
	return mailbox.Ask(ctx, ts.session.Do, func() (out wire.TaskUpdated, _ error) {
		t := ts.find(p.ID)
		switch {
		case t == nil:
			return out, fault.New(fault.NotFound, "session.tasks.update", ts.id, "there is no task %q of a client", p.ID)
		case t.owner != c:
			return out, fault.New(fault.Denied, "session.tasks.update", ts.id, "the task %q is another client's; register it first", p.ID)
		case p.Sequence == t.info.Sequence && string(sent) == t.last:
			return wire.TaskUpdated{Duplicate: true, Task: t.info}, nil
		case t.ended():
			return out, fault.New(fault.Conflict, "session.tasks.update", ts.id, "the task %q is over", p.ID)
		case p.Sequence <= t.info.Sequence:
			return out, fault.New(fault.Conflict, "session.tasks.update", ts.id, "the task %q is at sequence %d already", p.ID, t.info.Sequence)
		}
		t.info.Sequence, t.last = p.Sequence, string(sent)
		t.apply(p.Update, wire.Moment(time.Now()))
		ts.changed()
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

// find returns a task of a client, nil if there is none with that id.
func (ts *ClientTasks) find(id string) *clientTask {
	for _, t := range ts.all {
		if t.info.ID == id {
			return t
		}
	}
	return nil
}

// List returns the tasks in the order in which they were registered.
func (ts *ClientTasks) List() (all []wire.Task) {
	for _, t := range ts.all {
		info := t.info
		all = append(all, &info)
	}
	return all
}

// Progress returns what a task is doing, nil if there is none with that id.
func (ts *ClientTasks) Progress(id string) wire.Progress {
	t := ts.find(id)
	if t == nil {
		return nil
	}
	now := t.progress
	now.RecentActivity = append([]wire.ProgressLine{}, now.RecentActivity...)
	now.Sequence, now.Status, now.UpdatedAt = t.info.Sequence, t.info.Status, t.info.UpdatedAt
	return &now
}

// Remove forgets a task that is over, or whose client has left. It reports whether there was one.
func (ts *ClientTasks) Remove(id string) bool {
	i := slices.IndexFunc(ts.all, func(t *clientTask) bool { return t.info.ID == id && (t.ended() || t.owner == nil) })
	if i < 0 {
		return false
	}
	ts.all = slices.Delete(ts.all, i, i+1)
	ts.changed()
	return true
}

// Left notes that a client has left: what became of its tasks is not known.
func (ts *ClientTasks) Left(c Client) {
	now, left := wire.Moment(time.Now()), false
	for _, t := range ts.all {
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
		ts.changed()
	}
}

// Cancel asks the owner of a task to stop its work, for a minute at most, and reports whether it has.
func (ts *ClientTasks) Cancel(ctx context.Context, id string) (bool, error) {
	type call struct {
		task   *clientTask
		owner  Client
		params map[string]any
	}
	ask, err := mailbox.Ask(ctx, ts.session.Do, func() (call, error) {
		t := ts.find(id)
		if t == nil || t.owner == nil || !t.info.CanCancel || t.ended() {
			return call{}, nil
		}
		return call{t, t.owner, map[string]any{
			"sessionId": ts.id, "id": id, "clientTaskId": t.info.ClientTaskID, "cancellationId": wire.NewID(), "reason": "cancel_requested",
		}}, nil
	})
	if err != nil || ask.task == nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	defer context.AfterFunc(ask.owner.Attached(), cancel)()
	var answer struct {
		Cancelled bool `json:"cancelled"`
	}
	if err := ask.owner.Call(limited, "tasks.cancel", ask.params, &answer); err != nil || !answer.Cancelled {
		return false, ctx.Err()
	}
	return true, ts.session.Post(ctx, func() error {
		if !ask.task.ended() {
			now := wire.Moment(time.Now())
			ask.task.info.Status = "cancelled"
			ask.task.end(now)
			ts.changed()
		}
		return nil
	})
}
