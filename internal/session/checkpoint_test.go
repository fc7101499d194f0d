package session

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// folder is a session that has a folder and no more.
func folder(t *testing.T) *Session {
	t.Helper()
	disk := vfs.NewMem()
	if err := disk.MkdirAll("/s1", 0o700); err != nil {
		t.Fatal(err)
	}
	return &Session{id: "s1", dir: "/s1", reg: &Registry{opts: Options{FS: disk}}, logs: slog.New(slog.DiscardHandler)}
}

func TestCheckpoints(t *testing.T) {
	s := folder(t)
	if list, err := s.Checkpoints(); list != nil || err != nil {
		t.Errorf("before there is one: %v, %v", list, err)
	}
	for i, title := range []string{"The first one", "a | b\nc", "../../etc/passwd", "日本"} {
		number, file, err := s.addCheckpoint(title, "text of "+title)
		if err != nil || number != int64(i+1) || filepath.Dir(file) != "/s1/checkpoints" {
			t.Errorf("%q is %d in %s, %v", title, number, file, err)
		}
		if text, exists, err := s.Checkpoint(number); text != "text of "+title || !exists || err != nil {
			t.Errorf("%q reads %q, %t, %v", title, text, exists, err)
		}
	}
	want := []wire.Checkpoint{
		{Number: 1, Title: "The first one", Filename: "001-the-first-one.md"},
		{Number: 2, Title: "a | b c", Filename: "002-a-b-c.md"},
		{Number: 3, Title: "../../etc/passwd", Filename: "003-etc-passwd.md"},
		{Number: 4, Title: "日本", Filename: "004.md"},
	}
	list, err := s.Checkpoints()
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, number := range []int64{0, -1, 5, 1 << 62} {
		if _, exists, err := s.Checkpoint(number); exists || err != nil {
			t.Errorf("%d: %t, %v", number, exists, err)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add("# Checkpoints\n\n| # | Title | File |\n|---|---|---|\n| 1 | one \\| two | 001.md |\n")
	f.Add("| 999999999 | | a.md |\n|1|x|../secret.md|\n| 2 | y | .hidden.md |\n| 3 | z | /etc/passwd |")
	f.Fuzz(func(t *testing.T, index string) {
		last := int64(-1)
		for _, c := range parseIndex(index) {
			if c.Number < last || !filepath.IsLocal(c.Filename) || strings.ContainsAny(c.Filename, `/\`) {
				t.Errorf("%+v", c)
			}
			last = c.Number
		}
	})
}

func FuzzFileName(f *testing.F) {
	for _, name := range []string{"a.txt", "a/../b", "../a", "/a", "a/../../b", ".", "", "a\x00b", "..", "a/..", `a\..\..\b`, "con", strings.Repeat("a/", 600)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		local, err := fileName(name)
		if err == nil && (!filepath.IsLocal(local) || local == "." || strings.ContainsRune(local, 0)) {
			t.Errorf("%q becomes %q", name, local)
		}
	})
}

// A session that runs no SQL has no database, and asking for its to-dos makes none.
func TestNoDatabaseWithoutSQL(t *testing.T) {
	s := folder(t)
	s.dir = t.TempDir()
	if s.database.db != nil {
		t.Error("there is a database")
	}
	if todos, err := s.Todos(context.Background()); err != nil || todos.Rows != nil {
		t.Errorf("%v, %v", todos, err)
	}
	if names, err := filepath.Glob(filepath.Join(s.dir, "*")); names != nil {
		t.Errorf("there are %q (%v)", names, err)
	}
	db, err := s.Database()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(context.Background(), "INSERT INTO todos (id, title) VALUES ('a', 'A'); INSERT INTO todo_deps VALUES ('a', 'b')"); err != nil {
		t.Fatal(err)
	}
	if todos, err := s.Todos(context.Background()); err != nil || len(todos.Rows) != 1 || len(todos.Dependencies) != 1 || *todos.Rows[0].Title != "A" {
		t.Errorf("%+v, %v", todos, err)
	}
	if err := s.database.close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Todos(context.Background()); err == nil {
		t.Error("a closed session has to-dos")
	}
}
