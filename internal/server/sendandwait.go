package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sendAndWait gives the session a message and answers when the run that has read it has ended, or when the message
// was dropped. If the client cancels the call, the work goes on.
func sendAndWait(ctx context.Context, c *conn, a *attachment, p wire.Send) (any, error) {
	before, err := a.pages.End(ctx)
	if err != nil {
		return nil, closedIsNotFound(a, err)
	}
	p.Wait = true
	ids, err := sendAll(ctx, c, a, "session.sendAndWait", p)
	dropped := err != nil && ctx.Err() == nil && fault.KindOf(err) == fault.Canceled && len(ids) > 0
	if err != nil && !dropped {
		return nil, err
	}
	e := ending{message: ids[0]}
	if err := e.read(ctx, a.pages, before); err != nil {
		return nil, closedIsNotFound(a, err)
	}
	if dropped && !e.blocked {
		return wire.SentAndAnswered{MessageID: ids[0], Aborted: true}, nil
	}
	return e.answer()
}

// ending is how the run of a message has ended, read from the events behind the moment at which it was sent.
type ending struct {
	message string // its id

	run      string          // its interactionId; "" until the message is read, and for commands, which have none
	blocked  bool            // a hook has blocked the message, and the run has ended without it
	response json.RawMessage // the last answer of the main agent
	at       wire.Raw        // the event that ended the run; nil if the next run began without one
	over     bool
}

// read reads the events from a cursor to the end. All that belong to the run are there.
func (e *ending) read(ctx context.Context, pages *eventlog.Pager, from string) error {
	req := eventlog.PageRequest{Cursor: from, Max: maxPage, Match: func(r eventlog.Record) bool {
		switch wire.Raw(r.JSON).Get("type").Text() {
		case "user.message", "assistant.message", "session.idle", "session.error", "session.warning":
			return wire.Raw(r.JSON).Get("agentId") == nil
		}
		return false
	}}
	for !e.over {
		page, err := pages.Read(ctx, req)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			e.see(wire.Raw(r.JSON))
		}
		if !page.More {
			return nil
		}
		req.Cursor = page.Cursor
	}
	return nil
}

func (e *ending) see(event wire.Raw) {
	data := event.Get("data")
	switch typ := event.Get("type").Text(); {
	case e.over:
	case typ == "session.error" && data.Get(wire.FieldLogged).True(): // by a client; the run goes on
	case typ == "session.warning":
		if data.Get("originatingMessageId").Text() == e.message {
			e.blocked, e.response, e.at = true, nil, nil
		}
	case typ == "user.message" && data.Get("messageId").Text() == e.message:
		e.run, e.response, e.at = data.Get("interactionId").Text(), nil, nil
	case typ == "user.message":
		e.over = e.blocked || e.run != "" && data.Get("interactionId").Text() != e.run // another run
	case typ == "assistant.message":
		if e.run != "" && data.Get("interactionId").Text() == e.run {
			e.response = json.RawMessage(event)
		}
	default:
		e.at, e.over = event, e.run != "" || e.blocked
	}
}

// answer is the result of the call, or the error for a run that has failed. SDKs wait for the event that it names
// before they return.
func (e *ending) answer() (any, error) {
	data := e.at.Get("data")
	if e.at.Get("type").Text() == "session.error" {
		named, err := json.Marshal(wire.CompletionEvent{ID: e.at.Get("id").Text()})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.InternalError, Message: data.Get("message").Text(), Data: named}
	}
	return wire.SentAndAnswered{
		MessageID: e.message, Aborted: data.Get("aborted").True(), CompletionEventID: wire.Optional(e.at.Get("id").Text()), Response: e.response,
	}, nil
}
