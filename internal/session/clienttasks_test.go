package session_test

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client registers work of its own, updates it, is asked to stop it, and takes it up again
// after a lost connection.
func TestATaskOfAClient(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		cfg := tools()
		cfg.ClientName = "builder"
		stops := false
		asked := peer{"tasks.cancel": func(map[string]any) (any, error) { return map[string]any{"cancelled": stops}, nil }}
		s := d.createWith(cfg, asked)
		other := d.resume(wire.Config{SessionID: "s1", ClientName: "viewer"})
		register := wire.TaskRegister{ClientTaskID: "build", Description: "builds", Cancellable: true, Type: "client"}
		made, err := s.client.RegisterTask(ctx, register)
		if err != nil || !made.Created || made.Task.Status != "running" || !made.Task.CanCancel {
			t.Fatalf("RegisterTask = %+v, %v", made, err)
		}
		id, message, half := made.Task.ID, "compiling", new(50.0)
		update := wire.TaskUpdate{ID: id, Sequence: 1, Update: &wire.ClientTaskProgressed{Message: &message, Percentage: &half}}
		if _, err := other.client.UpdateTask(ctx, update); fault.KindOf(err) != fault.Denied {
			t.Errorf("another client's update: %v", err)
		}
		if got, err := s.client.UpdateTask(ctx, update); err != nil || !got.Applied {
			t.Errorf("UpdateTask = %+v, %v", got, err)
		}
		if got, err := s.client.UpdateTask(ctx, update); err != nil || got.Applied || !got.Duplicate {
			t.Errorf("the same update = %+v, %v", got, err)
		}
		update.Update = &wire.ClientTaskCompleted{}
		if _, err := s.client.UpdateTask(ctx, update); fault.KindOf(err) != fault.Conflict {
			t.Errorf("another update of the same number: %v", err)
		}
		p, err := other.s.Agents().Tasks().Progress(ctx, id)
		if got, ok := p.(*wire.ClientProgress); err != nil || !ok || *got.Percentage != 50 || len(got.RecentActivity) != 1 || got.Sequence != 1 {
			t.Errorf("Progress = %+v, %v", p, err)
		}
		if canceled, err := other.s.Agents().Tasks().Cancel(ctx, id); canceled || err != nil {
			t.Errorf("Cancel of a task that goes on = %v, %v", canceled, err)
		}
		if err := s.client.Detach(ctx); err != nil {
			t.Fatal(err)
		}
		stops = true
		takeUpAgain(t, d, other, register, id, asked)
	})
}

// takeUpAgain has the program of a task that is orphaned come back for it, and another client
// cancel it.
func takeUpAgain(t *testing.T, d *desk, other *seat, register wire.TaskRegister, id string, asked peer) {
	t.Helper()
	ctx := context.Background()
	list, err := other.s.Agents().Tasks().List(ctx, true)
	if err != nil || len(list) != 1 || list[0].(*wire.ClientTask).Status != "orphaned" {
		t.Fatalf("List = %+v, %v", list, err)
	}
	if hidden, _ := other.s.Agents().Tasks().List(ctx, false); len(hidden) != 0 {
		t.Errorf("a client that does not know such tasks sees %+v", hidden)
	}
	again := d.resumeWith(wire.Config{SessionID: "s1", ClientName: "builder"}, asked)
	wrong := int64(7)
	register.ExpectedSequence = &wrong
	if _, err := again.client.RegisterTask(ctx, register); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a wrong sequence: %v", err)
	}
	register.ExpectedSequence = nil
	if got, err := again.client.RegisterTask(ctx, register); err != nil || got.Created || !got.Reclaimed || got.Task.ID != id {
		t.Errorf("RegisterTask again = %+v, %v", got, err)
	}
	if removed, _ := other.s.Agents().Tasks().Remove(ctx, id); removed {
		t.Error("a task at work is removed")
	}
	if canceled, err := other.s.Agents().Tasks().Cancel(ctx, id); !canceled || err != nil {
		t.Errorf("Cancel = %v, %v", canceled, err)
	}
	if removed, err := other.s.Agents().Tasks().Remove(ctx, id); !removed || err != nil {
		t.Errorf("Remove = %v, %v", removed, err)
	}
}
