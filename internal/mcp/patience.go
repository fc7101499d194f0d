package mcp

import (
	"context"
	"sync"
	"time"
)

// patience ends a context when a time is over. The clock stops while a hold is open, for example while
// a person is asked.
type patience struct {
	mu    sync.Mutex    // guards the rest
	rest  time.Duration // from since on
	since time.Time     // when the timer was set
	held  int
	timer *time.Timer
}

// newPatience returns a context that ends with the cause when the time is over. end releases what it uses.
func newPatience(ctx context.Context, limit time.Duration, cause error) (_ context.Context, p *patience, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p = &patience{rest: limit, since: time.Now(), timer: time.AfterFunc(limit, func() { cancel(cause) })}
	return ctx, p, func() {
		p.timer.Stop()
		cancel(context.Canceled)
	}
}

// hold stops the clock until release is called, once.
func (p *patience) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held++; p.held == 1 && p.timer.Stop() {
		p.rest -= time.Since(p.since)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held--; p.held == 0 {
			p.since = time.Now()
			p.timer.Reset(max(p.rest, 0))
		}
	}
}
