package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Query selects sessions for a list. The zero value selects all.
type Query struct {
	// The fields that are set must match exactly.
	Cwd, GitRoot, Repository, Branch string
	// Limit is the most rows on a page. 0: no limit.
	Limit int
	// After is the cursor of the last row of the previous page. A session that changes in
	// between moves to the front of the list; no other session is shown twice or left
	// out. The zero value is the first page.
	After Cursor
}

// Cursor is a position in the list.
type Cursor struct {
	Modified time.Time
	ID       string
}

// Cursor returns the position of the row, to continue after it.
func (r Row) Cursor() Cursor { return Cursor{r.Modified, r.ID} }

// Page is one page of a list.
type Page struct {
	Rows []Row
	More int // how many matching rows come after these
}

const columns = "id, title, cwd, git_root, repository, branch, started, modified, size, said"

// where returns the condition of a query without its limit. The most selective field that
// is set chooses the index. A plus sign keeps SQLite from using another index, which for
// a branch called main could be most of the table.
func (q Query) where() (text string, args []any) {
	var b strings.Builder
	b.WriteString(" FROM session WHERE said = 1")
	plus := ""
	for _, f := range []struct{ column, value string }{
		{"cwd", q.Cwd}, {"git_root", q.GitRoot}, {"repository", q.Repository}, {"branch", q.Branch},
	} {
		if f.value == "" {
			continue
		}
		b.WriteString(" AND " + plus + f.column + " = ?")
		args = append(args, f.value)
		plus = "+"
	}
	if q.After != (Cursor{}) {
		b.WriteString(" AND (modified, id) < (?, ?)")
		args = append(args, q.After.Modified.UnixMicro(), q.After.ID)
	}
	return b.String(), args
}

// run returns a page. It fails if the database has been replaced and no comparison has
// filled it yet.
func (q Query) run(ctx context.Context, db *sql.DB) (p Page, err error) {
	if s, err := readState(db); err != nil || !s.complete() {
		return p, cmp.Or[error](err, errReplaced)
	}
	where, args := q.where()
	limit := q.Limit
	if limit <= 0 {
		limit = -1
	}
	p.Rows, err = rows(ctx, db, "SELECT "+columns+where+" ORDER BY modified DESC, id DESC LIMIT ?", append(args, limit)...)
	if err != nil || len(p.Rows) != limit {
		return p, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*)"+where, args...).Scan(&p.More)
	p.More -= len(p.Rows)
	return p, err
}

func get(ctx context.Context, db *sql.DB, id string) (Row, bool, error) {
	found, err := rows(ctx, db, "SELECT "+columns+" FROM session WHERE id = ?", id)
	if err != nil || len(found) == 0 {
		return Row{}, false, err
	}
	return found[0], true, nil
}

func rows(ctx context.Context, db *sql.DB, query string, args ...any) (list []Row, err error) {
	found, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var r Row
		var started, modified int64
		err := found.Scan(&r.ID, &r.Title, &r.Cwd, &r.GitRoot, &r.Repository, &r.Branch, &started, &modified, &r.Size, &r.Listed)
		if err != nil {
			return nil, err
		}
		r.Started, r.Modified = time.UnixMicro(started).UTC(), time.UnixMicro(modified).UTC()
		list = append(list, r)
	}
	return list, found.Err()
}

// stampsAfter returns the stamps of the next rows after an id.
func stampsAfter(db *sql.DB, id string) (list []Stamp, err error) {
	found, err := db.Query("SELECT id, size, modified FROM session WHERE id > ? ORDER BY id LIMIT ?", id, chunk)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var s Stamp
		var modified int64
		if err := found.Scan(&s.ID, &s.Size, &modified); err != nil {
			return nil, err
		}
		s.Modified = time.UnixMicro(modified)
		list = append(list, s)
	}
	return list, found.Err()
}
