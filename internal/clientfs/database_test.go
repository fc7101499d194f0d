package clientfs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
)

func TestDatabase(t *testing.T) {
	f := &clientfstest.Client{Query: func(way, text string) clientfstest.Answer {
		switch {
		case strings.Contains(text, "missing"):
			return clientfstest.Answer{"columns": []string{}, "rows": []string{}, "error": clientfstest.Answer{"code": "UNKNOWN", "message": "no such table: missing"}}
		case way == "query":
			return clientfstest.Answer{"columns": []string{"a", "b", "c"}, "rows": []clientfstest.Answer{{"a": 1.5, "b": "x", "c": nil}}}
		}
		return clientfstest.Answer{"columns": []string{}, "rows": []string{}, "rowsAffected": 3, "lastInsertRowid": 9}
	}}
	db, err := storage(t, f, clientfs.Options{SQLite: true}).Database("s")
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Run(t.Context(), sessiondb.Order{Way: sessiondb.Select, Text: "SELECT *"})
	want := sessiondb.Answer{Columns: []string{"a", "b", "c"}, Rows: [][]string{{"1.5", "x", "NULL"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Run(): %v (-want +got):\n%s", err, diff)
	}
	_, err = db.Run(t.Context(), sessiondb.Order{Way: sessiondb.Select, Text: "SELECT * FROM missing"})
	wantKind(t, "a failed statement", err, fault.Invalid)
	change := sessiondb.Order{Way: sessiondb.Change, Text: "DELETE"}
	all, err := db.Together(t.Context(), []sessiondb.Order{change, change})
	if len(all) != 2 || err != nil || all[1].Affected != 3 || all[1].LastID != 9 {
		t.Errorf("Together() = %v, %v", all, err)
	}
	_, err = db.Together(t.Context(), []sessiondb.Order{change, {Way: sessiondb.Change, Text: "DELETE FROM missing"}})
	wantKind(t, "a failed transaction", err, fault.Invalid)
	if exists, err := db.Exists(t.Context()); !exists || err != nil {
		t.Errorf("Exists() = %v, %v", exists, err)
	}
	_, err = storage(t, f, clientfs.Options{}).Database("s")
	wantKind(t, "a client without databases", err, fault.Unavailable)
}

// A client that sends millions of cells does not fill the memory: each row has a cell for each
// column, also if the client sent none.
func TestResultsAreBounded(t *testing.T) {
	columns, rows := make([]string, 2000), make([]clientfstest.Answer, 5000)
	f := &clientfstest.Client{Query: func(_, text string) clientfstest.Answer {
		if strings.Contains(text, "wide") {
			return clientfstest.Answer{"columns": make([]string, 2001), "rows": rows}
		}
		return clientfstest.Answer{"columns": columns, "rows": rows}
	}}
	db, err := storage(t, f, clientfs.Options{SQLite: true}).Database("s")
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Run(t.Context(), sessiondb.Order{Way: sessiondb.Select, Text: "SELECT *"})
	if len(got.Rows) != 1001 || err != nil {
		t.Errorf("%d rows, %v; want 1001, one more than a model reads", len(got.Rows), err)
	}
	_, err = db.Run(t.Context(), sessiondb.Order{Way: sessiondb.Select, Text: "SELECT * FROM wide"})
	wantKind(t, "a wide result", err, fault.Unavailable)
}
