package tui

import (
	"context"
	"time"
)

// The times of the guard of an Enter in the empty box: it continues what is held, or sends what is queued, so
// it must not be one that was meant for something else, nor that of a key that is held down.
const (
	// holdSettle is how long a hold has to have been on the screen before it can end.
	holdSettle = 500 * time.Millisecond
	// heldDown is the longest time between two keys of one that is held down. Source: keyboards repeat a
	// key 10 to 30 times a second.
	heldDown = 150 * time.Millisecond
	// heldFirst is the longest time before the first repetition. Source: keyboards wait 250 ms to 1 s.
	heldFirst = time.Second
)

// presses is the last key, and when it was pressed before, if no other key was pressed between.
type presses struct {
	name       string
	at, before time.Time
}

func (k *presses) press(name string, now time.Time) {
	before := k.at
	if k.name != name {
		before = time.Time{}
	}
	*k = presses{name, now, before}
}

// returned says that the terminal was another program's until now, such as the shell: an Enter may be the
// repetition of one that was pressed there.
func (k *presses) returned(now time.Time) { *k = presses{name: "enter", at: now} }

// handing guards the handing over of what is queued.
type handing struct {
	shown time.Time // since when the screen shows the hold; zero: it does not
	done  time.Time // when something was handed over last
}

// painted says whether the screen shows that something is held.
func (h *handing) painted(held bool, now time.Time) {
	switch {
	case !held:
		h.shown = time.Time{}
	case h.shown.IsZero():
		h.shown = now
	}
}

// mean reports whether the user means the last key to hand over what waits in q.
func (h *handing) mean(q Queue, k presses) bool {
	since := func(t time.Time) time.Duration { return k.at.Sub(t) } // long, for the zero time
	if since(k.before) < heldDown || since(h.done) < heldFirst {
		return false
	}
	return !q.holds() || !h.shown.IsZero() && since(h.shown) >= holdSettle && since(k.before) >= heldFirst
}

// holds reports whether something waits until the user continues it.
func (q Queue) holds() bool { return q.Interrupted || q.Held && len(q.Items) > 0 }

// handOver sends what is queued now. A key that was held down, or that came before the user can have seen
// that something is held, does nothing.
func (p *program) handOver() {
	if len(p.queue.Items) == 0 && !p.queue.Interrupted || !p.handing.mean(p.queue, p.pressed) {
		return
	}
	p.handing.done = p.pressed.at
	s := p.joined.Session
	p.tell(func(ctx context.Context) error { return s.HandOver(ctx) }, func(err error) {
		p.fail(err)
		p.readQueue()
	})
}
