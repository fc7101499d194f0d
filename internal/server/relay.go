package server

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// relayEvents writes a session's events to the client until it detaches, the
// session closes or the connection ends. A client that does not read holds up
// this goroutine and nobody else.
func (c *conn) relayEvents(ctx context.Context, client *session.Client) {
	defer client.Tail().Close() // whatever ended this: nobody reads it any more
	id := client.Session().ID()
	head := append(wire.AppendString([]byte(`{"sessionId":`), id), `,"event":`...)
	tail := []byte("}")
	var delta []byte
	for rec, err := range client.Tail().Records(ctx) {
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, eventlog.ErrClosed) {
				c.srv.opts.Logger.Error("a client no longer gets its session's events", "session", id, "err", err)
			}
			return
		}
		event := rec.JSON
		if rec.Delta != nil {
			delta = rec.AppendJSON(delta[:0])
			event = delta
		}
		if c.rpc.NotifyRaw(ctx, "session.event", head, event, tail) != nil {
			return // the connection is ending
		}
	}
}

// relayLifecycle tells the client when sessions come, change and go.
func (c *conn) relayLifecycle(ctx context.Context, watch *session.Watch) {
	defer watch.Close()
	for news := range watch.News(ctx) {
		if c.srv.opts.Token != "" && !c.connected.Load() {
			continue // not a word to strangers
		}
		if c.rpc.Notify(ctx, "session.lifecycle", news) != nil {
			return
		}
	}
}
