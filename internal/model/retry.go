package model

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry bounds how a call is tried again. Only failures that may pass are retried: the
// statuses 429, 500, 502, 503, 504 and 529, and broken connections, in both cases before
// any delta was delivered. A 429 for a used-up quota or weekly limit is not retried, and
// neither is silence.
type Retry struct {
	// Attempts is how many requests a call may take. Default 4; 1 means no retry.
	Attempts int
	// First is the wait after the first failure, doubled after each further one up
	// to Most. A random part of up to half is subtracted, so that sessions that failed
	// together do not all retry at the same moment. Defaults 500 ms and 8 s.
	First, Most time.Duration
	// Asked is the longest Retry-After that a call waits for. A longer one fails the
	// call at once. Default 60 s.
	Asked time.Duration
	// Total bounds the sum of the waits of a call. Default 90 s.
	Total time.Duration
}

func (r Retry) orDefault() Retry {
	return Retry{
		Attempts: positive(r.Attempts, 4),
		First:    positive(r.First, 500*time.Millisecond),
		Most:     positive(r.Most, 8*time.Second),
		Asked:    positive(r.Asked, 60*time.Second),
		Total:    positive(r.Total, 90*time.Second),
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
	if !e.Retryable || attempt >= r.Attempts || e.RetryAfter > r.Asked {
		return 0, false
	}
	wait := e.RetryAfter
	if wait == 0 {
		wait = min(r.First<<min(attempt-1, 30), r.Most)
		wait -= rand.N(wait/2 + 1)
	}
	return wait, waited+wait <= r.Total
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
