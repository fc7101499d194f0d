package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// program is a client that shows its work as tasks.
type program struct {
	name     string
	joined   string
	attached context.Context
	answer   func(params any) (string, error) // to tasks.cancel; nil: it cannot be called
}

func (p *program) Call(_ context.Context, method string, params, result any) error {
	if method != "tasks.cancel" {
		return fmt.Errorf("%s was called", method)
	}
	text, err := p.answer(params)
	return errors.Join(err, json.Unmarshal([]byte(text), result))
}

func (p *program) Attached() context.Context { return p.attached }

func (p *program) Reachable() bool { return p.answer != nil }

func (p *program) Name() string { return p.name }

func (p *program) Joined() string { return p.joined }

// registered has a client register a task.
func registered(t *testing.T, tasks *ClientTasks, c Client, name string) wire.ClientTask {
	t.Helper()
	made, err := tasks.Register(t.Context(), c, wire.TaskRegister{ClientTaskID: name, Description: "builds", Cancellable: true})
	if err != nil || !made.Created {
		t.Fatalf("Register = %+v, %v", made, err)
	}
	return made.Task
}

// A task is stopped only by its client, which says whether it has stopped it.
func TestCancelOfAClientsTask(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		fails  error
		want   bool
		status wire.ClientTaskStatus
	}{
		"stopped":                 {`{"cancelled": true}`, nil, true, "cancelled"},
		"it goes on":              {`{"cancelled": false}`, nil, false, "running"},
		"the client has an error": {`{"cancelled": true}`, errors.New("no"), false, "running"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &statetest.Session{}
			tasks := NewClientTasks(f, "s1")
			var asked map[string]any
			c := &program{name: "builder", attached: t.Context(), answer: func(params any) (string, error) {
				asked = params.(map[string]any)
				return tc.answer, tc.fails
			}}
			task := registered(t, tasks, c, "build")
			if canceled, err := tasks.Cancel(t.Context(), task.ID); canceled != tc.want || err != nil {
				t.Errorf("Cancel = %v, %v, want %v", canceled, err, tc.want)
			}
			if asked["clientTaskId"] != "build" || asked["sessionId"] != "s1" {
				t.Errorf("asked: %v", asked)
			}
			if now := tasks.List()[0].(*wire.ClientTask); now.Status != tc.status || now.CanCancel == tc.want {
				t.Errorf("the task is %q, can be cancelled: %v; want %q", now.Status, now.CanCancel, tc.status)
			}
		})
	}
}

// A client that cannot be called is not asked to stop its task.
func TestATaskThatCannotBeCanceled(t *testing.T) {
	tasks := NewClientTasks(&statetest.Session{}, "s1")
	task := registered(t, tasks, &program{name: "builder", attached: t.Context()}, "build")
	if canceled, err := tasks.Cancel(t.Context(), task.ID); task.CanCancel || canceled || err != nil {
		t.Errorf("CanCancel = %v, Cancel = %v, %v", task.CanCancel, canceled, err)
	}
	if tasks.Remove(task.ID) {
		t.Error("a task at work is removed")
	}
}

// A task whose client has left is taken up again by the same program, and by no other.
func TestATaskOfAClientThatLeft(t *testing.T) {
	f := &statetest.Session{}
	tasks := NewClientTasks(f, "s1")
	first := &program{name: "builder", attached: t.Context()}
	task := registered(t, tasks, first, "build")
	tasks.Left(first)
	if now := tasks.List()[0].(*wire.ClientTask); now.Status != "orphaned" || now.Owner.Presence != "disconnected" {
		t.Errorf("the task is %+v", now)
	}
	update := wire.TaskUpdate{ID: task.ID, Sequence: 1, Update: &wire.ClientTaskCompleted{}}
	if _, err := tasks.Update(t.Context(), first, update); fault.KindOf(err) != fault.Denied {
		t.Errorf("an update of a client that left: %v", err)
	}
	for _, name := range []string{"viewer", ""} {
		if other := registered(t, tasks, &program{name: name, joined: "a2", attached: t.Context()}, "build"); other.ID == task.ID {
			t.Errorf("another program, %q, has taken the task", name)
		}
	}
	again := &program{name: "builder", attached: t.Context()}
	got, err := tasks.Register(t.Context(), again, wire.TaskRegister{ClientTaskID: "build"})
	if err != nil || !got.Reclaimed || got.Task.ID != task.ID || got.Task.Status != "running" {
		t.Fatalf("Register = %+v, %v", got, err)
	}
	if done, err := tasks.Update(t.Context(), again, update); err != nil || !done.Applied || done.Task.CompletedAt == nil {
		t.Errorf("Update = %+v, %v", done, err)
	}
	if !tasks.Remove(task.ID) || len(tasks.List()) != 2 {
		t.Errorf("left: %v", tasks.List())
	}
	for _, kind := range f.Types() {
		if kind != (&wire.BackgroundTasksChanged{}).Type() {
			t.Errorf("sent: %s", kind)
		}
	}
}

// Two clients without a name are two programs: neither takes the task of the other, which it may know nothing of.
func TestATaskOfAClientWithoutAName(t *testing.T) {
	tasks := NewClientTasks(&statetest.Session{}, "s1")
	first, second := &program{joined: "a1", attached: t.Context()}, &program{joined: "a2", attached: t.Context()}
	task := registered(t, tasks, first, "build")
	tasks.Left(first)
	if other := registered(t, tasks, second, "build"); other.ID == task.ID || other.Owner.ParticipantID == task.Owner.ParticipantID {
		t.Errorf("the second client has %+v, want a task of its own beside %+v", other, task)
	}
	got, err := tasks.Register(t.Context(), second, wire.TaskRegister{ClientTaskID: "build"})
	if err != nil || got.Created || got.Reclaimed {
		t.Errorf("Register again = %+v, %v, want its own task", got, err)
	}
}

// Nothing is kept without bound: neither the tasks of clients, nor what they say of their progress.
func TestTasksOfClientsHaveBounds(t *testing.T) {
	tasks := NewClientTasks(&statetest.Session{}, "s1")
	c := &program{name: "builder", attached: t.Context()}
	task := registered(t, tasks, c, "0")
	for n := range 2 * maxProgress {
		said := fmt.Sprint("line ", n)
		update := wire.TaskUpdate{ID: task.ID, Sequence: int64(n + 1), Update: &wire.ClientTaskProgressed{Message: &said}}
		if _, err := tasks.Update(t.Context(), c, update); err != nil {
			t.Fatal(err)
		}
	}
	p := tasks.Progress(task.ID).(*wire.ClientProgress)
	if len(p.RecentActivity) != maxProgress || p.RecentActivity[maxProgress-1].Message != "line 39" {
		t.Errorf("progress: %+v", p)
	}
	for n := 1; n < maxClientTasks; n++ {
		registered(t, tasks, c, fmt.Sprint(n))
	}
	if _, err := tasks.Register(t.Context(), c, wire.TaskRegister{ClientTaskID: "more"}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("one more than the bound: %v", err)
	}
}
