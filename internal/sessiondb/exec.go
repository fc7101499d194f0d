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
	// maxTidy bounds the work after the statements, whose own time may be over.
	maxTidy = 2 * time.Second
)

// Result is the result of a call.
type Result struct {
	Statements []Statement // those that were run, in order
	// Changed means that the to-dos or their dependencies have changed; those of a [Remote]
	// database may have.
	Changed bool
}

// Statement is the result of one statement.
type Statement struct {
	Verb    string // "INSERT"
	kind    statementKind
	Columns []string
	Rows    [][]string // as text; "NULL" for a NULL value
	More    bool       // there are more rows than are returned
	// Affected is how many rows were added, changed or removed. LastID is the rowid of
	// the last one added.
	Affected, LastID int64
}

// Exec runs statements one after the other. If one fails, the effects of those before it
// stay, unless they were in a transaction; an open transaction is rolled back at the end
// of the call. The result lists the statements that were run, even with an error:
// [fault.Invalid] if the SQL is wrong or not allowed, [fault.Unavailable] if it took too
// long or the file cannot be used, or ctx.Err().
func (d *DB) Exec(ctx context.Context, query string) (r Result, err error) {
	list, err := split(query)
	if err != nil {
		return r, fault.New(fault.Invalid, "sessiondb", "", "%w", err)
	}
	done := make([]Statement, len(list))
	for i := range list {
		if done[i].Verb, done[i].kind, err = list[i].check(); err != nil {
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
			err = fault.New(fault.Invalid, "sessiondb", "", "the transaction was not committed, so it was rolled back; end it with COMMIT in the same call")
		}
		d.seen = digest(after, conn)
		r.Changed = d.seen != before
		return err
	})
	return r, err
}

// run runs one statement. Only the first step of a statement can be interrupted, so all
// work must happen in it: the rows of a SELECT are first written to a temporary table.
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

// read runs a statement and reads its rows, if it has any.
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

// shorten returns the part of a value that is shown.
func shorten(value string) string {
	if len(value) > maxCell {
		value = value[:maxCell] + "…"
	}
	return strings.ToValidUTF8(value, "�")
}
