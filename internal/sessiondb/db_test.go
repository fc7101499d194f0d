package sessiondb_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a database in a folder of its own.
func open(t testing.TB) (d *sessiondb.DB, dir string) {
	t.Helper()
	dir = t.TempDir()
	d = sessiondb.New(filepath.Join(dir, "session.db"))
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, dir
}

func exec(t *testing.T, d *sessiondb.DB, query string) sessiondb.Result {
	t.Helper()
	r, err := d.Exec(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return r
}

// The texts in quotation marks come from recorded conversations.
func TestWhatAModelReads(t *testing.T) {
	d, _ := open(t)
	for _, tc := range []struct{ query, want string }{
		{`CREATE TABLE items (id TEXT PRIMARY KEY, name TEXT)`, "Schema operation completed successfully."},
		{`INSERT INTO items (id, name) VALUES ('a1', 'Widget')`, "1 row(s) inserted. Last inserted row ID: 1."},
		{
			"INSERT INTO todos (id, title, status) VALUES ('alpha', 'First todo', 'pending');\nINSERT INTO todos (id, title, status) VALUES " +
				"('beta', 'Second todo', 'done');\nINSERT INTO todo_deps (todo_id, depends_on) VALUES ('beta', 'alpha');",
			"Executed 3 statement(s):\n\n1. INSERT\n   1 row(s) inserted. Last inserted row ID: 1.\n\n2. INSERT\n   1 row(s) inserted. " +
				"Last inserted row ID: 2.\n\n3. INSERT\n   1 row(s) inserted. Last inserted row ID: 1.",
		},
		{`SELECT id, status, description FROM todos ORDER BY id DESC`, "2 row(s) returned:\n\n| id | status | description |\n|---|---|---|\n| beta | done | NULL |\n| alpha | pending | NULL |"},
		{`UPDATE todos SET status = 'done' WHERE id = 'alpha'`, "1 row(s) updated."},
		{`UPDATE todos SET status = 'x' WHERE 0`, "0 row(s) updated."},
		{`DELETE FROM items RETURNING name`, "1 row(s) deleted.\n\n1 row(s) returned:\n\n| name |\n|---|\n| Widget |"},
		{`SELECT * FROM items`, "0 row(s) returned."},
		{`BEGIN; DELETE FROM todos; ROLLBACK; SELECT count(*) AS n FROM todos -- all`, "Executed 4 statement(s):\n\n1. BEGIN\n   Done.\n\n2. DELETE\n   2 row(s) deleted.\n\n3. ROLLBACK\n   Done.\n\n4. SELECT\n   1 row(s) returned:\n   \n   | n |\n   |---|\n   | 2 |"},
		{`WITH a AS (SELECT 1 AS x), b(y) AS MATERIALIZED (SELECT x FROM a) SELECT x AS p, x AS q, y FROM a, b`, "1 row(s) returned:\n\n| p | q | y |\n|---|---|---|\n| 1 | 1 | 1 |"},
		{`WITH a AS (SELECT 'n' AS i, 't;''--' AS j) INSERT INTO todos (id, title) SELECT i, j FROM a`, "1 row(s) inserted. Last inserted row ID: 3."},
		{`VALUES ('a|b', 'c` + "\n" + `d')`, "1 row(s) returned:\n\n| column1 | column2 |\n|---|---|\n| a\\|b | c\\nd |"},
		{`WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT x FROM c`, "3 row(s) returned:\n\n| x |\n|---|\n| 1 |\n| 2 |\n| 3 |"},
	} {
		if diff := cmp.Diff(tc.want, exec(t, d, tc.query).Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.query, diff)
		}
	}
	if got := exec(t, d, "PRAGMA table_info(todo_deps)").Text(); !strings.Contains(got, "| depends_on | TEXT |") {
		t.Errorf("table_info reads %q", got)
	}
	if got := exec(t, d, "EXPLAIN QUERY PLAN SELECT * FROM todos").Text(); !strings.Contains(got, "SCAN todos") {
		t.Errorf("the plan reads %q", got)
	}
}

