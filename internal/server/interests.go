package server

import (
	"context"
	"strconv"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// interests are the interests in events that a connection has registered, by handle. Clients
// get all events anyway; a client that is interested in the event of a question answers it.
type interests struct {
	mu    sync.Mutex // guards the rest
	made  int64
	known map[string]interest
}

type interest struct {
	client *session.Client
	event  wire.EventType
}

// maxInterests bounds the interests of one connection that are not released.
const maxInterests = 10_000

// add returns a new handle.
func (i *interests) add(of interest) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.known) >= maxInterests {
		return "", fault.New(fault.Unavailable, "", "", "%d interests are registered already; release some", maxInterests)
	}
	if i.known == nil {
		i.known = map[string]interest{}
	}
	i.made++
	handle := "interest-" + strconv.FormatInt(i.made, 10)
	i.known[handle] = of
	return handle, nil
}

// take removes a handle; false if it is not known.
func (i *interests) take(handle string) (interest, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	of, ok := i.known[handle]
	delete(i.known, handle)
	return of, ok
}

// registerInterest returns a handle for an interest in events of a type.
func registerInterest(ctx context.Context, c *conn, a *attachment, p struct {
	EventType wire.EventType `json:"eventType"`
},
) (any, error) {
	handle, err := c.interests.add(interest{a.client, p.EventType})
	if err != nil {
		return nil, err
	}
	return wire.Interested{Handle: handle}, a.client.Interest(ctx, p.EventType)
}

// releaseInterest accepts any handle; releasing one twice is not an error, and neither is
// that of a session that is closed.
func releaseInterest(ctx context.Context, c *conn, p struct {
	Handle string `json:"handle"`
},
) (any, error) {
	if i, ok := c.interests.take(p.Handle); ok {
		if err := i.client.Disinterest(ctx, i.event); err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
	}
	return wire.Success{Success: true}, nil
}
