package mailbox

import (
	"context"
	"sync/atomic"
)

// Runner runs a function on some goroutine and returns its error: [Mailbox.Post], or a
// function that adds something to it. It may return before the function does, if ctx ends,
// and it may not run the function at all.
type Runner func(ctx context.Context, f func() error) error

// Ask runs f with run and returns the result of f. If run returns without it, because ctx
// has ended or f was not run, the result is the zero value. f must not write variables of
// the caller if ctx can end.
func Ask[T any](ctx context.Context, run Runner, f func() (T, error)) (result T, err error) {
	results := make(chan T, 1)
	err = run(ctx, func() error {
		result, err := f()
		results <- result
		return err
	})
	select {
	case result = <-results:
	default:
	}
	return result, err
}

// Deliver is [Ask] for a result that somebody must take care of. If ctx ends while f runs,
// either Deliver returns the result of f and no error, or f's goroutine calls abandoned
// with it. A result that comes with an error is not delivered and not abandoned. run must
// return an error if it does not run f.
func Deliver[T any](ctx context.Context, run Runner, f func() (T, error), abandoned func(T)) (result T, err error) {
	var settled atomic.Bool // by the first: f has a result, or the caller returns without one
	results := make(chan T, 1)
	err = run(ctx, func() error {
		result, err := f()
		switch {
		case err != nil:
			return err
		case settled.CompareAndSwap(false, true):
			results <- result
		default:
			abandoned(result)
		}
		return nil
	})
	if err != nil && settled.CompareAndSwap(false, true) {
		return result, err
	}
	return <-results, nil
}