func TestTodosAreRead(t *testing.T) {
	d, dir := open(t)
	ctx := context.Background()
	if todos, deps, err := d.Todos(ctx); todos != nil || deps != nil || err != nil {
		t.Errorf("before there is a file: %v %v %v", todos, deps, err)
	}
	if names := list(t, dir); names != nil {
		t.Errorf("reading has made %q", names)
	}
	if r := exec(t, d, `INSERT INTO todos (id, title, description) VALUES ('a', 'A', 'do it'), ('b', 'B', NULL); INSERT INTO todo_deps VALUES ('b', 'a')`); !r.Changed {
		t.Error("new to-dos are no change")
	}
	todos, deps, err := d.Todos(ctx)
	if err != nil || len(todos) != 2 {
		t.Fatalf("%v, %v", todos, err)
	}
	for i := range todos {
		if todos[i].CreatedAt == "" {
			t.Errorf("%s has no time", todos[i].ID)
		}
		todos[i].CreatedAt = ""
	}
	want := []sessiondb.Todo{{ID: "a", Title: "A", Description: "do it", Status: "pending"}, {ID: "b", Title: "B", Status: "pending"}}
	if diff := cmp.Diff(want, todos); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]sessiondb.Dependency{{TodoID: "b", DependsOn: "a"}}, deps); diff != "" {
		t.Error(diff)
	}
	for _, tc := range []struct {
		query   string
		changed bool
	}{
		{"SELECT * FROM todos", false},
		{"CREATE TABLE notes (x)", false},
		{"INSERT INTO notes VALUES (1)", false},
		{"UPDATE todos SET status = 'done' WHERE 0", false},
		{"BEGIN; DELETE FROM todos; ROLLBACK", false},
		{"UPDATE todos SET status='done' WHERE id = 'a'", true},
		{"DELETE FROM todo_deps", true},
		{"CREATE TEMP TABLE todos (id); INSERT INTO todos VALUES (1)", false}, // it hides the other, for its connection
	} {
		if got := exec(t, d, tc.query).Changed; got != tc.changed {
			t.Errorf("%s: changed is %t", tc.query, got)
		}
	}
	exec(t, d, "ALTER TABLE main.todos RENAME COLUMN title TO name")
	if todos, _, err := d.Todos(ctx); todos != nil || err != nil {
		t.Errorf("of other columns: %v %v", todos, err)
	}
}

func TestStatementsBeforeAFailureStay(t *testing.T) {
	d, _ := open(t)
	r, err := d.Exec(context.Background(), `INSERT INTO todos (id, title) VALUES ('a', 'A'); INSERT INTO todos (id, title) VALUES ('a', 'again'); DELETE FROM todos`)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "UNIQUE") {
		t.Errorf("the error is %v", err)
	}
	if len(r.Statements) != 1 || !r.Changed {
		t.Errorf("the result is %+v", r)
	}
	if _, err := d.Exec(context.Background(), `BEGIN; DELETE FROM todos`); err == nil || !strings.Contains(err.Error(), "COMMIT") {
		t.Errorf("an open transaction: %v", err)
	}
	if todos, _, _ := d.Todos(context.Background()); len(todos) != 1 {
		t.Errorf("there are %v", todos)
	}
}

func TestResultsAreBounded(t *testing.T) {
	d, _ := open(t)
	endless := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
	r := exec(t, d, endless+"x FROM c")
	if s := r.Statements[0]; len(s.Rows) != 1000 || !s.More {
		t.Errorf("%d rows, more is %t", len(s.Rows), s.More)
	}
	r = exec(t, d, endless+"printf('%.*c', 60000, 'a') FROM c LIMIT 500")
	if text := r.Text(); len(text) > 80<<10 || !r.Statements[0].More || !strings.HasSuffix(text, "columns.") {
		t.Errorf("%d bytes of text, ending in %q", len(text), text[len(text)-20:])
	}
	if got := exec(t, d, "SELECT x'ff00', CAST(x'c328' AS TEXT)").Text(); !strings.Contains(got, "�") {
		t.Errorf("bytes that are no text read %q", got)
	}
}

// A statement that does not end is stopped when ctx ends, as the limit of ten seconds
// makes it. The file can be used afterwards.
func TestWorkIsStopped(t *testing.T) {
	d, _ := open(t)
	exec(t, d, "INSERT INTO todos (id, title) VALUES ('a', 'A')")
	endless := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
	for _, query := range []string{
		endless + "SELECT max(x) FROM c",
		endless + "INSERT INTO todos (id, title) SELECT 'b', max(x) FROM c",
		"SELECT 1; SELECT 1 UNION ALL SELECT count(*) FROM (" + endless + "SELECT x FROM c)",
		endless + "UPDATE todos SET title = 'x' WHERE (SELECT max(x) FROM c) > 0 RETURNING id",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if _, err := d.Exec(ctx, query); err == nil {
			t.Errorf("%s ended", query)
		}
		cancel()
	}
	if got := exec(t, d, "SELECT title FROM todos").Statements[0].Rows; len(got) != 1 || got[0][0] != "A" {
		t.Errorf("the to-dos are %q", got)
	}
}

func TestNothingElseIsReached(t *testing.T) {
	d, dir := open(t)
	outside := filepath.Join(t.TempDir(), "other.db")
	other := sessiondb.New(outside)
	exec(t, other, "INSERT INTO todos (id, title) VALUES ('secret', 'secret')")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range hostile(outside) {
		r, err := d.Exec(context.Background(), query)
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v %q", query, err, r.Text())
		}
		if strings.Contains(r.Text(), "secret") {
			t.Errorf("%s reads %q", query, r.Text())
		}
	}
	if after, err := os.ReadFile(outside); string(after) != string(before) {
		t.Errorf("the other database was changed (%v)", err)
	}
	if names := list(t, dir); !slices.Equal(names, []string{"session.db"}) {
		t.Errorf("there are %q", names)
	}
	if names := list(t, filepath.Dir(outside)); !slices.Equal(names, []string{"other.db"}) {
		t.Errorf("beside the other database there are %q", names)
	}
}

