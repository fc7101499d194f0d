package model

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"
)

// Dialect is a protocol that models are called by. Safe for concurrent use.
//
// [HTTP] makes one of a [Protocol]. A dialect with a transport of its own implements the
// interface itself; if it keeps connections, it keeps them between calls in its own
// value, which serves all endpoints of a [Client].
type Dialect interface {
	// Name is what [Endpoint.Dialect] says to choose this dialect.
	Name() string
	// Prepare checks and encodes a call. Its errors mean that nothing was sent; they are
	// Invalid unless they are a [*fault.Error].
	Prepare(ctx context.Context, c *Client, ep *Endpoint, r *Request) (Call, error)
	// Models lists what an endpoint offers, in its order.
	Models(ctx context.Context, c *Client, ep *Endpoint) ([]Info, error)
}

// Call is a request that is ready to be sent, as often as [Retry] allows. One goroutine
// uses it.
type Call interface {
	// Address is where the call goes, as errors and logs may show it.
	Address() string
	// Try makes one attempt. It calls onDelta, if that is not nil, for each piece of the
	// answer as it arrives, on this goroutine, and ends soon after ctx.
	//
	// An [*Error] with Retryable set may be tried again. Any other
	// [*Error] is the end of the call, and so is any other error, which should be a
	// [*fault.Error].
	Try(ctx context.Context, onDelta func(Delta)) (*Response, error)
	// Close is called once, after the last attempt.
	Close()
}

// Transport sends the requests; nil: the dialect chooses.
func (c *Client) Transport() http.RoundTripper { return c.transport }

// TLS has the certificates for encrypted connections; nil: those of the system.
func (c *Client) TLS() *tls.Config {
	if c.tls == nil {
		return nil
	}
	return c.tls()
}

// Idle is how long an agent may stay silent: [Options.Idle], or else 5 minutes. Models have
// [Client.Silence].
func (c *Client) Idle() time.Duration { return positive(c.idle, silenceElsewhere) }
