package eventlog

import (
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// maxParked bounds the tails that a pager keeps between pages. A client needs one
	// for each of its parts that reads with a cursor of its own.
	maxParked = 4

	// parkTime is how long a tail is kept between two pages. A client that polls comes back
	// within seconds; for a client that does not come back, the queue must not grow.
	parkTime = time.Minute
)

// parked is a tail that a pager keeps until its reader asks for the next page.
type parked struct {
	at      string // the cursor that the reader was given
	tail    *Tail
	timeout *time.Timer
}

// Close frees the parked tails, and parks no more. It waits for tails that are being freed
// because their time is over. Reads under way continue to their end. A second Close does
// nothing.
func (p *Pager) Close() {
	p.mu.Lock()
	left := p.parked
	p.parked, p.closed = nil, true
	p.mu.Unlock()
	p.expiring.Wait()
	for _, s := range left {
		s.timeout.Stop()
		s.tail.Close()
	}
}

// unpark returns the tail that is parked at a cursor; nil if there is none.
func (p *Pager) unpark(at string) *Tail {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.parked, func(s parked) bool { return s.at == at }); i >= 0 {
		return p.takeAt(i)
	}
	return nil
}

// expire removes a tail whose time is over, and reports false if it is no longer parked.
// The caller closes it, and Close waits for that.
func (p *Pager) expire(t *Tail) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.parked, func(s parked) bool { return s.tail == t })
	if i < 0 {
		return false
	}
	p.takeAt(i)
	p.expiring.Add(1)
	return true
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
		if p.expire(t) {
			defer p.expiring.Done()
			_ = fault.Guard("eventlog.Pager", func() error { t.Close(); return nil }) // the last tail closes the stream, which may be anybody's
		}
	})
	p.parked = append(p.parked, parked{at, t, timeout})
	if len(p.parked) > maxParked {
		displaced = p.takeAt(0)
	}
	return displaced
}
