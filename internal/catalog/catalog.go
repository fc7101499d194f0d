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
	Title                            string // empty if it has neither a name nor messages
	Cwd, GitRoot, Repository, Branch string // where the session works; empty if unknown
	Started                          time.Time
	Modified                         time.Time // to the microsecond
	Size                             int64     // of the log, in bytes
	Listed                           bool      // the session has a message, or was given a name; others are in no list
}

// Stamp is the size and time of a log. If they differ from those in its row, the log has
// changed since.
type Stamp struct {
	ID       string
	Size     int64
	Modified time.Time
}

// Source provides the logs from which the rows are derived.
type Source interface {
	// Sessions lists all sessions, in any order.
	Sessions() ([]Stamp, error)
	// Describe reads the row of one session from its log. [fault.NotFound] if the log no
	// longer exists.
	Describe(Stamp) (Row, error)
}

// Options configures [New]. Path and Source are required.
type Options struct {
	// Path is the file of the database. Its folder must exist when it is first used.
	Path   string
	Source Source
	// Existing uses the database only if there is one, and neither makes nor replaces it.
	// It is for programs that list once and exit.
	Existing bool
	// Patience is how long a list waits for a comparison. Default 30 ms.
	Patience time.Duration
	// Logger gets one warning when the catalogue cannot be used. Default: no log.
	Logger *slog.Logger
}

const (
	defaultPatience = 30 * time.Millisecond
	// writeDelay is how long a row waits, so that others can share its transaction.
	writeDelay = 100 * time.Millisecond
	// maxPending bounds the rows that wait. A comparison finds rows that do not fit.
	maxPending = 10_000
)

// Catalog holds the rows of all sessions. It is safe for concurrent use.
type Catalog struct {
	opts Options
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup // every goroutine that was started

	turn chan struct{} // holds a value while the database is used; guards file
	file file

	mu        sync.Mutex      // guards the rest; never held across I/O
	pending   map[string]*Row // rows to be written; nil: to be removed
	dropped   bool            // rows that did not fit into pending were dropped
	writing   bool            // a goroutine waits to write them
	comparing *comparison     // under way; nil if none is
	closed    bool
}

// file is the database, open or not.
type file struct {
	db         *sql.DB     // nil: not open
	info       fs.FileInfo // of the file that db has open
	opened     bool        // it has been open before
	closed     bool        // it will not be opened again
	movedAside time.Time   // when a damaged one was last moved aside
	cause      error       // why it cannot be used; nil if it can
	retry      time.Time   // when to try again after that
}

// New returns a catalogue. The first use opens it. Call Close when done.
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

// Put stores the row of a session. It does not wait. After Close it does nothing.
func (c *Catalog) Put(row Row) { c.enqueue(row.ID, &row) }

// Forget removes the row of a session. It does not wait. After Close it does nothing.
func (c *Catalog) Forget(id string) { c.enqueue(id, nil) }

// enqueue queues a row to be written; nil removes the session's row.
func (c *Catalog) enqueue(id string, row *Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if c.comparing != nil {
		c.comparing.touched[id] = true
	}
	if c.pending == nil {
		c.pending = map[string]*Row{}
	}
	if _, waits := c.pending[id]; !waits && len(c.pending) >= maxPending {
		c.dropped = true
		return
	}
	c.pending[id] = row
	if !c.writing {
		c.writing = true
		c.work.Go(c.writeSoon)
	}
}

// List returns a page of the sessions that have a message, the most recently changed
// first. Errors: [fault.Unavailable] if the catalogue cannot be used, and the caller
// should read the logs; the source's error if the database could not be built because of
// it; or ctx.Err().
func (c *Catalog) List(ctx context.Context, q Query) (p Page, err error) {
	for range 2 { // a second time if the database was damaged and has been replaced
		if err = c.refresh(ctx); err == nil {
			err = c.use(ctx, func(db *sql.DB) (err error) { p, err = q.run(ctx, db); return err })
		}
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return p, err
}

// Get returns the row of one session, also of one without messages. found is false if
// there is no row. Neither result proves anything about the log, which another runtime
// may have made or removed since. Errors are those of [Catalog.List].
func (c *Catalog) Get(ctx context.Context, id string) (row Row, found bool, err error) {
	c.mu.Lock()
	queued, waits := c.pending[id]
	c.mu.Unlock()
	if waits && queued != nil {
		return *queued, true, nil
	}
	if waits {
		return Row{}, false, nil
	}
	err = c.use(ctx, func(db *sql.DB) (err error) { row, found, err = get(ctx, db, id); return err })
	return row, found, err
}

// Close writes the queued rows and closes the database. It stops a comparison that is
// running, and waits for every goroutine until ctx ends. A later comparison finds rows
// that cannot be written. A second Close does nothing.
func (c *Catalog) Close(ctx context.Context) {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	queued := len(c.pending) > 0 || c.dropped
	c.mu.Unlock()
	if again {
		return
	}
	c.end()
	ended := make(chan struct{})
	go func() { c.work.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done(): // the disk does not answer, and nothing can interrupt that
		return
	}
	if queued {
		_ = c.use(ctx, c.write) // use has logged the error
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done(): // a list is using the database
		return
	}
	defer func() { <-c.turn }()
	c.file.closed = true
	c.file.close()
}
