package eventlog

import (
	"slices"
	"time"
)

const (
	// maxParked bounds the tails that a pager keeps between pages. A client needs one
	// for each of its parts that reads with a cursor of its own.
	maxParked = 4

	// parkTime is how long a tail is kept between two pages. A client that polls comes
	// back at once or after some seconds; for one that does not, no queue shall grow.
	parkTime = time.Minute
)

// parked is a tail that a pager keeps until its reader asks for the next page.
type parked struct {
	at      string // the cursor that the reader was given
	tail    *Tail
	timeout *time.Timer
}

// Close frees the parked tails, and parks no more. Reads under way continue to their
// end. A second Close does nothing.
func (p *Pager) Close() {
	p.mu.Lock()
	left := p.parked
	p.parked, p.closed = nil, true
	p.mu.Unlock()
	for _, s := range left {
		s.timeout.Stop()
		s.tail.Close()
	}
}

// unpark returns the tail that is parked at a cursor; nil if there is none.
func (p *Pager) unpark(at string) *Tail {
	return p.take(func(s parked) bool { return s.at == at })
}

// take removes the first parked tail that fits, and returns it.
func (p *Pager) take(fits func(parked) bool) *Tail {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.parked, fits); i >= 0 {
		return p.takeAt(i)
	}
	return nil
}

// takeAt removes the parked tail at index i. The caller holds p.mu.
func (p *Pager) takeAt(i int) *Tail {
	s := p.parked[i]
	s.timeout.Stop()
	p.parked = slices.Delete(p.parked, i, i+1)
	return s.tail
}

// park keeps t for the reader that will come back with the cursor at.
func (p *Pager) park(at string, t *Tail) {
	if displaced := p.push(at, t); displaced != nil {
		displaced.Close()
	}
}

// push parks t, and returns the tail that is no longer parked because of it, if any.
func (p *Pager) push(at string, t *Tail) (displaced *Tail) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return t
	}
	timeout := time.AfterFunc(parkTime, func() {
		if p.take(func(s parked) bool { return s.tail == t }) != nil {
			t.Close()
		}
	})
	p.parked = append(p.parked, parked{at, t, timeout})
	if len(p.parked) > maxParked {
		displaced = p.takeAt(0)
	}
	return displaced
}
