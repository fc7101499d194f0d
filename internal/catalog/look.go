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

// share bounds what looks may cost: after one, share times as long as it took
// passes until the next, unless there is a doubt, or it was a cheap one.
const (
	share = 100
	cheap = 10 * time.Millisecond
)

// near is how far apart two times of one change may be: that of the event, and
// that of the file, which some file systems keep to two seconds.
const near = 2 * time.Second

// chunk is how many rows are read at a time and batch how many are written, so
// that nobody waits long for the database during a look. Larger batches write
// less: every row touches a page of each index, mostly one that others touch, too.
const (
	chunk = 1000
	batch = 5000
)

// state is table look.
type state struct {
	doubts, settled int64
	ended, took     int64 // microseconds
}

const raiseDoubt = "UPDATE look SET doubts = doubts + 1"

func readState(db *sql.DB) (s state, err error) {
	err = db.QueryRow("SELECT doubts, settled, ended, took FROM look").Scan(&s.doubts, &s.settled, &s.ended, &s.took)
	return s, err
}

// complete says whether a look has ever ended.
func (s state) complete() bool { return s.ended != 0 }

func (s state) due(now time.Time) bool {
	passed := now.UnixMicro() - s.ended
	return !s.complete() || s.doubts != s.settled || passed < 0 || passed >= share*s.took || s.took <= cheap.Microseconds()
}

// look is a comparison of the rows with the logs.
type look struct {
	done    chan struct{}   // closed when it has ended, well or not
	err     error           // set before
	touched map[string]bool // sessions that this process knows better; guarded by Catalog.mu
}

// look returns the look under way, or begins one; nil after Close.
func (c *Catalog) look() *look {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looking != nil || c.closed {
		return c.looking
	}
	l := &look{done: make(chan struct{}), touched: map[string]bool{}}
	c.looking = l
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		l.err = c.compare(l)
		c.mu.Lock()
		c.looking = nil
		c.mu.Unlock()
		close(l.done)
	}()
	return l
}

// wait waits until the look has ended, and returns its error, until ctx ends, or
// until enough has been waited.
func (l *look) wait(ctx context.Context, enough <-chan time.Time) error {
	select {
	case <-l.done:
		return l.err
	case <-enough:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// compare makes the rows what the logs say.
func (c *Catalog) compare(l *look) error {
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
		_, err := db.Exec("UPDATE look SET settled = ?, ended = ?, took = ?", s.doubts, now.UnixMicro(), now.Sub(began).Microseconds())
		return err
	})
}

// correct walks through rows and logs side by side, both ordered by id.
func (c *Catalog) correct(l *look, logs []Stamp) error {
	slices.SortFunc(logs, func(a, b Stamp) int { return strings.Compare(a.ID, b.ID) })
	fix := &fixes{c: c, look: l, rows: map[string]*Row{}}
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
			err = fix.gone(row.ID)
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

// describes says whether the row with stamp s is true of a log with stamp log.
func (s Stamp) describes(log Stamp) bool {
	return s.Size == log.Size && s.Modified.Sub(log.Modified).Abs() < near
}

// stamps yields the stamps of all rows, ordered by id. An error is the last pair.
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

// fixes is what a look has found to be wrong and not written yet.
type fixes struct {
	c    *Catalog
	look *look
	rows map[string]*Row
}

// read makes the row of a session from its log.
func (f *fixes) read(log Stamp) error {
	row, err := f.c.opts.Source.Describe(log)
	switch {
	case err == nil:
		return f.add(log.ID, &row)
	case fault.KindOf(err) == fault.NotFound: // deleted just now
		return f.add(log.ID, nil)
	}
	f.c.opts.Logger.Warn("a session cannot be described", "session", log.ID, "err", err)
	return nil
}

// gone removes the row of a session that was not among the logs, unless it was
// created after they were listed.
func (f *fixes) gone(id string) error {
	if _, err := f.c.opts.Source.Describe(Stamp{ID: id}); fault.KindOf(err) == fault.NotFound && err != nil {
		return f.add(id, nil)
	}
	return nil
}

func (f *fixes) add(id string, row *Row) error {
	f.rows[id] = row
	if len(f.rows) < batch {
		return f.c.ctx.Err()
	}
	return f.flush()
}

// flush writes them, but for the sessions that this process has since written,
// or is going to: it knows them better than the folder did.
func (f *fixes) flush() error {
	err := f.c.use(f.c.ctx, func(db *sql.DB) error {
		f.c.mu.Lock()
		for id := range f.look.touched {
			delete(f.rows, id)
		}
		f.c.mu.Unlock()
		return inTransaction(db, func(tx *sql.Tx) error { return store(tx, f.rows) })
	})
	clear(f.rows)
	return err
}
