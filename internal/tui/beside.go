package tui

import (
	"context"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The bounds of the work beside the loop.
const (
	// maxPosts is how many functions can wait for the loop. Further ones wait on their goroutines.
	maxPosts = 64
	// maxOrders is how many orders to the session can wait. A person does not type more.
	maxOrders = 256
	// orderTime bounds one order: a message may wait for hooks.
	orderTime = 2 * time.Minute
	// endTime bounds the orders that are left when the user leaves: what the user has sent before is
	// not lost, and a session that does not answer does not keep the program.
	endTime = 10 * time.Second
)

// work is the work beside the loop: the goroutines, and the channels on which they hand functions to
// the loop. The loop owns it and calls its methods, but for post.
type work struct {
	posts  chan func()
	orders chan order // to the session, carried out one after the other
	tasks  sync.WaitGroup
	gone   context.Context // ends with the interface
	hangUp context.CancelFunc
	late   context.Context // of the orders; ends endTime after gone
	giveUp context.CancelFunc
	fail   func(err error) // shows an error; called on the loop
}

// newWork begins with nothing to do. The work gets the values of ctx, and does not end with it.
func newWork(ctx context.Context, fail func(err error)) *work {
	w := &work{posts: make(chan func(), maxPosts), orders: make(chan order, maxOrders), fail: fail}
	w.gone, w.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	w.late, w.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	w.tasks.Go(w.carryOut)
	return w
}

// end lets no further work begin, and waits for the goroutines, for the orders at most endTime. The
// functions that they still hand over are dropped.
func (w *work) end() {
	close(w.orders)
	w.hangUp()
	defer time.AfterFunc(endTime, w.giveUp).Stop()
	defer w.giveUp()
	done := make(chan struct{})
	go func() { w.tasks.Wait(); close(done) }()
	for {
		select {
		case <-w.posts:
		case <-done:
			return
		}
	}
}

// beside runs a function on a goroutine of its own, and the function that it returns on the loop. do
// ends soon after its context, which ends with the interface.
func (w *work) beside(do func(ctx context.Context) (then func())) {
	w.tasks.Go(func() {
		var then func()
		err := fault.Guard("tui.beside", func() error { then = do(w.gone); return nil })
		if err != nil {
			then = func() { w.fail(err) }
		}
		w.post(then)
	})
}

// post has the loop run a function. After the end of the loop it is dropped.
func (w *work) post(f func()) {
	if f == nil {
		return
	}
	select {
	case w.posts <- f:
	case <-w.gone.Done():
	}
}

// order is a request to the session. Orders are carried out in the order in which the user has given
// them.
type order struct {
	do   func(ctx context.Context) error
	then func(err error) // on the loop; nil: an error is shown
}

// order adds an order. It reports false if too many wait.
func (w *work) order(o order) bool {
	select {
	case w.orders <- o:
		return true
	default:
		return false
	}
}

// carryOut carries the orders out, until there can be no more.
func (w *work) carryOut() {
	for o := range w.orders {
		ctx, cancel := context.WithTimeout(w.late, orderTime)
		err := fault.Guard("tui.order", func() error { return o.do(ctx) })
		cancel()
		w.post(func() {
			if o.then != nil {
				o.then(err)
				return
			}
			w.fail(err)
		})
	}
}
