package files_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/files"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is a session with its workspace.
type scene struct {
	statetest.Session
	*files.Workspace
	busy error // why another owner's work keeps the session from changes
}

func (s *scene) Beside(_ context.Context, f func() error) error {
	if s.busy != nil {
		return s.busy
	}
	return f()
}

func newScene(fs vfs.FS, dir string) *scene {
	s := &scene{}
	s.Workspace = files.New(files.Options{
		Session: s, ID: "s1", Files: workspace.New("s1", workspace.Folder{FS: fs, Dir: dir}), Logger: slog.New(slog.DiscardHandler),
	})
	return s
}

func TestChangesAreRecorded(t *testing.T) {
	s := newScene(vfs.NewMem(), "/s1")
	for name, change := range map[string]error{
		"UpdatePlan": s.UpdatePlan(t.Context(), "1. Begin."),
		"CreateFile": s.CreateFile(t.Context(), "a.txt", "A"),
		"RenamePath": s.RenamePath(t.Context(), "a.txt", "b.txt"),
		"RemovePath": s.RemovePath(t.Context(), "b.txt", false, false),
	} {
		if change != nil {
			t.Errorf("%s = %v", name, change)
		}
	}
	if text, exists, err := s.Plan(t.Context()); text != "1. Begin." || !exists || err != nil {
		t.Errorf("the plan is %q, %v, %v", text, exists, err)
	}
	if err := s.DeletePlan(t.Context()); err != nil {
		t.Error(err)
	}
	types := s.Types()
	slices.Sort(types)
	want := []wire.EventType{"session.plan_changed", "session.plan_changed", "session.workspace_file_changed", "session.workspace_file_changed", "session.workspace_file_changed", "session.workspace_file_changed"}
	if !slices.Equal(types, want) {
		t.Errorf("recorded are %q, want %q", types, want)
	}
}

// While another owner works in the session, its files stay as they are.
func TestNothingChangesWhileAnotherOwnerWorks(t *testing.T) {
	s := newScene(vfs.NewMem(), "/s1")
	s.busy = fault.New(fault.Conflict, "test", "s1", "another process is at work")
	_, paste := s.SavePaste(t.Context(), "text")
	_, notes := s.UpdateClientMetadata(t.Context(), workspace.NotesPatch{})
	for name, err := range map[string]error{
		"UpdatePlan": s.UpdatePlan(t.Context(), "1. Begin."), "CreateFile": s.CreateFile(t.Context(), "a.txt", "A"), "SavePaste": paste, "UpdateClientMetadata": notes,
	} {
		if !errors.Is(err, s.busy) {
			t.Errorf("%s = %v, want the conflict", name, err)
		}
	}
	if names, err := s.Files(t.Context()); len(names) > 0 || err != nil || len(s.Types()) > 0 {
		t.Errorf("there are %q (%v), recorded with %q", names, err, s.Types())
	}
}

// What is noted of a session is written beside it; a caller may wait for that.
func TestADescriptionIsWrittenBesideTheSession(t *testing.T) {
	fs := vfs.NewMem()
	s := newScene(fs, "/s1")
	s.Fold.Cwd = "/work"
	s.Write() // nothing was noted
	if _, err := fs.Stat("/s1/workspace.yaml"); err == nil {
		t.Error("a session that was not described is")
	}
	s.Note()
	s.Write()
	s.Settle(t.Context())
	s.Wait()
	if _, err := fs.Stat("/s1/workspace.yaml"); err != nil {
		t.Error(err)
	}
	if w, err := s.Describe(t.Context()); err != nil || w.Cwd == nil || *w.Cwd != "/work" {
		t.Errorf("%+v, %v", w, err)
	}
}

// A session that runs no SQL has no database, and asking for its to-dos makes none.
func TestNoDatabaseWithoutSQL(t *testing.T) {
	dir := t.TempDir()
	s := newScene(vfs.OS{}, dir)
	if todos, err := s.Todos(t.Context()); err != nil || todos.Rows != nil {
		t.Errorf("%v, %v", todos, err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); names != nil {
		t.Errorf("there are %q (%v)", names, err)
	}
	db, err := s.Database()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "INSERT INTO todos (id, title) VALUES ('a', 'A'); INSERT INTO todo_deps VALUES ('a', 'b')"); err != nil {
		t.Fatal(err)
	}
	if todos, err := s.Todos(t.Context()); err != nil || len(todos.Rows) != 1 || len(todos.Dependencies) != 1 || *todos.Rows[0].Title != "A" {
		t.Errorf("%+v, %v", todos, err)
	}
	if err := s.CloseDatabase(); err != nil {
		t.Error(err)
	}
	if _, err := s.Todos(t.Context()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a closed session has to-dos: %v", err)
	}
}
