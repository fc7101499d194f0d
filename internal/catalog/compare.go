package catalog

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// costRatio bounds the cost of comparisons: after one, costRatio times as long as it took
// passes until the next, unless one is requested, or the last one was cheap.
const (
	costRatio       = 100
	cheapComparison = 10 * time.Millisecond
)

// timeTolerance is how far apart the two times of one change may be: that of the event,
// and that of the file, which some file systems store in steps of two seconds.
const timeTolerance = 2 * time.Second

// chunk is how many rows are read at a time, and batch how many are written, so that no
// list waits long for the database during a comparison. Larger batches write less: each
// row changes a page of each index, mostly a page that other rows change, too.
const (
	chunk = 1000
	batch = 5000
)

// state is the row of table look.
type state struct {
	requested, answered int64 // counts; they differ while a comparison is requested
	ended, took         int64 // microseconds
}

// requestComparison makes a comparison due.
const requestComparison = "UPDATE look SET doubts = doubts + 1"

func readState(db *sql.DB) (s state, err error) {
	err = db.QueryRow("SELECT doubts, settled, ended, took FROM look").Scan(&s.requested, &s.answered, &s.ended, &s.took)
	return s, err
}

// complete reports whether a comparison has ever finished.
func (s state) complete() bool { return s.ended != 0 }

// due reports whether it is time for a comparison.
func (s state) due(now time.Time) bool {
	passed := now.UnixMicro() - s.ended
	return !s.complete() || s.requested != s.answered || passed < 0 || passed >= costRatio*s.took || s.took <= cheapComparison.Microseconds()
}

// comparison is one comparison of the rows with the logs.
type comparison struct {
	done    chan struct{}   // closed when it has ended
	err     error           // valid once done is closed
	touched map[string]bool // sessions that this process has written since; guarded by Catalog.mu
}

// startComparison returns the comparison that is running, or starts one; nil after Close.
func (c *Catalog) startComparison() *comparison {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.comparing != nil || c.closed {
		return c.comparing
	}
	l := &comparison{done: make(chan struct{}), touched: map[string]bool{}}
	c.comparing = l
	c.work.Go(func() {
		l.err = c.guardedCompare(l)
		c.mu.Lock()
		c.comparing = nil
		c.mu.Unlock()
		close(l.done)
	})
	return l
}

// guardedCompare is compare. After a panic, lists read the logs themselves.
func (c *Catalog) guardedCompare(l *comparison) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.opts.Logger.Error("comparing the catalogue with the logs panicked", "err", fault.Panicked("catalog.compare", p))
			err = fault.New(fault.Unavailable, "catalog", c.opts.Path, "the catalogue cannot be compared with the logs; this program's log has the reason")
		}
	}()
	return c.compare(l)
}

// wait waits until the comparison has ended and returns its error. It returns earlier if
// ctx ends or something arrives on enough.
func (l *comparison) wait(ctx context.Context, enough <-chan time.Time) error {
	select {
	case <-l.done:
		return l.err
	case <-enough:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// compare corrects the rows from the logs.
func (c *Catalog) compare(l *comparison) error {
	began := time.Now()
	var s state
	if err := c.use(c.ctx, func(db *sql.DB) (err error) { s, err = readState(db); return err }); err != nil {
		return err
	}
	logs, err := c.opts.Source.Sessions()
	if err != nil {
		c.opts.Logger.Warn("the catalogue cannot be compared with the logs", "err", err)
		return err
	}
	if err := c.correct(l, logs); err != nil {
		return err
	}
	return c.use(c.ctx, func(db *sql.DB) error {
		now := time.Now()
		_, err := db.Exec("UPDATE look SET settled = ?, ended = ?, took = ?", s.requested, now.UnixMicro(), now.Sub(began).Microseconds())
		return err
	})
}

// correct walks through rows and logs in parallel, both ordered by id.
func (c *Catalog) correct(l *comparison, logs []Stamp) error {
	slices.SortFunc(logs, func(a, b Stamp) int { return strings.Compare(a.ID, b.ID) })
	fix := &corrections{c: c, comparison: l, rows: map[string]*Row{}}
	for row, err := range c.stamps() {
		if err != nil {
			return err
		}
		for len(logs) > 0 && logs[0].ID < row.ID {
			if err := fix.read(logs[0]); err != nil {
				return err
			}
			logs = logs[1:]
		}
		switch {
		case len(logs) == 0 || logs[0].ID != row.ID:
			err = fix.missing(row.ID)
		case !row.describes(logs[0]):
			err = fix.read(logs[0])
			logs = logs[1:]
		default:
			logs = logs[1:]
		}
		if err != nil {
			return err
		}
	}
	for _, log := range logs {
		if err := fix.read(log); err != nil {
			return err
		}
	}
	return fix.flush()
}

// describes reports whether the row with stamp s is up to date for a log with stamp log.
func (s Stamp) describes(log Stamp) bool {
	return s.Size == log.Size && s.Modified.Sub(log.Modified).Abs() < timeTolerance
}

// stamps yields the stamps of all rows, ordered by id. An error is in the last pair.
func (c *Catalog) stamps() iter.Seq2[Stamp, error] {
	return func(yield func(Stamp, error) bool) {
		for last := ""; ; {
			var some []Stamp
			err := c.use(c.ctx, func(db *sql.DB) (err error) { some, err = stampsAfter(db, last); return err })
			if err != nil {
				yield(Stamp{}, err)
				return
			}
			for _, s := range some {
				if !yield(s, nil) {
					return
				}
				last = s.ID
			}
			if len(some) < chunk {
				return
			}
		}
	}
}

// corrections are rows that a comparison has found to be wrong and not written yet.
type corrections struct {
	c          *Catalog
	comparison *comparison
	rows       map[string]*Row
}

// read makes the row of a session from its log.
func (f *corrections) read(log Stamp) error {
	row, err := f.c.opts.Source.Describe(log)
	switch {
	case err == nil:
		return f.add(log.ID, &row)
	case fault.KindOf(err) == fault.NotFound: // deleted since it was listed
		return f.add(log.ID, nil)
	}
	f.c.opts.Logger.Warn("a session cannot be described", "session", log.ID, "err", err)
	return nil
}

// missing removes the row of a session whose log was not listed, unless the session was
// created after the listing.
func (f *corrections) missing(id string) error {
	if _, err := f.c.opts.Source.Describe(Stamp{ID: id}); fault.KindOf(err) == fault.NotFound && err != nil {
		return f.add(id, nil)
	}
	return nil
}

func (f *corrections) add(id string, row *Row) error {
	f.rows[id] = row
	if len(f.rows) < batch {
		return f.c.ctx.Err()
	}
	return f.flush()
}

// flush writes the corrections, except for sessions that this process has written
// meanwhile: its rows are newer than what the comparison has read.
func (f *corrections) flush() error {
	err := f.c.use(f.c.ctx, func(db *sql.DB) error {
		f.c.mu.Lock()
		for id := range f.comparison.touched {
			delete(f.rows, id)
		}
		f.c.mu.Unlock()
		return inTransaction(db, func(tx *sql.Tx) error { return store(tx, f.rows) })
	})
	clear(f.rows)
	return err
}
