package tui

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The bounds of what runs beside the loop.
const (
	// maxPosts is how many functions can wait for the loop. Further ones wait on their goroutines.
	maxPosts = 64
	// maxOrders is how many orders to the session can wait. A person does not type more.
	maxOrders = 256
	// orderTime bounds one order: a message may wait for hooks.
	orderTime = 2 * time.Minute
)

// beside runs work on a goroutine of its own, and what it returns on the loop. work ends soon after
// its context, which ends with the interface.
func (p *program) beside(work func(ctx context.Context) (then func())) {
	ctx := p.gone
	p.tasks.Go(func() {
		var then func()
		err := fault.Guard("tui.beside", func() error { then = work(ctx); return nil })
		if err != nil {
			then = func() { p.fail(err) }
		}
		p.post(then)
	})
}

// reading is something that is read beside the loop again and again. One is under way at a time, so
// that an older result never replaces a newer one.
type reading struct {
	busy bool
	next func(ctx context.Context) (then func()) // was asked for meanwhile
}

// begin reads at once, or when the reading under way has ended; of several that wait, the last one.
func (r *reading) begin(p *program, read func(ctx context.Context) (then func())) {
	if r.busy {
		r.next = read
		return
	}
	r.busy = true
	p.beside(func(ctx context.Context) func() {
		var then func()
		err := fault.Guard("tui.read", func() error { then = read(ctx); return nil })
		return func() {
			r.busy = false
			if next := r.next; next != nil {
				r.next = nil
				r.begin(p, next)
			}
			if err != nil {
				p.fail(err)
				return
			}
			then()
		}
	})
}

// post has the loop run a function. After the end of the loop it is dropped.
func (p *program) post(f func()) {
	if f == nil {
		return
	}
	select {
	case p.posts <- f:
	case <-p.gone.Done():
	}
}

// order is something that the session is to do. Orders are carried out in the order in which the
// user has given them.
type order struct {
	do   func(ctx context.Context) error
	then func(err error) // on the loop; nil: an error is shown
}

// tell gives an order to the session.
func (p *program) tell(do func(ctx context.Context) error, then func(err error)) {
	select {
	case p.orders <- order{do, then}:
	default:
		p.warn("the session does not answer; what you asked for was not done")
	}
}

// carryOut carries the orders out, until there can be no more.
func (p *program) carryOut() {
	for o := range p.orders {
		ctx, cancel := context.WithTimeout(p.gone, orderTime)
		err := fault.Guard("tui.order", func() error { return o.do(ctx) })
		cancel()
		p.post(func() {
			switch {
			case o.then != nil:
				o.then(err)
			case err != nil:
				p.fail(err)
			}
		})
	}
}

// fail shows an error.
func (p *program) fail(err error) {
	if err != nil && p.gone.Err() == nil {
		p.warn(p.Words(err))
	}
}

// warn shows a warning in the conversation.
func (p *program) warn(text string) {
	p.talk.Warn(text)
	p.stale = true
}

// note shows a notice in the conversation.
func (p *program) note(text string) {
	p.talk.Note(text)
	p.stale = true
}

// notice is a short text in the status line.
type notice struct {
	text  string
	until time.Time
}

// noticeTime is how long such a text is shown.
const noticeTime = 4 * time.Second

// say shows a text in the status line.
func (p *program) say(text string) {
	p.notice = notice{text, time.Now().Add(noticeTime)}
	p.stale = true
}
