package catalog

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// writeSoon writes what is left once others had the time to share its
// transaction. Close writes it if that comes first.
func (c *Catalog) writeSoon() {
	defer c.work.Done()
	select {
	case <-time.After(writeDelay):
	case <-c.ctx.Done():
		return
	}
	c.mu.Lock()
	c.writing = false
	c.mu.Unlock()
	_ = c.use(c.ctx, c.write) // it has logged why
}

// write writes all that is left, or drops it if it cannot: the next to open the
// database has a doubt, and a look finds it.
func (c *Catalog) write(db *sql.DB) error {
	c.mu.Lock()
	rows, doubt := c.pending, c.doubt
	c.pending, c.doubt = nil, false
	c.mu.Unlock()
	if len(rows) == 0 && !doubt {
		return nil
	}
	return inTransaction(db, func(tx *sql.Tx) error {
		if doubt {
			if _, err := tx.Exec(raiseDoubt); err != nil {
				return err
			}
		}
		return store(tx, rows)
	})
}

// drop gives up what is left, for the next look to find.
func (c *Catalog) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = nil
}

// store writes rows, by id; nil removes one.
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
				r.Started.UnixMicro(), r.Modified.UnixMicro(), r.Size, r.Said)
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
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// integer is the answer to a query that has one number for an answer.
func integer(db interface {
	QueryRow(query string, args ...any) *sql.Row
}, query string,
) (n int64, err error) {
	err = db.QueryRow(query).Scan(&n)
	return n, err
}

// refresh brings the database up to date before it is listed: with what this
// process has left to write, and with a look if one is due.
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
	l := c.look()
	if l == nil {
		return nil // closing
	}
	if !s.complete() {
		return l.wait(ctx, nil)
	}
	patience := time.NewTimer(c.opts.Patience)
	defer patience.Stop()
	_ = l.wait(ctx, patience.C) // without it there are the rows of the last one
	return ctx.Err()
}
