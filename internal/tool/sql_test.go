package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

func TestSQL(t *testing.T) {
	db := sessiondb.New(filepath.Join(t.TempDir(), "session.db"))
	defer db.Close()
	changes := 0
	sql := tool.SQL(func() (sessiondb.Database, error) { return db, nil }, func() { changes++ })
	for _, tc := range []struct {
		name, args string
		outcome    tool.Outcome
		has        string
		changes    int
	}{
		{"a recorded call", `{"description":"d","query":"INSERT INTO todos (id, title) VALUES ('a', 'A')"}`, tool.Success, "1 row(s) inserted. Last inserted row ID: 1.", 1},
		{"reading is no change", `{"description":"d","query":"SELECT id FROM todos","database":"session"}`, tool.Success, "| a |", 1},
		{"a mistake is told with what to do", `{"description":"d","query":"SELEC 1"}`, tool.Failure, "Nothing was changed. Mend the query", 1},
		{
			"a late mistake is told with what was done",
			`{"description":"d","query":"DELETE FROM todos; INSERT INTO nowhere VALUES (1)"}`, tool.Failure, "no such table: nowhere (1).\nThe 1 statement(s) before it were", 2,
		},
		{"another database", `{"description":"d","query":"SELECT 1","database":"main"}`, tool.Failure, `no database "main"`, 2},
	} {
		r := sql.Run(context.Background(), tool.Call{Name: "sql", Arguments: json.RawMessage(tc.args)})
		if r.Outcome != tc.outcome || !strings.Contains(r.Text, tc.has) || changes != tc.changes {
			t.Errorf("%s: %s %q, %d changes", tc.name, r.Outcome, r.Text, changes)
		}
		if (r.Error != "") != (tc.outcome == tool.Failure) {
			t.Errorf("%s: the error is %q", tc.name, r.Error)
		}
	}
}

func TestSQLIsInterrupted(t *testing.T) {
	db := sessiondb.New(filepath.Join(t.TempDir(), "session.db"))
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	call := tool.Call{Arguments: json.RawMessage(`{"description":"d","query":"SELECT 1"}`)}
	if r := tool.SQL(func() (sessiondb.Database, error) { return db, nil }, nil).Run(ctx, call); r.Outcome != tool.Interrupted || r.Text != tool.TextInterrupted {
		t.Errorf("%+v", r)
	}
	none := tool.SQL(func() (sessiondb.Database, error) { return nil, errors.New("the session is closed") }, nil)
	if r := none.Run(context.Background(), call); r.Outcome != tool.Failure || !strings.Contains(r.Text, "the session is closed") {
		t.Errorf("%+v", r)
	}
}

func TestSQLDescribesItself(t *testing.T) {
	d := tool.SQL(nil, nil).Definition()
	var s jsonschema.Schema
	if err := json.Unmarshal(d.Parameters, &s); err != nil {
		t.Fatal(err)
	}
	for name, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
	if d.Origin != tool.Builtin || !d.Trusted || d.Description == "" || s.Type != "object" || s.AdditionalProperties == nil {
		t.Errorf("%+v", d)
	}
	if _, err := tool.NewSchema(d.Parameters).Arguments(`{"query":"SELECT 1"}`); err == nil {
		t.Error("a call without a description fits")
	}
}
