package sessiondb_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
)

// elsewhere is a database that notes its orders.
type elsewhere struct {
	orders []string
	answer func(o sessiondb.Order) (sessiondb.Answer, error) // nil: an empty answer
	stalls bool
	absent bool
}

func (e *elsewhere) Run(ctx context.Context, o sessiondb.Order) (sessiondb.Answer, error) {
	e.orders = append(e.orders, string(o.Way)+" "+strings.Join(strings.Fields(o.Text), " "))
	if e.stalls {
		<-ctx.Done()
		return sessiondb.Answer{}, ctx.Err()
	}
	if e.answer == nil {
		return sessiondb.Answer{}, nil
	}
	return e.answer(o)
}

func (e *elsewhere) Together(ctx context.Context, list []sessiondb.Order) (all []sessiondb.Answer, err error) {
	e.orders = append(e.orders, "together")
	for _, o := range list {
		a, err := e.Run(ctx, o)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (e *elsewhere) Exists(context.Context) (bool, error) { return !e.absent, nil }

func TestRemoteExec(t *testing.T) {
	const begun = "exec CREATE TABLE IF NOT EXISTS"
	for _, tc := range []struct {
		query, text string
		changed     bool
		orders      []string // after the tables are made
	}{
		{"CREATE TABLE items (id TEXT)", "Schema operation completed successfully.", false, []string{"exec CREATE TABLE items (id TEXT)"}},
		{"insert into items values ('a')", "2 row(s) inserted. Last inserted row ID: 7.", false, []string{"run insert into items values ('a')"}},
		{"DELETE FROM todos", "2 row(s) deleted.", true, []string{"run DELETE FROM todos"}},
		{
			"SELECT id, name FROM items", "1 row(s) returned:\n\n| id | name |\n|---|---|\n| a\\|1 | NULL |", false,
			[]string{"query SELECT * FROM ( SELECT id, name FROM items ) LIMIT 1001"},
		},
		{
			"BEGIN; INSERT INTO todos (id) VALUES (1); COMMIT", "Executed 3 statement(s):\n\n1. BEGIN\n   Done.\n\n2. INSERT\n   2 row(s) inserted. Last inserted row ID: 7.\n\n3. COMMIT\n   Done.",
			true,
			[]string{"together", "run INSERT INTO todos (id) VALUES (1)"},
		},
	} {
		db := &elsewhere{answer: func(o sessiondb.Order) (sessiondb.Answer, error) {
			if o.Way == sessiondb.Select {
				return sessiondb.Answer{Columns: []string{"id", "name"}, Rows: [][]string{{"a|1", "NULL"}}}, nil
			}
			if o.Way == sessiondb.Change {
				return sessiondb.Answer{Affected: 2, LastID: 7}, nil
			}
			return sessiondb.Answer{}, nil
		}}
		r, err := sessiondb.NewRemote(db).Exec(t.Context(), tc.query)
		if err != nil || r.Changed != tc.changed {
			t.Errorf("%s: changed %v, %v", tc.query, r.Changed, err)
		}
		if diff := cmp.Diff(tc.text, r.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.query, diff)
		}
		if len(db.orders) < 2 || !strings.HasPrefix(db.orders[0], begun) || !strings.HasPrefix(db.orders[1], begun) {
			t.Fatalf("%s: the tables of to-dos are not made first: %q", tc.query, db.orders)
		}
		if diff := cmp.Diff(tc.orders, db.orders[2:]); diff != "" {
			t.Errorf("%s: orders (-want +got):\n%s", tc.query, diff)
		}
	}
}

// The other side is not asked to do what is not allowed here.
func TestRemoteRefuses(t *testing.T) {
	for _, query := range []string{
		"ATTACH 'x' AS y", "PRAGMA writable_schema=1", "CREATE VIEW v AS SELECT 1", "", "SELECT 1; VACUUM",
		"BEGIN", "BEGIN; DELETE FROM todos", "COMMIT", "DELETE FROM todos; COMMIT", "BEGIN; SAVEPOINT a; COMMIT", "BEGIN; DELETE FROM todos; ROLLBACK",
	} {
		db := &elsewhere{}
		_, err := sessiondb.NewRemote(db).Exec(t.Context(), query)
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("Exec(%q) = %v, want invalid", query, err)
		}
		for _, order := range db.orders {
			if !strings.Contains(order, "CREATE TABLE IF NOT EXISTS") {
				t.Errorf("Exec(%q) sends %q", query, order)
			}
		}
	}
	db := sessiondb.NewRemote(&elsewhere{})
	if _, err := db.Exec(t.Context(), "BEGIN; COMMIT"); err != nil {
		t.Errorf("an empty transaction: %v", err)
	}
}

func TestRemoteFailures(t *testing.T) {
	boom := fault.New(fault.Invalid, "x", "", "no such table: items")
	db := &elsewhere{answer: func(o sessiondb.Order) (sessiondb.Answer, error) {
		if o.Way == sessiondb.Select {
			return sessiondb.Answer{}, boom
		}
		return sessiondb.Answer{}, nil
	}}
	r, err := sessiondb.NewRemote(db).Exec(t.Context(), "DELETE FROM a; SELECT 1; DELETE FROM b")
	if fault.KindOf(err) != fault.Invalid || len(r.Statements) != 1 {
		t.Errorf("Exec() = %d statements, %v; want one and the error", len(r.Statements), err)
	}
	closed := sessiondb.NewRemote(db)
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
	if _, err := closed.Exec(t.Context(), "SELECT 1"); fault.KindOf(err) != fault.NotFound || err == nil {
		t.Errorf("Exec on a closed database = %v", err)
	}
	if _, _, err := closed.Todos(t.Context()); fault.KindOf(err) != fault.NotFound || err == nil {
		t.Errorf("Todos of a closed database = %v", err)
	}
}

func TestRemoteIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, err := sessiondb.NewRemote(&elsewhere{stalls: true}).Exec(t.Context(), "SELECT 1")
		if fault.KindOf(err) != fault.Unavailable || err == nil || time.Since(begun) > 10*time.Second {
			t.Errorf("Exec() = %v after %v", err, time.Since(begun))
		}
	})
}

func TestRemoteTodos(t *testing.T) {
	rows := map[string][][]string{
		"todos":     {{"a", "Title", "", "done", "2026-11-22 00:00:00"}},
		"todo_deps": {{"a", "b"}, {"too", "many", "columns"}},
	}
	db := &elsewhere{answer: func(o sessiondb.Order) (sessiondb.Answer, error) {
		for table, list := range rows {
			if strings.Contains(o.Text, "FROM main."+table+" ") {
				return sessiondb.Answer{Rows: list}, nil
			}
		}
		return sessiondb.Answer{}, nil
	}}
	todos, deps, err := sessiondb.NewRemote(db).Todos(t.Context())
	if diff := cmp.Diff([]sessiondb.Todo{{ID: "a", Title: "Title", Status: "done", CreatedAt: "2026-11-22 00:00:00"}}, todos); diff != "" || err != nil {
		t.Errorf("Todos(): %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]sessiondb.Dependency{{TodoID: "a", DependsOn: "b"}}, deps); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
	none := &elsewhere{absent: true}
	if todos, deps, err := sessiondb.NewRemote(none).Todos(t.Context()); len(todos)+len(deps) > 0 || err != nil || none.orders != nil {
		t.Errorf("without a database: %v, %v, %v, and it was asked %q", todos, deps, err, none.orders)
	}
}
