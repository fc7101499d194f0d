package server

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// Bounds and defaults of one read. Source: the SDK's schema.
	maxPage     = 1000
	usualPage   = 200
	longestWait = 30 * time.Second

	// maxWaiting is how many reads of one connection may wait at once: a small part of
	// the requests in flight, so that waiting reads never cause others to be refused.
	maxWaiting = 512
)

// readEvents answers with a page of the session's events, in the bytes that other
// clients were sent.
func readEvents(ctx context.Context, c *conn, a *attachment, p wire.EventLogRead) (any, error) {
	req, err := pageRequest(&p)
	if err != nil {
		return nil, err
	}
	if req.Match, err = a.client.Session().History().Keeping(ctx, req.Match); err != nil {
		return nil, err
	}
	wait := req.Wait
	req.Wait = 0
	var page eventlog.Page
	answer, err := c.largeAnswer(ctx, func() (any, error) {
		page, err = a.pages.Read(ctx, req)
		if wait > 0 && len(page.Records) == 0 {
			return nil, err
		}
		return appendPage(&page), err
	})
	if answer == nil && err == nil {
		req.Wait, req.Cursor = wait, page.Cursor
		answer, err = c.readWhenNext(ctx, a, req, page)
	}
	return answer, closedIsNotFound(a, err)
}

// awaitsEvent reports whether a call of session.eventLog.read may wait for the next event.
func awaitsEvent(params json.RawMessage) bool {
	wait := string(wire.Raw(params).Get("waitMs"))
	return wait != "" && wait != "0" && wait != "null"
}

// readWhenNext continues after page, which has no records, once there is an event.
func (c *conn) readWhenNext(ctx context.Context, a *attachment, req eventlog.PageRequest, page eventlog.Page) (any, error) {
	defer c.waiting.Add(-1)
	if c.waiting.Add(1) > maxWaiting {
		return nil, &jsonrpc.Error{Code: jsonrpc.Overloaded, Message: strconv.Itoa(maxWaiting) + " reads wait on this connection already"}
	}
	next, err := a.pages.Read(ctx, req)
	next.Expired = page.Expired
	if next.Missed += page.Missed; page.Missed < 0 {
		next.Missed = page.Missed
	}
	return appendPage(&next), err
}

// endOfEvents answers with a cursor behind the last event.
func endOfEvents(ctx context.Context, _ *conn, a *attachment, _ named) (any, error) {
	at, err := a.pages.End(ctx)
	return wire.EventLogEnd{Cursor: at}, closedIsNotFound(a, err)
}

// closedIsNotFound turns the end of a log into the error that every other command of a
// closed session returns.
func closedIsNotFound(a *attachment, err error) error {
	if errors.Is(err, eventlog.ErrClosed) {
		return wire.SessionNotFound(a.client.Session().ID())
	}
	return err
}

// pageRequest checks the parameters and translates them for the log.
func pageRequest(p *wire.EventLogRead) (req eventlog.PageRequest, err error) {
	req.Max = usualPage
	if p.Cursor != nil {
		req.Cursor = *p.Cursor
	}
	if p.Direction != nil {
		req.Backward = *p.Direction == "backward"
		if !req.Backward && *p.Direction != "forward" {
			return req, unfit(`direction is %q, want "forward" or "backward"`, *p.Direction)
		}
	}
	if p.Max != nil {
		if *p.Max < 1 || *p.Max > maxPage {
			return req, unfit("max is %d, want 1 to %d", *p.Max, maxPage)
		}
		req.Max = int(*p.Max)
	}
	if p.WaitMs != nil {
		if *p.WaitMs < 0 {
			return req, unfit("waitMs is %d, want 0 or more", *p.WaitMs)
		}
		req.Wait = min(time.Duration(*p.WaitMs)*time.Millisecond, longestWait)
	}
	req.Persisted = p.IncludeEphemeral != nil && !*p.IncludeEphemeral
	req.Match, err = selection(p)
	return req, err
}

func unfit(format string, args ...any) error {
	return fault.New(fault.Invalid, "", "", "invalid parameters: "+format, args...)
}

// appendPage encodes a page. The field ephemeralMissed is our own: the schema has no count of
// the events that a reader missed.
func appendPage(page *eventlog.Page) json.RawMessage {
	status := "ok"
	if page.Expired {
		status = "expired"
	}
	b := append([]byte(`{"cursor":"`), page.Cursor...)
	b = append(append(b, `","cursorStatus":"`...), status...)
	b = strconv.AppendBool(append(b, `","hasMore":`...), page.More)
	if page.Missed != 0 {
		b = strconv.AppendInt(append(b, `,"ephemeralMissed":`...), page.Missed, 10)
	}
	b = append(b, `,"events":[`...)
	for i := range page.Records {
		if i > 0 {
			b = append(b, ',')
		}
		b = page.Records[i].AppendJSON(b)
	}
	return append(b, "]}"...)
}
