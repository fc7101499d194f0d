package model

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const opStream = "model.Stream"

// Stream makes one model call and returns the whole answer.
//
// With [Request.Stream] set, onDelta gets each piece as it arrives, in order, on
// this goroutine; it may be nil. An endpoint that answers a stream whole yields
// its text as one delta; one that streams unasked is read all the same, without
// deltas.
//
// Errors are *[fault.Error]: Canceled if ctx was canceled, within milliseconds
// whatever the provider does; otherwise there is an *[Error] inside, and the kind
// is Denied for a credential or quota, NotFound for 404, Invalid for a request or
// base URL that is wrong, Unavailable for failures that may pass.
func (c *Client) Stream(ctx context.Context, ep Endpoint, req Request, onDelta func(Delta)) (*Response, error) {
	d, err := c.dialect(ep.Dialect)
	if err != nil {
		return nil, err
	}
	if !req.Stream {
		onDelta = nil
	}
	names := renamedIn(req.Tools)
	req.Messages = calledByWireName(req.Messages)
	a := &attempts{client: c, dialect: d, ep: &ep, req: &req, onDelta: names.deltas(onDelta)}
	resp, err := a.run(ctx)
	if err != nil {
		return nil, err
	}
	for i := range resp.ToolCalls {
		resp.ToolCalls[i].Name = names.own(resp.ToolCalls[i].Name)
	}
	c.seal(&ep, &req, resp)
	return resp, nil
}

// attempts is one call, tried and repaired as often as the rules allow. One goroutine uses it.
type attempts struct {
	client  *Client
	dialect Dialect
	ep      *Endpoint
	req     *Request
	onDelta func(Delta)

	key    string  // of what is remembered
	before Request // as it was before the first repair
	made   []fix   // the repairs so far
	notes  []string
	trials trials
	failed int // attempts, but for those of which the server said that it loads the model

	loading time.Time     // since when the server says that it loads the model; zero: it does not
	skipped time.Duration // waits for that which [Retry.Immediate] has left out
}

func (a *attempts) run(ctx context.Context) (*Response, error) {
	c := a.client
	effort, socket := a.req.ReasoningEffort, a.ep.WebSocket
	a.key = c.remembered.key(a.ep, a.req)
	c.remembered.apply(a.key, a.ep, a.req)
	if err := a.choose(); err != nil {
		return nil, err
	}
	a.before = *a.req
	a.req.flight = c.flights.begin(a.ep, a.req.OnWaiting)
	defer a.req.flight.end()
	var call Call
	leave := func() {
		if call != nil {
			call.Close()
			call = nil
		}
	}
	defer leave()
	for {
		if a.progress() || a.ep.Token != nil { // a token is for one attempt
			leave()
		}
		if call == nil {
			var err error
			if call, err = c.prepare(ctx, a.dialect, a.ep, a.req); err != nil {
				return nil, err
			}
		}
		resp, err := a.try(ctx, call)
		if err == nil {
			resp.ended()
		}
		switch {
		case ctx.Err() != nil && err != nil:
			return nil, ended(ctx, opStream, call.Address())
		case err == nil && withheld(resp):
			return nil, withholding(resp, call.Address()).fault(opStream)
		case err == nil:
			resp.Attempts, resp.Notes = a.failed+1, a.notes
			resp.OverHTTP = socket && !a.ep.WebSocket
			resp.WithoutEffort = effort != "" && a.req.ReasoningEffort == ""
			c.remembered.learn(a.key, a.made, &a.before)
			return resp, nil
		}
		err = redacted(err, c.secretsOf(a.ep, a.req))
		failed, ok := err.(*Error)
		if !ok {
			return nil, asFault(err, call.Address())
		}
		changed, err := a.after(ctx, failed, call.Address())
		if err != nil {
			return nil, err
		}
		if changed {
			leave()
		}
	}
}

// after does what a failed attempt needs before another one, and reports whether the request has changed; the
// error is the end of the call.
func (a *attempts) after(ctx context.Context, e *Error, address string) (changed bool, err error) {
	if e.loading && !e.Delivered {
		return false, a.load(ctx, e, address)
	}
	a.failed++
	a.loading, a.skipped = time.Time{}, 0
	if a.ep.anotherKey(ctx, e) || a.repair(e) {
		return true, nil
	}
	return false, a.wait(ctx, e, address)
}

// try makes one attempt.
func (a *attempts) try(ctx context.Context, call Call) (*Response, error) {
	defer a.begin()()
	return call.Try(ctx, a.onDelta)
}

// choose finds the dialect of the endpoint, which a repair may have changed.
func (a *attempts) choose() (err error) {
	a.dialect, err = a.client.dialect(a.ep.Dialect)
	return err
}

// repair changes the request so that the failure does not happen again, and reports whether it
// has: each repair is made once, and only before a piece of the answer went out.
func (a *attempts) repair(e *Error) bool {
	f, ok := fixOf(e)
	if !ok || e.Delivered || slices.ContainsFunc(a.made, func(m fix) bool { return m.kind == f.kind }) {
		return false
	}
	ep, req, note := *a.ep, *a.req, f.note()
	if !f.apply(a.ep, a.req) {
		return false
	}
	if a.choose() != nil { // this program does not speak the dialect
		*a.ep, *a.req = ep, req
		return a.choose() != nil
	}
	a.made = append(a.made, f)
	if note != "" {
		a.notes = append(a.notes, note)
	}
	a.client.log.Debug("a refused model call is made again with a changed request",
		"repair", string(f.kind), "number", f.n, "tool", f.name, "model", a.req.ModelAt(a.ep), "address", e.URL, "err", e)
	return true
}

// wait waits before the next attempt; the error is the end of the call.
func (a *attempts) wait(ctx context.Context, e *Error, address string) error {
	wait, left, again := a.trials.again(a.client.retry, a.req, e)
	failed := e.fault(opStream)
	if !again {
		return failed
	}
	if e.Delivered {
		a.req.OnBroken(failed)
	}
	a.client.announce(a.req, a.trials.failed, wait, left, failed)
	if a.client.retry.Immediate {
		a.trials.skipped += wait
		wait = 0
	}
	if sleep(ctx, wait); ctx.Err() != nil {
		return ended(ctx, opStream, address)
	}
	return nil
}

// prepare encodes a call, with a fresh token if the endpoint has a source of them.
func (c *Client) prepare(ctx context.Context, d Dialect, ep *Endpoint, req *Request) (Call, error) {
	if err := ep.foreign(req); err != nil {
		return nil, err
	}
	if err := ep.renew(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ended(ctx, opStream, PublicAddress(ep.BaseURL))
		}
		return nil, err
	}
	c.leaveOut(d, ep, req)
	call, err := d.Prepare(ctx, c, ep, req)
	if err != nil {
		return nil, redacted(asFault(err, ep.BaseURL), c.secretsOf(ep, req))
	}
	return call, nil
}

// asFault returns a dialect's error as this package's: Invalid, if it says nothing else.
func asFault(err error, address string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return invalid(opStream, PublicAddress(address), "%w", err)
}

// announce reports a retry to the caller, which knows what the call is for, or else to
// the log.
func (c *Client) announce(req *Request, attempt int, wait, left time.Duration, err error) {
	if c.onRetry != nil {
		c.onRetry(attempt+1, wait, left, err)
	}
	if req.OnRetry != nil {
		req.OnRetry(attempt+1, wait, left, err)
		return
	}
	c.log.Warn("a model call is tried again", "attempt", attempt, "wait", wait, "err", err)
}