// hostile returns SQL that would reach another file, or take exponential time.
func hostile(file string) []string {
	bomb := "WITH c0 AS (SELECT 1 AS x)"
	for i := range 25 {
		bomb += ", c" + string(rune('a'+i)) + " AS (SELECT p.x FROM c" + prior(i) + " p, C" + prior(i) + " q)"
	}
	return []string{
		"ATTACH '" + file + "' AS o", "SELECT 1; ATTACH DATABASE '" + file + "' AS o", "/* x */ aTTach '" + file + "' as o", "DETACH main",
		"VACUUM", "VACUUM INTO '" + filepath.Dir(file) + "/copy'", "EXPLAIN VACUUM INTO 'x'",
		"PRAGMA writable_schema = 1", "PRAGMA main.writable_schema(1)", "PRAGMA temp_store_directory = '/tmp'", "EXPLAIN PRAGMA journal_mode = off",
		"PRAGMA main.journal_mode=OFF", "PRAGMA", "PRAGMA table_info.writable_schema=1",
		"SELECT load_extension('" + file + "')", "SELECT readfile('" + file + "')", "SELECT writefile('" + file + "', 'x')", "SELECT * FROM fsdir('/')",
		"CREATE VIRTUAL TABLE v USING fts5(x)", "CREATE VIEW v AS SELECT 1", "CREATE TEMP TRIGGER t AFTER INSERT ON todos BEGIN SELECT 1; END",
		"UPDATE sqlite_schema SET sql = 'x'", "UPDATE sqlite_dbpage SET data = zeroblob(4096)", "DELETE FROM sqlite_master",
		"SELECT $a('); ATTACH x; --')", "SELECT ?1", "SELECT :a", "SELECT 'a\x00'; ATTACH", "SELECT @a", "SELECT #1",
		bomb + " SELECT * FROM cy", "EXPLAIN " + bomb + " SELECT * FROM cy",
		"SELECT 1) LIMIT 1; DROP TABLE todos; --", "SELECT 1 /*", "SELECT zeroblob(100000)", "SELECT 'a' LIKE '" + strings.Repeat("%a", 200) + "'",
		"", " ; -- nothing", "nonsense", "'SELECT' 1", "EXPLAIN", "EXPLAIN QUERY PLAN", "WITH", "WITH a AS (SELECT 1)", "SELECT " + strings.Repeat("(", 300),
		strings.Repeat("SELECT 1;", 101), "SELECT '" + strings.Repeat("a", 70_000) + "'",
	}
}

func prior(i int) string {
	if i == 0 {
		return "0"
	}
	return string(rune('a' + i - 1))
}

func TestALinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "session.db")); err != nil {
		t.Skip(err)
	}
	d := sessiondb.New(filepath.Join(dir, "session.db"))
	if _, err := d.Exec(context.Background(), "CREATE TABLE a (x)"); fault.KindOf(err) != fault.Unavailable || err == nil {
		t.Errorf("Exec: %v", err)
	}
	if data, err := os.ReadFile(outside); len(data) > 0 || err != nil {
		t.Errorf("the other file has %d bytes (%v)", len(data), err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestAClosedDatabaseSaysSo(t *testing.T) {
	d, _ := open(t)
	exec(t, d, "SELECT 1")
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Exec(context.Background(), "SELECT 1"); fault.KindOf(err) != fault.NotFound || err == nil {
		t.Errorf("Exec: %v", err)
	}
}

func list(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// FuzzExec runs any SQL: each call must end and leave other files alone.
func FuzzExec(f *testing.F) {
	for _, query := range hostile("/nowhere/x") {
		f.Add(query)
	}
	f.Add("SELECT [a;b], `c;d`, \"e;\"\"f\" FROM todos; INSERT INTO todos (id, title) VALUES (1, 2) RETURNING *")
	f.Add("WITH a(b) AS (VALUES (1)) DELETE FROM todos WHERE id IN (SELECT b FROM a)")
	f.Add("SAVEPOINT a; CREATE UNIQUE INDEX i ON todos (title); RELEASE a; ANALYZE; REINDEX")
	f.Add("SELECT x'aa''; ATTACH 1; --'")
	f.Fuzz(func(t *testing.T, query string) {
		d, dir := open(t)
		r, err := d.Exec(context.Background(), query)
		if err == nil && r.Text() == "" {
			t.Error("no text")
		}
		if _, _, err := d.Todos(context.Background()); err != nil {
			t.Errorf("Todos: %v", err)
		}
		for _, name := range list(t, dir) {
			if !strings.HasPrefix(name, "session.db") {
				t.Errorf("%q was made", name)
			}
		}
	})
}
