package catalog

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"
)

// Row is what a list shows of one session.
type Row struct {
	ID                               string
	Title                            string // empty if nothing was said
	Cwd, GitRoot, Repository, Branch string // where it works; empty if unknown
	Started                          time.Time
	Modified                         time.Time // to the microsecond
	Size                             int64     // of the log, bytes
	Said                             bool      // somebody said something; only these are listed
}

// Stamp is what shows that a log has changed since its row was written.
type Stamp struct {
	ID       string
	Size     int64
	Modified time.Time
}

// Source is the logs that the rows are derived from.
type Source interface {
	// Sessions lists the sessions that there are, in any order.
	Sessions() ([]Stamp, error)
	// Describe reads what a list shows of one of them. [fault.NotFound] if it
	// is not there any more.
	Describe(Stamp) (Row, error)
}

// Options configures [New]. Path and Source are required.
type Options struct {
	// Path is the database, in a folder that is there when it is first used.
	Path   string
	Source Source
	// Existing uses the database if there is one, and neither makes nor replaces
	// it. It is for those who list once and go.
	Existing bool
	// Patience is how long a list waits for a look. Default 30 ms.
	Patience time.Duration
	// Logger is told, once, that the catalogue cannot be used. Default nobody.
	Logger *slog.Logger
}

const (
	defaultPatience = 30 * time.Millisecond
	// writeDelay is how long a row waits for others to share its transaction.
	writeDelay = 100 * time.Millisecond
	// maxPending bounds the rows that wait. What does not fit is found by a look.
	maxPending = 10_000
)

// Catalog is the rows of all sessions. It is safe for concurrent use.
type Catalog struct {
	opts Options
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup // every goroutine that was started

	turn chan struct{} // holds one while the database is used; guards file
	file file

	mu      sync.Mutex      // guards the rest; never held across I/O
	pending map[string]*Row // to be written; nil: to be removed
	doubt   bool            // rows were dropped
	writing bool            // a goroutine waits to write them
	looking *look           // under way; nil if none is
	closed  bool
}

// file is the database once it is open.
type file struct {
	db     *sql.DB     // nil: not open
	info   fs.FileInfo // of the file that db has open
	opened bool        // it has been open
	shut   bool        // and never will be again
	aside  time.Time   // when a damaged one was last moved aside
	cause  error       // why it cannot be used; nil if it can
	retry  time.Time   // before then that is not tried again
}

// New returns a catalogue. It opens nothing: the first use does. Call Close.
func New(opts Options) *Catalog {
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Catalog{opts: opts, turn: make(chan struct{}, 1)}
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Put makes row what is known of its session. It does not wait. After Close it
// does nothing.
func (c *Catalog) Put(row Row) { c.leave(row.ID, &row) }

// Forget removes the row of a session. It does not wait. After Close it does
// nothing.
func (c *Catalog) Forget(id string) { c.leave(id, nil) }

// leave leaves a row to be written.
func (c *Catalog) leave(id string, row *Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.looking != nil {
		c.looking.touched[id] = true
	}
	if c.pending == nil {
		c.pending = map[string]*Row{}
	}
	if _, waits := c.pending[id]; !waits && len(c.pending) >= maxPending {
		c.doubt = true
		return
	}
	c.pending[id] = row
	if !c.writing {
		c.writing = true
		c.work.Add(1)
		go c.writeSoon()
	}
}

// List returns a page of the sessions that somebody has said something in, the
// one changed last first. [fault.Unavailable] if the catalogue cannot be used:
// read the logs; the source's error if that is why it could not be built; or
// ctx.Err().
func (c *Catalog) List(ctx context.Context, q Query) (p Page, err error) {
	for range 2 { // again if the database turns out to be damaged, and is replaced
		if err = c.refresh(ctx); err == nil {
			err = c.use(ctx, func(db *sql.DB) (err error) { p, err = q.run(ctx, db); return err })
		}
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return p, err
}

// Get returns the row of one session, also of one without messages. found is
// false if there is no row. Neither proves anything about the log, which another
// runtime may have made or removed since. The error is as for [Catalog.List].
func (c *Catalog) Get(ctx context.Context, id string) (row Row, found bool, err error) {
	c.mu.Lock()
	left, waits := c.pending[id]
	c.mu.Unlock()
	if waits && left != nil {
		return *left, true, nil
	}
	if waits {
		return Row{}, false, nil
	}
	err = c.use(ctx, func(db *sql.DB) (err error) { row, found, err = get(ctx, db, id); return err })
	return row, found, err
}

// Close writes what is left and closes the database. It gives up a look under
// way, and waits for every goroutine, at most until ctx ends. What cannot be
// written is found by the next look. A second Close does nothing.
func (c *Catalog) Close(ctx context.Context) {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	left := len(c.pending) > 0 || c.doubt
	c.mu.Unlock()
	if again {
		return
	}
	c.end()
	ended := make(chan struct{})
	go func() { c.work.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done(): // the disk hangs: nothing can interrupt that
		return
	}
	if left {
		_ = c.use(ctx, c.write) // it has logged why
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done(): // a list has it
		return
	}
	defer func() { <-c.turn }()
	c.file.shut = true
	c.file.close()
}
