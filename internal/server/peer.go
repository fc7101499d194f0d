package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// departWait bounds how long a resume waits until another client, which has closed its
// connection, has left the session. A client that stopped sending may still read its last
// answers, for five seconds.
const departWait = detachWait

// peer is the connection as a session uses it to call the client.
type peer struct{ c *conn }

// Call implements [session.Peer]. An error of the client becomes one of kind Internal
// with its text, or NotFound if the client does not have the method.
func (p peer) Call(ctx context.Context, method string, params, result any) error {
	answer, err := p.c.rpc.Call(ctx, method, params)
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused) && refused.Code == jsonrpc.MethodNotFound:
		return fault.New(fault.NotFound, "client."+method, "", "%s", refused.Message)
	case errors.As(err, &refused):
		return fault.New(fault.Internal, "client."+method, "", "%s", refused.Message)
	case err != nil:
		return err
	case result == nil || len(answer) == 0 || string(answer) == "null":
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fault.New(fault.Invalid, "client."+method, "", "the answer cannot be read: %w", fault.JSON(err))
	}
	return nil
}

// ask is [peer.Call] for something that a session waits for: after the time of wait it fails, and says so.
func (p peer) ask(ctx context.Context, wait time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("the client has not answered %s within %v", method, wait))
	defer cancel()
	err := p.Call(ctx, method, params, result)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && p.c.gone():
		return fmt.Errorf("the client that answers %s has left", method)
	case err != nil: // it is told to other clients and to the model, and the log keeps it
		return fault.New(fault.KindOf(err), "client."+method, "", "%s", fault.Bounded(fault.Message(err)))
	}
	return nil
}

// AwaitDeparture implements [session.Departing].
func (p peer) AwaitDeparture(ctx context.Context) {
	if !p.c.gone() {
		return
	}
	limit := time.NewTimer(departWait)
	defer limit.Stop()
	select {
	case <-p.c.left:
	case <-ctx.Done():
	case <-limit.C:
		p.c.srv.opts.Logger.Warn("a client that has gone has not left its sessions yet", "after", departWait)
	}
}
