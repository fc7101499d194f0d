package catalog

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// writeSoon writes the queued rows after writeDelay, so that others can share the
// transaction. If Close is called before, Close writes them.
func (c *Catalog) writeSoon() {
	select {
	case <-time.After(writeDelay):
	case <-c.ctx.Done():
		return
	}
	c.mu.Lock()
	c.writing = false
	c.mu.Unlock()
	_ = c.use(c.ctx, c.write) // use has logged the error
}

// write writes all queued rows, or drops them if it cannot: the next process that opens
// the database requests a comparison, which finds them.
func (c *Catalog) write(db *sql.DB) error {
	c.mu.Lock()
	rows, dropped := c.pending, c.dropped
	c.pending, c.dropped = nil, false
	c.mu.Unlock()
	if len(rows) == 0 && !dropped {
		return nil
	}
	return inTransaction(db, func(tx *sql.Tx) error {
		if dropped {
			if _, err := tx.Exec(requestComparison); err != nil {
				return err
			}
		}
		return store(tx, rows)
	})
}

// drop drops the queued rows, for a comparison to find.
func (c *Catalog) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = nil
}

// store writes rows by id; nil removes a row.
func store(tx *sql.Tx, rows map[string]*Row) error {
	put, err := tx.Prepare("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	for id, r := range rows {
		if r == nil {
			_, err = tx.Exec("DELETE FROM session WHERE id = ?", id)
		} else {
			_, err = put.Exec(id, r.Title, r.Cwd, r.GitRoot, r.Repository, r.Branch,
				r.Started.UnixMicro(), r.Modified.UnixMicro(), r.Size, r.Listed)
		}
		if err != nil {
			return errors.Join(err, put.Close())
		}
	}
	return put.Close()
}

func inTransaction(db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := fault.Guard("catalog.write", func() error { return f(tx) }); err != nil {
		return errors.Join(err, tx.Rollback()) // also after a panic, which would keep the database locked
	}
	return tx.Commit()
}

// integer returns the result of a query that returns one number.
func integer(db interface {
	QueryRow(query string, args ...any) *sql.Row
}, query string,
) (n int64, err error) {
	err = db.QueryRow(query).Scan(&n)
	return n, err
}

// refresh brings the database up to date for a list: it writes the queued rows and waits
// for a comparison if one is due.
func (c *Catalog) refresh(ctx context.Context) error {
	var s state
	err := c.use(ctx, func(db *sql.DB) (err error) {
		if err = c.write(db); err == nil {
			s, err = readState(db)
		}
		return err
	})
	if err != nil || !s.due(time.Now()) {
		return err
	}
	l := c.startComparison()
	if l == nil {
		return nil // closing
	}
	if !s.complete() {
		return l.wait(ctx, nil)
	}
	patience := time.NewTimer(c.opts.Patience)
	defer patience.Stop()
	_ = l.wait(ctx, patience.C) // without it, the list shows the rows of the last one
	return ctx.Err()
}
