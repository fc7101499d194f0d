package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
)

// Departing is a [Peer] that knows whether its client has closed the connection. A connection
// notices that only when it has read everything that the client sent, which may be after
// another client has resumed the session. Whether a resume counts as the first one after the
// last client left must not depend on which connection is read first.
type Departing interface {
	Peer
	// AwaitDeparture returns at once if the client may still be connected. If the client has
	// closed the connection, AwaitDeparture returns when the client has left its sessions, when
	// ctx ends, or after a bounded time.
	AwaitDeparture(ctx context.Context)
}

// awaitDepartures waits until the clients that had closed their connections before the call
// have left the session. It does not wait for the client that resumes the session.
func (e attachment) awaitDepartures(ctx context.Context, replacing *Client) error {
	others, err := mailbox.Ask(ctx, e.s.log.Do, func() ([]*Client, error) { return slices.Clone(e.s.clients), nil })
	if err != nil {
		return err
	}
	var waits sync.WaitGroup
	for _, c := range others {
		if g, ok := c.peer.(guarded); ok && c != replacing {
			waits.Go(func() { g.awaitDeparture(ctx) })
		}
	}
	waits.Wait()
	return nil
}

// awaitDeparture returns at once for a peer that cannot be asked.
func (g guarded) awaitDeparture(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			g.logs.Error("a client's connection panicked", "panic", fmt.Sprint(p), "stack", trace())
		}
	}()
	if d, ok := g.Peer.(Departing); ok {
		d.AwaitDeparture(ctx)
	}
}
