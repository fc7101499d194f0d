package session

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// A session that runs no SQL has no database, and asking for its to-dos makes none.
func TestNoDatabaseWithoutSQL(t *testing.T) {
	dir := t.TempDir()
	s := &Session{id: "s1", workspace: Workspace{files: workspace.New("s1", workspace.Folder{FS: vfs.OS{}, Dir: dir})}}
	s.workspace.s = s
	if s.workspace.database.db != nil {
		t.Error("there is a database")
	}
	if todos, err := s.Workspace().Todos(context.Background()); err != nil || todos.Rows != nil {
		t.Errorf("%v, %v", todos, err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); names != nil {
		t.Errorf("there are %q (%v)", names, err)
	}
	db, err := s.Workspace().Database()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(context.Background(), "INSERT INTO todos (id, title) VALUES ('a', 'A'); INSERT INTO todo_deps VALUES ('a', 'b')"); err != nil {
		t.Fatal(err)
	}
	if todos, err := s.Workspace().Todos(context.Background()); err != nil || len(todos.Rows) != 1 || len(todos.Dependencies) != 1 || *todos.Rows[0].Title != "A" {
		t.Errorf("%+v, %v", todos, err)
	}
	if err := s.workspace.database.close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Workspace().Todos(context.Background()); err == nil {
		t.Error("a closed session has to-dos")
	}
}
