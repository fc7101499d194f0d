package tui

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Reading is something that is read beside the interface again and again. One reading is under way at a
// time, so that an older result never replaces a newer one. Its methods are called in the interface. The
// zero value is ready for use.
type Reading struct {
	busy bool
	next func() // was asked for meanwhile
}

// Begin reads at once, or when the reading under way has ended; of several that wait, the last one. read
// returns what takes the result in the interface. failed takes its error there.
func (r *Reading) Begin(beside Beside, read func(ctx context.Context) (then func(), err error), failed func(err error)) {
	if r.busy {
		r.next = func() { r.Begin(beside, read, failed) }
		return
	}
	r.busy = true
	beside(func(ctx context.Context) func() {
		var then func()
		err := fault.Guard("tui.read", func() (err error) { then, err = read(ctx); return err })
		return func() {
			r.busy = false
			if err != nil {
				failed(err)
			} else {
				then()
			}
			if next := r.next; next != nil {
				r.next = nil
				next()
			}
		}
	})
}
