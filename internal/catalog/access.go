package catalog

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// retryAfter is how long a database that could not be used is not tried again.
const retryAfter = 10 * time.Second

var (
	// errReplaced means that the database was damaged and has been replaced by an empty
	// one.
	errReplaced error = &fault.Error{Op: "catalog", Kind: fault.Unavailable, Err: errors.New("the catalogue was damaged and is built again")}
	// errForeign means that the database has other tables.
	errForeign = errors.New("it is of another version or another program")
)

// use runs f with the database, opening it if necessary, while no other goroutine uses
// it. It returns what the caller of an exported method should get.
func (c *Catalog) use(ctx context.Context, f func(*sql.DB) error) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	if c.file.closed {
		return fault.New(fault.Unavailable, "catalog", c.opts.Path, "the catalogue is closed")
	}
	if c.file.cause != nil && time.Now().Before(c.file.retry) {
		c.drop()
		return c.file.cause
	}
	return c.classify(fault.Guard("catalog", func() error { return c.try(f) }))
}

// try opens the database if it is not open, and runs f.
func (c *Catalog) try(f func(*sql.DB) error) error {
	err := c.open()
	if damaged(err) && c.replace(err) == nil {
		err = c.open()
	}
	if err != nil {
		return err
	}
	if err = f(c.file.db); damaged(err) && c.replace(err) == nil {
		return errReplaced
	}
	return err
}

// classify turns an error into a decision for the caller, and logs the first one.
func (c *Catalog) classify(err error) error {
	switch {
	case err == nil:
		c.file.cause = nil
		return nil
	case errors.Is(err, errReplaced), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	first := c.file.cause == nil
	c.file.close()
	c.file.cause = &fault.Error{Op: "catalog", On: c.opts.Path, Kind: fault.Unavailable, Err: err}
	c.file.retry = time.Now().Add(retryAfter)
	c.drop()
	if first {
		c.opts.Logger.Warn("the catalogue cannot be used; sessions are listed from their logs, which is slow", "path", c.opts.Path, "err", err)
	}
	return c.file.cause
}

// damaged reports whether the content of the file causes err.
func damaged(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR: // the last: no such table
			return true
		}
	}
	return errors.Is(err, errForeign)
}
