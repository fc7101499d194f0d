package server

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// relayEvents sends a session's events to the client until it detaches, the session
// closes or the connection ends. A client that does not read blocks only this
// goroutine.
func (c *conn) relayEvents(ctx context.Context, client *session.Client) {
	defer client.Tail().Close() // nobody reads the tail any more
	id := client.Session().ID()
	err := relay(ctx, c.rpc, id, client.Tail(), client.Withholds)
	if err != nil && ctx.Err() == nil && !errors.Is(err, eventlog.ErrClosed) {
		c.srv.opts.Logger.Error("a client no longer gets its session's events", "session", id, "err", err)
	}
}

// relay sends the records of a tail. It returns why the tail has ended, nil if the
// connection ended first. It leaves out the records that withhold keeps from this client.
func relay(ctx context.Context, rpc *jsonrpc.Conn, id string, tail *eventlog.Tail, withhold func(eventlog.Record) bool) (err error) {
	defer fault.Recover("server.relay", &err)
	head := append(wire.AppendString([]byte(`{"sessionId":`), id), `,"event":`...)
	end := []byte("}")
	var delta []byte
	for rec, ended := range tail.Records(ctx) {
		if ended != nil {
			return ended
		}
		if withhold(rec) {
			continue
		}
		event := rec.JSON
		if rec.Delta != nil {
			delta = rec.Delta.AppendJSON(delta[:0])
			event = delta
		}
		if rpc.NotifyRaw(ctx, "session.event", head, event, end) != nil {
			return nil
		}
	}
	return nil
}

// relayLifecycle notifies the client when sessions are created, changed and deleted.
func (c *conn) relayLifecycle(ctx context.Context, watch *listing.Watch) {
	defer watch.Close()
	err := fault.Guard("server.relay", func() error { c.relayNews(ctx, watch); return nil })
	if err != nil {
		c.srv.opts.Logger.Error("a client no longer gets news of sessions", "err", err)
	}
}

func (c *conn) relayNews(ctx context.Context, watch *listing.Watch) {
	for news := range watch.News(ctx) {
		if c.rpc.Notify(ctx, "session.lifecycle", news) != nil {
			return
		}
	}
}
