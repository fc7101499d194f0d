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
// base URL that is wrong, Unavailable for what may pass.
func (c *Client) Stream(ctx context.Context, ep Endpoint, req Request, onDelta func(Delta)) (*Response, error) {
	if ep.Kind == Extension {
		return c.askAgent(ctx, ep, &req, onDelta)
	}
	x, err := newExchange(c, ep, &req, onDelta)
	if err != nil {
		return nil, err
	}
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		resp, failed := x.try(ctx)
		switch {
		case failed == nil:
			resp.Attempts = attempt
			return resp, nil
		case ctx.Err() != nil:
			return nil, ended(ctx, opStream, x.on)
		}
		wait, again := c.retry.after(attempt, waited, failed)
		if !again {
			return nil, failed.fault(opStream)
		}
		waited += wait
		c.announce(&req, attempt, wait, failed.fault(opStream))
		if sleep(ctx, wait); ctx.Err() != nil {
			return nil, ended(ctx, opStream, x.on)
		}
	}
}

// announce tells of a retry: the caller, who knows what the call is for, or else
// the log.
func (c *Client) announce(req *Request, attempt int, wait time.Duration, err error) {
	if req.OnRetry != nil {
		req.OnRetry(attempt, wait, err)
		return
	}
	c.log.Warn("a model call is tried again", "attempt", attempt, "wait", wait, "err", err)
}

// newExchange checks and encodes a call. Its errors are Invalid: nothing was sent.
func newExchange(c *Client, ep Endpoint, req *Request, onDelta func(Delta)) (*exchange, error) {
	u, err := ep.at("chat", "completions")
	if err != nil {
		return nil, fault.New(fault.Invalid, opStream, "", "%w", err)
	}
	if req.modelAt(&ep) == "" {
		return nil, fault.New(fault.Invalid, opStream, public(u), "%w", errors.New("no model named"))
	}
	body, err := encode(&ep, req)
	if err != nil {
		return nil, fault.New(fault.Invalid, opStream, public(u), "encode request: %w", err)
	}
	x := &exchange{client: c, url: u, on: public(u), header: ep.Header(req), body: body}
	x.header.Set("Content-Type", "application/json")
	if err := checkHeader(x.header); err != nil {
		return nil, fault.New(fault.Invalid, opStream, x.on, "%w", err)
	}
	if req.Stream {
		x.onDelta = onDelta
	}
	return x, nil
}
