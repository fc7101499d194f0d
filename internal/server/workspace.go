package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func readPlan(ctx context.Context, s *session.Session, _ named) (any, error) {
	path := s.Workspace().PlanPath()
	text, exists, err := s.Workspace().Plan(ctx)
	plan := wire.PlanRead{Exists: exists, Path: &path}
	if exists {
		plan.Content = &text
	}
	return plan, err
}

func updatePlan(ctx context.Context, s *session.Session, p wire.PlanUpdate) (any, error) {
	return none{}, s.Workspace().UpdatePlan(ctx, p.Content)
}

func deletePlan(ctx context.Context, s *session.Session, _ named) (any, error) {
	return none{}, s.Workspace().DeletePlan(ctx)
}

func readTodos(ctx context.Context, s *session.Session, _ named) (any, error) {
	t, err := s.Workspace().Todos(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.Todos{Rows: t.Rows})
}

func readTodosWithDependencies(ctx context.Context, s *session.Session, _ named) (any, error) {
	t, err := s.Workspace().Todos(ctx)
	if err != nil {
		return nil, err
	}
	return encode(t)
}

func getWorkspace(ctx context.Context, s *session.Session, _ named) (any, error) {
	w, err := s.Workspace().Describe(ctx)
	dir := s.Dir()
	return wire.WorkspaceGot{Workspace: w, Path: &dir}, err
}

func listFiles(ctx context.Context, s *session.Session, _ named) (any, error) {
	names, err := s.Workspace().Files(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.FilesListed{Files: names})
}

func readFile(ctx context.Context, c *conn, a *attachment, p wire.FileRead) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		text, err := a.client.Session().Workspace().ReadFile(ctx, p.Path)
		return wire.FileContent{Content: text}, err
	})
}

func createFile(ctx context.Context, s *session.Session, p wire.FileCreate) (any, error) {
	return none{}, s.Workspace().CreateFile(ctx, p.Path, p.Content)
}

func savePaste(ctx context.Context, s *session.Session, p wire.PasteSave) (any, error) {
	saved, err := s.Workspace().SavePaste(ctx, p.Content)
	return wire.PasteSaved{Saved: saved}, err
}

func listCheckpoints(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := s.Workspace().Checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.Checkpoints{Checkpoints: list})
}

// readCheckpoint answers null for a checkpoint that does not exist.
func readCheckpoint(ctx context.Context, c *conn, a *attachment, p wire.CheckpointRead) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		text, exists, err := a.client.Session().Workspace().Checkpoint(ctx, p.Number)
		if !exists {
			return wire.CheckpointContent{}, err
		}
		return wire.CheckpointContent{Content: &text}, err
	})
}

func workspaceDiff(ctx context.Context, c *conn, a *attachment, p wire.DiffParams) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		diff, err := a.client.Session().History().Files().Diff(ctx, p.Mode, is(p.IgnoreWhitespace))
		if err != nil {
			return nil, err
		}
		return encode(diff)
	})
}

// statFile describes a file. When it was made is not known on every system, so that is the
// time of its last change.
func statFile(ctx context.Context, s *session.Session, p wire.FileStat) (any, error) {
	e, err := s.Workspace().Stat(ctx, p.Path)
	ms := float64(e.Modified.UnixMilli())
	return wire.FileStated{IsFile: e.Regular, IsDirectory: e.Dir, Size: float64(e.Size), MtimeMs: ms, BirthtimeMs: ms}, err
}

func createDirectory(ctx context.Context, s *session.Session, p wire.DirectoryCreate) (any, error) {
	return none{}, s.Workspace().CreateDirectory(ctx, p.Path, is(p.Recursive))
}

func removePath(ctx context.Context, s *session.Session, p wire.PathRemove) (any, error) {
	return none{}, s.Workspace().RemovePath(ctx, p.Path, is(p.Recursive), is(p.Force))
}

func renamePath(ctx context.Context, s *session.Session, p wire.PathRename) (any, error) {
	return none{}, s.Workspace().RenamePath(ctx, p.Source, p.Destination)
}
