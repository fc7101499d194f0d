package model

import (
	"context"
	"errors"
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
	resp, err := c.attempts(ctx, d, &ep, &req, onDelta)
	if err != nil {
		return nil, err
	}
	if len(resp.Reasoning) > 0 {
		origin := OriginAt(&ep, &req)
		for i := range resp.Reasoning {
			resp.Reasoning[i].Origin = origin
		}
	}
	return resp, nil
}

// attempts tries a call as often as the retry rules allow.
func (c *Client) attempts(ctx context.Context, d Dialect, ep *Endpoint, req *Request, onDelta func(Delta)) (*Response, error) {
	var waited time.Duration
	var call Call
	for attempt := 1; ; attempt++ {
		if call == nil || ep.Token != nil { // a token is for one attempt
			var err error
			if call, err = c.prepare(ctx, d, ep, req); err != nil {
				return nil, err
			}
		}
		resp, err := call.Try(ctx, onDelta)
		switch {
		case err == nil:
			resp.Attempts = attempt
			return resp, nil
		case ctx.Err() != nil:
			return nil, ended(ctx, opStream, call.Address())
		}
		err = redacted(err, c.secretsOf(ep, req))
		failed, ok := err.(*Error)
		if !ok {
			return nil, asFault(err, call.Address())
		}
		wait, again := c.retry.after(attempt, waited, failed)
		if !again {
			return nil, failed.fault(opStream)
		}
		waited += wait
		c.announce(req, attempt, wait, failed.fault(opStream))
		if sleep(ctx, wait); ctx.Err() != nil {
			return nil, ended(ctx, opStream, call.Address())
		}
	}
}

// prepare encodes a call, with a fresh token if the endpoint has a source of them.
func (c *Client) prepare(ctx context.Context, d Dialect, ep *Endpoint, req *Request) (Call, error) {
	if err := ep.renew(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ended(ctx, opStream, PublicAddress(ep.BaseURL))
		}
		return nil, err
	}
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
func (c *Client) announce(req *Request, attempt int, wait time.Duration, err error) {
	if c.onRetry != nil {
		c.onRetry(attempt+1, c.retry.Attempts, wait, err)
	}
	if req.OnRetry != nil {
		req.OnRetry(attempt, wait, err)
		return
	}
	c.log.Warn("a model call is tried again", "attempt", attempt, "wait", wait, "err", err)
}
