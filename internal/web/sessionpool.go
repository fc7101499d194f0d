package web

import (
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// acquire gives the caller a session to itself, until release. Another request for the
// session is refused meanwhile, not queued: otherwise a client that asks twice would
// get both answers mixed, and a user sees at once that the first is still under way.
func (d *Door) acquire(ctx context.Context, id string) (*openSession, error) {
	d.mu.Lock()
	s := d.open[id]
	if s != nil && s.busy {
		d.mu.Unlock()
		return nil, refused("busy", "The previous answer is still being written. Wait for it, or stop it, and ask again.")
	}
	if s == nil {
		s = &openSession{id: id}
		d.open[id] = s
	}
	s.busy = true
	leaving := d.unused()
	d.mu.Unlock()
	for _, old := range leaving {
		d.leave(ctx, old)
	}
	if s.closed() { // another client has closed or deleted the session
		s.client.Tail().Close()
		s.sessionView = sessionView{}
	}
	return s, nil
}

// unused removes the sessions that have not been used for long, and the oldest of too
// many. The caller holds d.mu.
func (d *Door) unused() (out []*openSession) {
	for {
		var oldest *openSession
		for _, s := range d.open {
			if !s.busy && (oldest == nil || s.used.Before(oldest.used)) {
				oldest = s
			}
		}
		if oldest == nil || len(d.open) <= d.opts.Kept && time.Since(oldest.used) < idleSessionTime {
			return out
		}
		delete(d.open, oldest.id)
		out = append(out, oldest)
	}
}

// idleSessionTime is how long a session without requests stays in memory, with its
// shells and their processes. Open questions stay open after that. Sessions are looked
// at when the next request comes, not at that moment.
const idleSessionTime = 30 * time.Minute

// release gives a session back. A session that was never opened is forgotten.
func (d *Door) release(s *openSession) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.busy, s.used = false, time.Now()
	if s.client == nil {
		delete(d.open, s.id)
	}
}

// leaveWait bounds how long a session may take to leave memory.
const leaveWait = 5 * time.Second

// leave makes a session leave memory. Its open questions stay open.
func (d *Door) leave(ctx context.Context, s *openSession) {
	if s.client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWait)
	defer cancel()
	if err := s.client.Suspend(ctx); err != nil {
		d.opts.Logger.Warn("a session was not left cleanly", "session", s.id, "err", err)
	}
}

// Close makes every session leave memory; call it when no request is under way any
// more. Open questions stay open, and can be answered through the next Door on the same
// disk. [fault.Unavailable] if an answer is still under way when ctx ends; then no session has left.
func (d *Door) Close(ctx context.Context) error {
	d.end(errShutdown)
	ended := make(chan struct{})
	go func() { // ends soon, now that the context of the runs has
		d.runs.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "web.Close", "", "answers to chats are still under way: %w", ctx.Err())
	}
	d.mu.Lock()
	open := d.open
	d.open = map[string]*openSession{}
	d.mu.Unlock()
	var failed error
	for _, s := range open {
		if s.client != nil {
			failed = errors.Join(failed, s.client.Suspend(ctx))
		}
	}
	return failed
}
