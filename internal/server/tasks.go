package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listTasks leaves out tasks of clients unless this client has said that it knows them.
func listTasks(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	tasks, err := a.client.Session().Agents().Tasks().List(ctx, c.clientTasks.Load())
	if err != nil {
		return nil, err
	}
	return encode(wire.TaskList{Tasks: tasks})
}

func registerTask(ctx context.Context, _ *conn, a *attachment, p wire.TaskRegister) (any, error) {
	if p.ClientTaskID == "" {
		return nil, missing("clientTaskId")
	}
	registered, err := a.client.RegisterTask(ctx, p)
	if err != nil {
		return nil, err
	}
	return encode(registered)
}

func updateTask(ctx context.Context, _ *conn, a *attachment, p wire.TaskUpdate) (any, error) {
	if p.Update == nil {
		return nil, missing("update")
	}
	updated, err := a.client.UpdateTask(ctx, p)
	if err != nil {
		return nil, err
	}
	return encode(updated)
}

// refreshTasks does nothing: what clients read of tasks is always new.
func refreshTasks(context.Context, *session.Session, named) (any, error) { return empty{}, nil }

func waitForTasks(ctx context.Context, s *session.Session, _ named) (any, error) {
	return empty{}, s.Agents().Tasks().Wait(ctx)
}

func startTask(ctx context.Context, s *session.Session, p wire.TaskStart) (any, error) {
	switch {
	case p.AgentType == "":
		return nil, missing("agentType")
	case p.Prompt == "":
		return nil, missing("prompt")
	}
	t := tool.AgentTask{Agent: p.AgentType, Name: p.Name, Prompt: p.Prompt}
	if p.Description != nil {
		t.Description = *p.Description
	}
	if p.Model != nil {
		t.Model = *p.Model
	}
	id, err := s.Agents().Tasks().Start(ctx, t)
	return wire.TaskStarted{AgentID: id}, err
}

func taskProgress(ctx context.Context, s *session.Session, p wire.TaskID) (any, error) {
	progress, err := s.Agents().Tasks().Progress(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return encode(wire.TaskProgressResult{Progress: progress})
}

func cancelTask(ctx context.Context, s *session.Session, p wire.TaskID) (any, error) {
	canceled, err := s.Agents().Tasks().Cancel(ctx, p.ID)
	return wire.TaskCanceled{Cancelled: canceled}, err
}

func cancelAllTasks(ctx context.Context, s *session.Session, _ named) (any, error) {
	return s.Agents().Tasks().CancelAll(ctx)
}

func removeTask(ctx context.Context, s *session.Session, p wire.TaskID) (any, error) {
	removed, err := s.Agents().Tasks().Remove(ctx, p.ID)
	return wire.TaskRemoved{Removed: removed}, err
}

// writeTask sends a task a message. That it could not be sent is a result, as the protocol
// demands.
func writeTask(ctx context.Context, s *session.Session, p wire.TaskWrite) (any, error) {
	if p.Message == "" {
		return nil, missing("message")
	}
	if err := s.Agents().Tasks().Write(ctx, p.ID, p.Message); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		why := fault.Message(err)
		return wire.TaskWritten{Error: &why}, nil
	}
	return wire.TaskWritten{Sent: true}, nil
}

func promotableTask(ctx context.Context, s *session.Session, _ named) (any, error) {
	task, err := s.Agents().Tasks().Promotable(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.PromotableTask{Task: task})
}

func promoteTask(ctx context.Context, s *session.Session, p wire.TaskID) (any, error) {
	if p.ID == "" {
		return nil, missing("id")
	}
	task, err := s.Agents().Tasks().Promote(ctx, p.ID)
	return wire.TaskPromoted{Promoted: task != nil}, err
}

func promoteCurrentTask(ctx context.Context, s *session.Session, _ named) (any, error) {
	task, err := s.Agents().Tasks().Promote(ctx, "")
	if err != nil {
		return nil, err
	}
	if task != nil {
		return encode(wire.PromotedTask{Task: task})
	}
	moved, err := s.Shell().Jobs().Background(ctx)
	if err != nil || len(moved) == 0 {
		return wire.PromotedTask{}, err
	}
	return encode(wire.PromotedTask{Task: shellTask(moved[0])})
}

// shellTask is a command that was moved to the background, as a task.
func shellTask(i shell.Info) wire.Task {
	mode := wire.TaskMode("background")
	return &wire.ShellTask{
		ID: i.Shell, AttachmentMode: "attached", Command: i.Text, Description: i.Text, ExecutionMode: &mode, StartedAt: i.Began.UTC(), Status: "running",
	}
}
