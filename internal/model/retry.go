package model

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry bounds how a call is tried again. Only failures that may pass are retried: the
// statuses 408, 409, 429, 500, 502, 503, 504, 520 to 524 and 529, what an [ErrorTable] says of
// others, and broken connections, in all cases before any delta was delivered. A 429 for a used-up
// quota or weekly limit is not retried, and neither is silence, nor a failure whose answer has the
// header x-should-retry: false.
type Retry struct {
	// Attempts is how many requests a call may take. Default 4; 1 means no retry.
	Attempts int
	// First is the wait after the first failure, doubled after each further one up
	// to Most. A random part of up to half is subtracted, so that sessions that failed
	// together do not all retry at the same moment. Defaults 500 ms and 8 s.
	First, Most time.Duration
	// Overloaded takes the place of First after a failure of [CategoryOverloaded], and four times
	// Most that of Most. Default 2 s.
	Overloaded time.Duration
	// Asked is the longest wait that a provider may ask for, in headers or in words. A longer one
	// fails the call at once. Default 60 s.
	Asked time.Duration
	// Total bounds the sum of the waits of a call. Default 90 s.
	Total time.Duration
	// Immediate leaves the waits out, for calls that are answered from a recording. They are
	// reported and counted all the same.
	Immediate bool
}

func (r Retry) orDefault() Retry {
	return Retry{
		Attempts:   positive(r.Attempts, 4),
		First:      positive(r.First, 500*time.Millisecond),
		Most:       positive(r.Most, 8*time.Second),
		Overloaded: positive(r.Overloaded, 2*time.Second),
		Asked:      positive(r.Asked, 60*time.Second),
		Total:      positive(r.Total, 90*time.Second),

		Immediate: r.Immediate,
	}
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// after returns how long to wait after attempt failed (counted from 1), and
// whether to try again at all. waited is the sum of earlier waits.
func (r Retry) after(attempt int, waited time.Duration, e *Error) (time.Duration, bool) {
	if !e.Retryable || attempt >= r.tries(e) || e.RetryAfter > r.Asked {
		return 0, false
	}
	wait := e.RetryAfter
	if wait == 0 {
		first, most := r.First, r.Most
		if e.Category == CategoryOverloaded {
			first, most = r.Overloaded, 4*r.Most
		}
		wait = min(first<<min(attempt-1, 20), most)
		wait -= rand.N(wait/2 + 1)
	}
	return wait, waited+wait <= r.Total
}

// tries is how many requests a call may take that fails as e did.
func (r Retry) tries(e *Error) int {
	if e.tries > 0 {
		return min(r.Attempts, e.tries)
	}
	return r.Attempts
}

// sleep waits for d, or less if ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
