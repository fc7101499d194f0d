package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answering returns a method that ends a request of the server with fail if the answer to it cannot be
// decoded as a P. The SDKs give each answer once and do not look at the error, and the request would
// stay open for ever.
func answering[P any](fail func(ctx context.Context, a *attachment, requestID string, why error), m method) method {
	run := m.run
	m.run = func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		if _, why := decode[P](params); why != nil {
			var of struct {
				RequestID string `json:"requestId"`
			}
			if a, err := c.attachment(sessionID(params)); err == nil && json.Unmarshal(params, &of) == nil {
				fail(ctx, a, of.RequestID, why)
			}
			return nil, why
		}
		return run(ctx, c, params)
	}
	return m
}

func failPermission(ctx context.Context, a *attachment, requestID string, _ error) {
	_, _ = a.client.Session().Permissions().Answer(ctx, requestID, permit.Answer{Outcome: permit.Unanswerable})
}

func failToolCall(ctx context.Context, a *attachment, requestID string, why error) {
	text := "The client's result cannot be read: " + why.Error()
	_, _ = a.client.AnswerToolCall(ctx, wire.ToolCallAnswer{RequestID: requestID, Error: &text})
}
