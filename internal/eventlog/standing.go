package eventlog

import (
	"slices"
	"time"
)

const (
	// maxStanding bounds the tails that a pager keeps between pages. A client has
	// one for each part of it that reads on its own.
	maxStanding = 4

	// standTime is how long a tail waits for its reader to ask again. Who reads all
	// the time comes back at once, or after a pause of seconds; for who does not,
	// a queue shall not grow.
	standTime = time.Minute
)

// standing is a tail that waits for its reader to come back.
type standing struct {
	at      string // the cursor that the reader was given
	tail    *Tail
	timeout *time.Timer
}

// Close frees what stands, and lets nothing stand any more. Reads under way go on
// to their end. Closing twice does nothing.
func (p *Pager) Close() {
	p.mu.Lock()
	left := p.standing
	p.standing, p.closed = nil, true
	p.mu.Unlock()
	for _, s := range left {
		s.timeout.Stop()
		s.tail.Close()
	}
}

// takeStanding returns the tail that stands at a cursor, nil if none does.
func (p *Pager) takeStanding(at string) *Tail {
	return p.take(func(s standing) bool { return s.at == at })
}

// take removes the first tail that fits from what stands, and returns it.
func (p *Pager) take(fits func(standing) bool) *Tail {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.standing, fits); i >= 0 {
		return p.takeAt(i)
	}
	return nil
}

// takeAt is take for what stands at index i. The caller holds p.mu.
func (p *Pager) takeAt(i int) *Tail {
	s := p.standing[i]
	s.timeout.Stop()
	p.standing = slices.Delete(p.standing, i, i+1)
	return s.tail
}

// stand leaves t at the cursor with which its reader will come back.
func (p *Pager) stand(at string, t *Tail) {
	if gone := p.push(at, t); gone != nil {
		gone.Close()
	}
}

// push lets t stand, and returns the tail that has to go for it, if any.
func (p *Pager) push(at string, t *Tail) (gone *Tail) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return t
	}
	timeout := time.AfterFunc(standTime, func() {
		if p.take(func(s standing) bool { return s.tail == t }) != nil {
			t.Close()
		}
	})
	p.standing = append(p.standing, standing{at, t, timeout})
	if len(p.standing) > maxStanding {
		gone = p.takeAt(0)
	}
	return gone
}
