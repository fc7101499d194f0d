package eventlog

import (
	"context"
	"sync"
	"time"
)

// pageBytes is how many bytes fill a page, for every number of records that it may hold: a
// client has to take a page in one answer. The record that reaches the bound is the last
// of a page that is read forward and the first of one that is read backward, however
// large it is.
const pageBytes = 4 << 20

// Pager reads a log in pages, for one client that keeps a cursor from one page to
// the next. It is for clients that poll, as a [Tail] is for clients that listen.
// [Log.Pager] makes one; Close it when the client has left. It is safe for concurrent
// use.
//
// A cursor is valid as long as the history is, in any process, and the persisted
// records after it are read exactly once, in order. A client that always reads with its
// last cursor also misses no ephemeral records: between two pages, for up to a minute,
// the pager keeps a tail for it, with the bounds of a tail. A client that comes back
// later, with an older cursor or with another Pager, has missed the ephemeral events of
// that time, and [Page].Missed counts them.
type Pager struct {
	log      *Log
	expiring sync.WaitGroup // tails that are being freed because their time is over; Close waits

	mu     sync.Mutex // guards the rest
	parked []parked   // the one that has waited longest first
	closed bool
}

// PageRequest is what a client asks for. Max is required.
type PageRequest struct {
	// Cursor is the one of an earlier page; it also says in which direction to read.
	// Empty: read from the beginning, or with Backward from the end.
	Cursor   string
	Backward bool
	// Max bounds the records of a page, at least 1. A page of more than 4 MiB ends
	// sooner.
	Max int
	// Wait is how long to wait for something to be published if there is nothing to
	// read. A backward read does not wait.
	Wait time.Duration
	// Persisted leaves ephemeral records out. A backward read always does.
	Persisted bool
	// Match selects records. nil: all.
	Match func(Record) bool
}

// Page is the result of a read, oldest record first.
type Page struct {
	Records []Record
	// Cursor is where to continue, also after a page without records.
	Cursor string
	// Expired says that the requested cursor does not belong to the history as it is
	// now, and that the page starts again: from the beginning, or for a cursor that
	// goes back, from the end.
	Expired bool
	// More says that more records can be read at once, as far as that is known without
	// reading them: Match may select none.
	More bool
	// Missed is how many of the ephemeral events that were published since the
	// requested cursor neither this page nor a later one has, whether Match selects
	// them or not; -1 if that is unknown because the log was closed meanwhile.
	Missed int64
}

// Pager returns a reader of pages. It holds nothing until it is used.
func (l *Log) Pager() *Pager { return &Pager{log: l} }

// End returns the cursor of a reader that has handled everything so far. The page read
// with it has what is published from now on, and nothing else.
func (p *Pager) End(ctx context.Context) (string, error) {
	at, err := p.at(ctx, cursor{pos: p.log.Len()})
	if err != nil {
		return "", err
	}
	t := p.log.Tail(at.pos)
	end := t.at(at.mark)
	p.park(end, t)
	return end, nil
}

// Read returns the page that req asks for. It returns [ErrClosed] on a closed log,
// also if that is closed while Read waits; ctx.Err() if ctx ends first; or an error
// of storage. After an error nothing is lost: read again with the same cursor.
func (p *Pager) Read(ctx context.Context, req PageRequest) (Page, error) {
	if p.log.isClosed() {
		return Page{}, ErrClosed
	}
	if t := p.unpark(req.Cursor); t != nil {
		c, _ := parseCursor(req.Cursor) // this pager made it
		return p.forward(ctx, req, t, Page{}, c.mark)
	}
	from, valid, err := p.find(ctx, req)
	page := Page{Expired: !valid}
	switch {
	case err != nil:
		return Page{}, err
	case from.back:
		return p.back(ctx, req, page, from.pos)
	}
	t := p.log.Tail(from.pos)
	if valid && req.Cursor != "" && !req.Persisted {
		page.Missed = from.missed(t)
	}
	return p.forward(ctx, req, t, page, from.mark)
}

// missed is how many ephemeral events were published after c was made and before t was,
// as [Page].Missed counts them.
func (c cursor) missed(t *Tail) int64 {
	if c.run != t.log.run || c.passed > t.passed {
		return -1
	}
	return int64(t.passed - c.passed)
}

// find returns where the page begins, and whether the cursor of req is valid.
func (p *Pager) find(ctx context.Context, req PageRequest) (from cursor, valid bool, err error) {
	from, valid = cursor{back: req.Backward}, true
	if req.Cursor != "" {
		asked, malformed := parseCursor(req.Cursor)
		if from = asked; malformed != nil {
			from, valid = cursor{back: req.Backward}, false
		} else if valid, err = p.isOurs(ctx, asked); !valid {
			from = cursor{back: asked.back}
		}
	}
	if from.back && (!valid || req.Cursor == "") {
		from.pos = p.log.Len() + 1
	}
	return from, valid, err
}

// isOurs reports whether c belongs to this history: the record at its position is the
// same as when it was made.
func (p *Pager) isOurs(ctx context.Context, c cursor) (bool, error) {
	if c.pos > p.log.Len() {
		return false, nil
	}
	is, err := p.at(ctx, c)
	return err == nil && is.mark == c.mark, err
}

// at returns c with the mark of the record at its position; 0 if it is before the first.
func (p *Pager) at(ctx context.Context, c cursor) (cursor, error) {
	c.mark = 0
	if c.pos == 0 || c.back && c.pos == 1 {
		return c, nil
	}
	for rec, err := range p.log.Read(ctx, c.pos) {
		if err != nil {
			return cursor{}, err
		}
		c.mark = mark(rec.JSON)
		break
	}
	return c, nil
}
