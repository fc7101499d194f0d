package sessiondb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	maxRows  = 1000     // of one statement that are returned
	maxBytes = 64 << 10 // of text of one statement's rows
	maxCell  = 4 << 10  // bytes of one value that are shown
	// maxTidy bounds what is done after the statements, whose time may be over.
	maxTidy = 2 * time.Second
)

// Result is what a call did.
type Result struct {
	Statements []Statement // those that were carried out, in order
	// Changed says that the to-dos or what they depend on are not what they were.
	Changed bool
}

// Statement is what one statement did.
type Statement struct {
	Verb    string // "INSERT"
	kind    shape
	Columns []string
	Rows    [][]string // as text; of a value that is NULL, "NULL"
	More    bool       // there are more rows, or more of them than fit
	// Affected is how many rows were added, changed or removed, LastID the number of
	// the last one added.
	Affected, LastID int64
}

// Exec runs statements, one after the other. What they do stays: those before one
// that fails are not undone, unless they were in a transaction, which ends with
// the call. The result says which were carried out, also beside an error:
// [fault.Invalid] if the SQL is wrong or not possible here, [fault.Unavailable] if
// it took too long or the file cannot be used, or ctx.Err().
func (d *DB) Exec(ctx context.Context, query string) (r Result, err error) {
	list, err := split(query)
	if err != nil {
		return r, fault.New(fault.Invalid, "sessiondb", "", "%w", err)
	}
	done := make([]Statement, len(list))
	for i := range list {
		if done[i].Verb, done[i].kind, err = list[i].judge(); err != nil {
			return r, fault.New(fault.Invalid, "sessiondb", "", "%w", err)
		}
	}
	err = d.use(ctx, true, func(ctx context.Context, conn *sql.Conn) (err error) {
		before := d.seen
		if before == 0 {
			before = digest(ctx, conn)
		}
		for i := range list {
			if err = done[i].run(ctx, conn, list[i].text); err != nil {
				break
			}
			r.Statements = done[:i+1]
		}
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxTidy)
		defer cancel()
		if _, open := conn.ExecContext(after, "ROLLBACK"); open == nil && err == nil {
			err = fault.New(fault.Invalid, "sessiondb", "", "the transaction was not committed, so nothing of it stays; end it with COMMIT in the same call")
		}
		d.seen = digest(after, conn)
		r.Changed = d.seen != before
		return err
	})
	return r, err
}

// run carries one statement out. All its work is done in its first step, which can
// be interrupted: the steps after it cannot, so the rows of a SELECT go to a
// temporary table first.
func (s *Statement) run(ctx context.Context, conn *sql.Conn, text string) error {
	if s.kind == selects {
		const drop, read = "DROP TABLE IF EXISTS temp.sidestick_rows", "SELECT * FROM temp.sidestick_rows ORDER BY rowid"
		if _, err := conn.ExecContext(ctx, drop); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "CREATE TEMP TABLE sidestick_rows AS SELECT * FROM (\n"+text+"\n) LIMIT 1001"); err != nil {
			return err
		}
		return errors.Join(s.read(ctx, conn, read), ignore(conn.ExecContext(ctx, drop)))
	}
	if err := s.read(ctx, conn, text); err != nil || s.kind < inserts || s.kind > deletes {
		return err
	}
	return conn.QueryRowContext(ctx, "SELECT changes(), last_insert_rowid()").Scan(&s.Affected, &s.LastID)
}

func ignore(_ sql.Result, err error) error { return err }

// read runs a statement and takes its rows, if it has any.
func (s *Statement) read(ctx context.Context, conn *sql.Conn, text string) error {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	if s.Columns, err = rows.Columns(); err != nil {
		return err
	}
	size := 0
	for rows.Next() {
		if len(s.Rows) == maxRows || size > maxBytes {
			s.More = true
			break
		}
		row, err := scan(rows, len(s.Columns))
		if err != nil {
			return err
		}
		for _, cell := range row {
			size += len(cell)
		}
		s.Rows = append(s.Rows, row)
	}
	return errors.Join(rows.Err(), rows.Close())
}

// scan reads a row as text.
func scan(rows *sql.Rows, columns int) ([]string, error) {
	values := make([]sql.NullString, columns)
	into := make([]any, columns)
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	row := make([]string, columns)
	for i, v := range values {
		row[i] = "NULL"
		if v.Valid {
			row[i] = shorten(v.String)
		}
	}
	return row, nil
}

// shorten makes of a value what can be shown of it.
func shorten(value string) string {
	if len(value) > maxCell {
		value = value[:maxCell] + "…"
	}
	return strings.ToValidUTF8(value, "�")
}
