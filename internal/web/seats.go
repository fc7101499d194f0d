package web

import (
	"context"
	"errors"
	"time"
)

// take gives the caller a session to itself, until park. Whoever comes meanwhile is
// refused and not kept waiting: a client that asks twice would have both answers mixed,
// and a person sees at once that the first is still under way.
func (d *Door) take(ctx context.Context, id string) (*seat, error) {
	d.mu.Lock()
	s := d.seats[id]
	if s != nil && s.busy {
		d.mu.Unlock()
		return nil, refused("busy", "The answer before is still under way. Wait for it, or stop it, and ask again.")
	}
	if s == nil {
		s = &seat{id: id}
		d.seats[id] = s
	}
	s.busy = true
	leaving := d.unused()
	d.mu.Unlock()
	for _, old := range leaving {
		d.leave(ctx, old)
	}
	if s.gone() { // somebody else has closed or deleted it
		s.client.Tail().Close()
		s.visit = visit{}
	}
	return s, nil
}

// unused takes out the seats that have not been used for long, and of more than may be
// kept the oldest. It is called with d.mu held.
func (d *Door) unused() (out []*seat) {
	for {
		var oldest *seat
		for _, s := range d.seats {
			if !s.busy && (oldest == nil || s.used.Before(oldest.used)) {
				oldest = s
			}
		}
		if oldest == nil || len(d.seats) <= d.opts.Kept && time.Since(oldest.used) < seatTime {
			return out
		}
		delete(d.seats, oldest.id)
		out = append(out, oldest)
	}
}

// seatTime is how long a session that nobody asks anything stays in memory, with its
// shells and what they run: a person who reads an answer does not notice. What it
// waits for stays open after that, too. Nothing happens at that moment: seats are
// looked at when the next request comes.
const seatTime = 30 * time.Minute

// park gives a session back. One that never came to be is forgotten.
func (d *Door) park(s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.busy, s.used = false, time.Now()
	if s.client == nil {
		delete(d.seats, s.id)
	}
}

// leaveWait bounds how long a session may take to leave memory.
const leaveWait = 5 * time.Second

// leave has a session leave memory. What it waits for stays open.
func (d *Door) leave(ctx context.Context, s *seat) {
	if s.client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWait)
	defer cancel()
	if err := s.client.Suspend(ctx); err != nil {
		d.opts.Logger.Warn("a session was not left cleanly", "session", s.id, "err", err)
	}
}

// Close leaves every session; call it when no request is under way any more. What
// people are still to answer stays open, and can be answered through the next Door on
// the same disk.
func (d *Door) Close(ctx context.Context) error {
	d.end(errShutdown)
	d.runs.Wait() // each bounds its own end
	d.mu.Lock()
	seats := d.seats
	d.seats = map[string]*seat{}
	d.mu.Unlock()
	var failed error
	for _, s := range seats {
		if s.client != nil {
			failed = errors.Join(failed, s.client.Suspend(ctx))
		}
	}
	return failed
}
