package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
)

// Departing is a [Peer] that can be asked whether its client has gone. A connection learns
// of that only when it has read everything that the client sent, which may be after another
// client has resumed the session. Whether a resume is the first one after the last
// client left must not depend on which connection is read first.
type Departing interface {
	Peer
	// AwaitDeparture returns at once if the client may still be there. If it has gone, it returns
	// after the client has left its sessions, when ctx ends, or when that takes too long.
	AwaitDeparture(ctx context.Context)
}

// awaitDepartures waits until the clients of a session that had gone before the call have
// left it, except for the one that resumes it.
func (e attachment) awaitDepartures(ctx context.Context, replacing *Client) error {
	others, err := mailbox.Ask(ctx, e.s.do, func() ([]*Client, error) { return slices.Clone(e.s.clients), nil })
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
			g.logs.Error("a client's connection panicked", "panic", fmt.Sprint(p), "stack", stack())
		}
	}()
	if d, ok := g.Peer.(Departing); ok {
		d.AwaitDeparture(ctx)
	}
}
