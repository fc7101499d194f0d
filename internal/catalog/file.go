package catalog

import (
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

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// lockWait bounds the wait for another process that is writing, which takes milliseconds.
const lockWait = time.Second

// schema creates the tables; version identifies them. There is one index for each field
// by which a list can be filtered, each in the order of the list.
const (
	version = 0x51DE0001
	schema  = `
CREATE TABLE session (
	id TEXT PRIMARY KEY, title TEXT NOT NULL,
	cwd TEXT NOT NULL, git_root TEXT NOT NULL, repository TEXT NOT NULL, branch TEXT NOT NULL,
	started INTEGER NOT NULL, modified INTEGER NOT NULL, size INTEGER NOT NULL, said INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX newest ON session(said, modified);
CREATE INDEX by_cwd ON session(said, cwd, modified);
CREATE INDEX by_git_root ON session(said, git_root, modified);
CREATE INDEX by_repository ON session(said, repository, modified);
CREATE INDEX by_branch ON session(said, branch, modified);
CREATE TABLE look (doubts INTEGER NOT NULL, settled INTEGER NOT NULL, ended INTEGER NOT NULL, took INTEGER NOT NULL);
INSERT INTO look VALUES (0, 0, 0, 0);
PRAGMA user_version = %d;`
)

// disk is where the database is looked for and moved aside. The file is never opened
// here, because closing it would release SQLite's locks on it.
var disk vfs.OS

// open opens the database, unless it is open and has not been replaced on disk.
func (c *Catalog) open() error {
	if c.file.db != nil {
		if now, err := disk.Stat(c.opts.Path); err == nil && os.SameFile(now, c.file.info) {
			return nil
		}
		c.file.close() // it was deleted or replaced
	}
	if err := c.make(); err != nil {
		return err
	}
	connector, err := sqlite.NewConnector(dsn(c.opts.Path))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	err = c.prepare(db)
	if err == nil {
		c.file.info, err = disk.Stat(c.opts.Path)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	c.file.db, c.file.opened = db, true
	return nil
}

// make makes an empty file that only its owner can read, because it will contain titles.
func (c *Catalog) make() error {
	if c.opts.Existing {
		return nil
	}
	f, err := disk.OpenFile(c.opts.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn returns the name of the database with the settings of each connection: it does not
// make the file, waits for locks, keeps at most 512 KiB of pages in memory, and lets the
// operating system choose when committed data reaches the disk.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + fmt.Sprintf("?mode=rw&_txlock=immediate&_pragma=busy_timeout(%d)", lockWait.Milliseconds()) +
		"&_pragma=synchronous(normal)&_pragma=cache_size(-512)&_pragma=temp_store(memory)"
}

// prepare makes the tables in an empty database and refuses one with other tables. It
// requests a comparison, because the process that used the database before may have been
// killed.
func (c *Catalog) prepare(db *sql.DB) error {
	found, err := integer(db, "PRAGMA user_version")
	if err == nil && found == 0 && !c.opts.Existing {
		err = create(db)
		found = version
	}
	switch {
	case err != nil:
		return err
	case found != version:
		return errForeign
	case c.opts.Existing:
		return nil
	}
	_, err = db.Exec(requestComparison)
	return err
}

// create makes the tables, unless another process is just doing so. It does not change a
// database that has other tables.
func create(db *sql.DB) error {
	tables, err := integer(db, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if tables == 0 {
		if err := useWAL(db); err != nil {
			return err
		}
	}
	return inTransaction(db, func(tx *sql.Tx) error {
		found, err := integer(tx, "PRAGMA user_version")
		if err != nil || found == version {
			return err
		}
		if tables != 0 {
			return errForeign
		}
		_, err = tx.Exec(fmt.Sprintf(schema, version))
		return err
	})
}

// useWAL switches to write-ahead logging, where readers and writers do not wait for each
// other, and commits do not wait for the disk. SQLite itself does not wait for the lock
// that this needs, so useWAL retries.
func useWAL(db *sql.DB) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, err := db.Exec("PRAGMA journal_mode = wal")
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Since(began) > lockWait {
			return err
		}
	}
}

func (f *file) close() {
	if f.db == nil {
		return
	}
	_ = f.db.Close() // what it failed to clean up, the next process that opens it does
	f.db = nil
}
