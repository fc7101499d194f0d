package session

import "github.com/sidestick-dev/sidestick/internal/eventlog"

// Pages returns a reader of the session's events in pages, for this client: it
// goes on from a cursor that the client keeps, where [Client.Tail] goes on from
// the client's attachment. Close it when the client leaves. Once the session has
// been closed, a read fails with [eventlog.ErrClosed].
//
// Reading is nothing that happens in the session: it does not keep it in memory.
func (c *Client) Pages() *eventlog.Pager { return c.s.log.Pager() }
