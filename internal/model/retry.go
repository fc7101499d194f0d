package model

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry bounds how a call is tried again. Only failures that may pass are retried: the
// statuses 408, 409, 429, 500, 502, 503, 504, 520 to 524 and 529, what an [ErrorTable] says of
// others, connections that cannot be made or break, and silence. A 429 for a used-up quota or
// weekly limit is not retried, and neither is a failure whose answer has the header
// x-should-retry: false. After the first piece of an answer, a call is tried again only if
// [Request.OnBroken] is set, at most maxBroken times.
type Retry struct {
	// Attempts is how many requests a call may take; 1 means no retry. Default: only Total bounds
	// them.
	Attempts int
	// First is the wait after the first failure, doubled after each further one up
	// to Most. A random part of up to half is subtracted, so that sessions that failed
	// together do not all retry at the same moment. Defaults 500 ms and 8 s.
	First, Most time.Duration
	// Overloaded takes the place of First after a failure of [CategoryOverloaded], and four times
	// Most that of Most. Default 2 s.
	Overloaded time.Duration
	// Total is for how long a call is tried again, from its first failure. The last try comes at
	// the end of that time. A provider that asks for a longer wait than is left, in headers or in
	// words, fails the call at once. Default 2 minutes.
	Total time.Duration
	// Hurried takes the place of a longer Total for a request with [Request.Hurried]. Default 10 s.
	Hurried time.Duration
	// Immediate leaves the waits out, for calls that are answered from a recording. They are
	// reported and counted all the same.
	Immediate bool
}

// maxBroken is how many times an answer that broke after its first piece is asked for again.
// Each has cost what the answer had until then, and a connection that always breaks at the same place does not get better.
const maxBroken = 3

// maxHopeful is how many requests a call takes that most likely keeps failing. A name server says that a
// host has no address for a moment while a network comes up, and of a mistyped name for ever. A server on this
// machine refuses connections for some seconds while it starts again, and for ever if nobody starts it. A client that
// carries the calls itself, and fails one, has its own reasons.
const maxHopeful = 5

func (r Retry) orDefault() Retry {
	return Retry{
		Attempts:   max(r.Attempts, 0),
		First:      positive(r.First, 500*time.Millisecond),
		Most:       positive(r.Most, 8*time.Second),
		Overloaded: positive(r.Overloaded, 2*time.Second),
		Total:      positive(r.Total, 2*time.Minute),
		Hurried:    positive(r.Hurried, 10*time.Second),

		Immediate: r.Immediate,
	}
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// total is for how long a request is tried again.
func (r Retry) total(req *Request) time.Duration {
	if req.Hurried {
		return min(r.Total, r.Hurried)
	}
	return r.Total
}

// after returns how long to wait after attempt failed (counted from 1), and
// whether to try again at all. left is what is left of the total time.
func (r Retry) after(attempt int, left time.Duration, e *Error) (time.Duration, bool) {
	switch {
	case !e.Retryable, r.Attempts > 0 && attempt >= r.Attempts, e.tries > 0 && attempt >= e.tries:
		return 0, false
	case e.RetryAfter > 0:
		wait := max(e.RetryAfter, r.First/2) // no shorter than without a word of the provider
		return wait, wait <= left
	case left <= 0:
		return 0, false
	}
	first, most := r.First, r.Most
	if e.Category == CategoryOverloaded {
		first, most = r.Overloaded, 4*r.Most
	}
	wait := min(first<<min(attempt-1, 20), most)
	wait -= rand.N(wait/2 + 1)
	return min(wait, left), true
}

// trials counts the failed attempts of a call.
type trials struct {
	failed  int           // attempts that [Retry] counts
	broken  int           // those that failed after the first piece of an answer
	since   time.Time     // of the first failure
	skipped time.Duration // waits that [Retry.Immediate] has left out
}

// again counts a failure. It returns how long to wait before the next attempt, how much of the
// total time is left then, and whether there is another attempt. Without one, the error says for how long
// the call was tried.
func (t *trials) again(r Retry, req *Request, e *Error) (wait, left time.Duration, again bool) {
	if t.failed++; t.failed == 1 {
		t.since = time.Now()
	}
	if e.Delivered {
		t.broken++
	}
	spent, total := time.Since(t.since)+t.skipped, r.total(req)
	left = total - spent
	if !e.Delivered || req.OnBroken != nil && t.broken <= maxBroken {
		wait, again = r.after(t.failed, left, e)
	}
	if again {
		return wait, left - wait, true
	}
	if e.Tried = t.failed; t.failed > 1 {
		e.TriedFor = spent
	}
	if e.Retryable && r.Attempts != 1 && e.RetryAfter > left {
		e.total = total
	}
	return 0, 0, false
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
