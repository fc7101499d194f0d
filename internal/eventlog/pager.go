package eventlog

import (
	"context"
	"sync"
	"time"
)

// pageBytes is when a page is full, whatever it may hold: a client has to take it
// in one answer. The record that reaches it is the last of a page that is read
// forward and the first of one that is read backward, however large it is.
const pageBytes = 4 << 20

// Pager reads a log in pages, for one client, who keeps a cursor from one page to
// the next: a reader that comes and asks, where a [Tail] is told. [Log.Pager]
// makes one; Close it when the client has gone. It is safe for concurrent use.
//
// A cursor is good for as long as the history is, in any process, and persisted
// records after it are read exactly once, in order. Of ephemeral ones, a client
// that goes on reading with its last cursor misses none: between two pages, for a
// minute, a tail stands in for it, with the bounds that a tail has. Whoever comes
// back later, with an older cursor or to another Pager has missed what was told
// meanwhile, and [Page].Missed says how much that was.
type Pager struct {
	log *Log

	mu       sync.Mutex // guards the rest
	standing []standing // the one that has stood longest first
	closed   bool
}

// PageRequest is what a client asks for. Max is required.
type PageRequest struct {
	// Cursor is that of an earlier page, which also says in which direction to read.
	// Empty: from the beginning, or with Backward from the end.
	Cursor   string
	Backward bool
	// Max bounds the records of a page, at least 1. A page of more than 4 MiB ends
	// sooner.
	Max int
	// Wait is how long to wait for something to be published if nothing is there.
	// A backward read does not wait.
	Wait time.Duration
	// Persisted leaves ephemeral records out. A backward read always does.
	Persisted bool
	// Match selects records. nil: all.
	Match func(Record) bool
}

// Page is what was read, oldest first.
type Page struct {
	Records []Record
	// Cursor is where to go on, also after a page without records.
	Cursor string
	// Expired says that the cursor asked with is not one of this history, as it
	// stands now, and that the page begins anew: from the beginning, or for a
	// cursor that went back, from the end.
	Expired bool
	// More says that records are there to go on with at once, as far as that is
	// known without reading them: Match may select none.
	More bool
	// Missed is how many ephemeral events, of all that were published since the
	// cursor asked with, this page does not have and none will, Match left aside; -1
	// if that cannot be known, because the log was closed meanwhile.
	Missed int64
}

// Pager returns a reader of pages. It holds nothing until it is used.
func (l *Log) Pager() *Pager { return &Pager{log: l} }

// End returns the cursor of a reader who has handled everything so far: what is
// published from now on, and nothing else, comes in the page read with it.
func (p *Pager) End() (string, error) {
	at, err := p.at(cursor{seq: p.log.Len()})
	if err != nil {
		return "", err
	}
	t := p.log.Tail(at.seq)
	end := t.at(at.mark)
	p.stand(end, t)
	return end, nil
}

// Read returns the page that req asks for. It returns [ErrClosed] on a closed log,
// also if that is closed while it waits; ctx.Err() if ctx ends first; or an error
// of storage. What it had read by then is not lost: ask with the same cursor.
func (p *Pager) Read(ctx context.Context, req PageRequest) (Page, error) {
	if p.log.isClosed() {
		return Page{}, ErrClosed
	}
	if t := p.takeStanding(req.Cursor); t != nil {
		c, _ := parseCursor(req.Cursor) // it is one of ours
		return p.forward(ctx, req, t, Page{}, c.mark)
	}
	from, valid, err := p.find(req)
	page := Page{Expired: !valid}
	switch {
	case err != nil:
		return Page{}, err
	case from.back:
		return p.back(ctx, req, page, from.seq)
	}
	t := p.log.Tail(from.seq)
	if valid && req.Cursor != "" && !req.Persisted {
		page.Missed = from.missed(t)
	}
	return p.forward(ctx, req, t, page, from.mark)
}

// missed is how many ephemeral events were published between c and the making of
// t, as [Page].Missed says it.
func (c cursor) missed(t *Tail) int64 {
	if c.run != t.log.run || c.passed > t.passed {
		return -1
	}
	return int64(t.passed - c.passed)
}

// find returns the place that req begins at, and whether its cursor is valid.
func (p *Pager) find(req PageRequest) (from cursor, valid bool, err error) {
	from, valid = cursor{back: req.Backward}, true
	if req.Cursor != "" {
		asked, malformed := parseCursor(req.Cursor)
		if from = asked; malformed != nil {
			from, valid = cursor{back: req.Backward}, false
		} else if valid, err = p.isOurs(asked); !valid {
			from = cursor{back: asked.back}
		}
	}
	if from.back && (!valid || req.Cursor == "") {
		from.seq = p.log.Len() + 1
	}
	return from, valid, err
}

// isOurs reports whether c is of this history: record seq is the one it was.
func (p *Pager) isOurs(c cursor) (bool, error) {
	if c.seq > p.log.Len() {
		return false, nil
	}
	is, err := p.at(c)
	return err == nil && is.mark == c.mark, err
}

// at returns c with the mark of the record it names; 0 if it is before all.
func (p *Pager) at(c cursor) (cursor, error) {
	c.mark = 0
	if c.seq == 0 || c.back && c.seq == 1 {
		return c, nil
	}
	for rec, err := range p.log.Read(c.seq) {
		if err != nil {
			return cursor{}, err
		}
		c.mark = mark(rec.JSON)
		break
	}
	return c, nil
}
