package sessiondb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	maxTime  = 10 * time.Second // of one call of Exec
	maxValue = 64 << 10         // bytes of one value; SQLite cannot be interrupted within an expression
	maxPages = 16 << 10         // of 4 KiB, for the database and again for temporary tables

	// tables are made in an empty database. SDK programs read these columns by
	// session.plan.readSqlTodos.
	tables = `
CREATE TABLE IF NOT EXISTS main.todos (
	id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, status TEXT NOT NULL DEFAULT 'pending',
	created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now'))
);
CREATE TABLE IF NOT EXISTS main.todo_deps (todo_id TEXT NOT NULL, depends_on TEXT NOT NULL, PRIMARY KEY (todo_id, depends_on));`
)

// Database is the database of a session: a [DB] on this machine, or a [Remote] one. It is safe for
// concurrent use. After Close every call fails with [fault.NotFound].
type Database interface {
	// Exec runs statements one after the other; see [DB.Exec].
	Exec(ctx context.Context, query string) (Result, error)
	// Todos reads the to-dos; see [DB.Todos].
	Todos(ctx context.Context) ([]Todo, []Dependency, error)
	Close() error
}

var (
	_ Database = (*DB)(nil)
	_ Database = (*Remote)(nil)
)

// DB is one database. It is safe for concurrent use; calls run one after the other.
type DB struct {
	path   string
	turn   chan struct{} // holds a value while a call runs; that call owns the other fields
	db     *sql.DB       // nil before the first use
	seen   uint64        // digest of the to-dos after the last call
	closed bool
}

// disk is where the file is looked for and made. SQLite itself cannot use vfs.
var disk vfs.OS

// New returns the database in a file. It neither makes nor opens the file.
func New(path string) *DB { return &DB{path: path, turn: make(chan struct{}, 1)} }

// use runs f with a connection, within maxTime, while no other call does. If the file
// does not exist and mayMake is false, it does nothing.
func (d *DB) use(ctx context.Context, mayMake bool, f func(context.Context, *sql.Conn) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTooLong)
	defer cancel()
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return d.failed(ctx, ctx.Err())
	}
	defer func() { <-d.turn }()
	if d.closed {
		return fault.New(fault.NotFound, "sessiondb", d.path, "the session is closed")
	}
	if d.db == nil {
		if exists, err := d.open(ctx, mayMake); err != nil || !exists {
			return d.failed(ctx, err)
		}
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return d.failed(ctx, err)
	}
	defer conn.Close()
	if err := limit(conn); err != nil {
		return d.failed(ctx, err)
	}
	return d.failed(ctx, f(ctx, conn))
}

var errTooLong = errors.New("it took more than 10 seconds and was stopped")

// open opens the file. exists is false if there is none and it may not be made.
func (d *DB) open(ctx context.Context, mayMake bool) (exists bool, err error) {
	exists, err = d.make(mayMake)
	if err != nil || !exists {
		return exists, err
	}
	connector, err := sqlite.NewConnector(dsn(d.path))
	if err != nil {
		return true, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return true, errors.Join(err, db.Close())
	}
	d.db = db
	return true, nil
}

// make makes an empty file that only its owner can read, unless there is one or may is
// false. It does not follow a link out of the session's folder.
func (d *DB) make(may bool) (exists bool, err error) {
	dir, err := disk.Root(filepath.Dir(d.path))
	if errors.Is(err, fs.ErrNotExist) && !may {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.Close()
	name := filepath.Base(d.path)
	info, err := dir.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, errors.New("it is not a regular file")
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist) || !may:
		return false, ignoreMissing(err)
	}
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// dsn returns the name of the database with its settings: defensive mode, a wait of one
// second for other processes, and 2 MiB of pages in memory.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + "?mode=rw&_defensive=1&_pragma=busy_timeout(1000)&_pragma=synchronous(normal)&_pragma=trusted_schema(0)" +
		fmt.Sprintf("&_pragma=cache_size(-2000)&_pragma=temp_store(file)&_pragma=max_page_count(%d)&_pragma=temp.max_page_count(%[1]d)", maxPages)
}

// limit restricts a connection to its file and to small values. Without a second database
// there is no ATTACH, and no VACUUM either, because that attaches one.
func limit(conn *sql.Conn) error {
	for id, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_LENGTH: maxValue, sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2 * maxSQL,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200, sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100, sqlite3.SQLITE_LIMIT_COLUMN: 200,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200, sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
	} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return err
		}
	}
	return nil
}

// failed turns an error of the database into a [fault.Error]. SQL that SQLite refuses is
// Invalid, because the model can correct it.
func (d *DB) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); ctx.Err() != nil && errors.Is(cause, errTooLong) {
		return fault.New(fault.Unavailable, "sessiondb", "", "%w", cause)
	}
	var known *fault.Error
	if errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	var refused *sqlite.Error
	kind := fault.Unavailable
	if errors.As(err, &refused) {
		switch refused.Code() & 0xff {
		case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_FULL:
			kind = fault.Invalid
		}
	}
	return &fault.Error{Op: "sessiondb", Kind: kind, Err: err}
}

// Close closes the file once the call that is running has returned. Every later call
// fails.
func (d *DB) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	d.closed = true
	if d.db == nil {
		return nil
	}
	err := d.db.Close()
	d.db = nil
	return err
}
