package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answering returns a method that ends a request of the server with fail if the answer to it cannot be
// decoded as a P. The SDKs give each answer once and do not look at the error, and the request would
// stay open for ever. fail returns the error for the client that gave the answer. Answers of a client to one
// request are taken in the order in which they arrived, because the first one counts.
func answering[P any](fail func(ctx context.Context, a *attachment, requestID string, why error) error, m method) method {
	run := m.run
	m.ordered, m.byRequest = true, true
	m.run = func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, why := decodeFor[P](c, params)
		readable := why == nil
		if checked, ok := any(&p).(interface{ unfit() error }); ok && readable {
			why = checked.unfit()
		}
		if why != nil {
			var of struct {
				RequestID string `json:"requestId"`
			}
			if a, err := c.attachment(sessionID(params)); err == nil && json.Unmarshal(params, &of) == nil {
				err := fail(a.client.Answering(ctx), a, of.RequestID, why)
				if readable && err == why { // no request with that id is open, and the SDKs expect that an answer to none fails without an error
					return wire.Success{}, nil
				}
				return nil, err
			}
			return nil, why
		}
		return run(ctx, c, params)
	}
	return m
}

func failPermission(ctx context.Context, a *attachment, requestID string, why error) error {
	_, _ = a.client.Session().Permissions().Answer(ctx, requestID, unreadablePermission(why))
	return why
}

// unreadablePermission denies a request whose answer cannot be read, and has the model read why.
func unreadablePermission(why error) permit.Answer {
	return permit.Answer{Outcome: permit.Unanswerable, Feedback: "The client's answer to the permission request cannot be read: " + why.Error()}
}

func failToolCall(ctx context.Context, a *attachment, requestID string, why error) error {
	text, failure := "The client's result of this tool call cannot be read, and is lost; the tool may have acted. The reason: "+why.Error(), "failure"
	_, _ = a.client.Tools().Answer(ctx, wire.ToolCallAnswer{
		RequestID: requestID, Result: &wire.ToolCallText{TextResultForLlm: text, ResultType: &failure, Error: &text},
	})
	return why
}

func failCommand(ctx context.Context, a *attachment, requestID string, why error) error {
	text := "the client's answer cannot be read: " + why.Error()
	_, _ = a.client.AnswerCommand(ctx, requestID, &text)
	return why
}

// failQueuedCommand counts an answer that cannot be read as one of a client that does not handle the command.
func failQueuedCommand(ctx context.Context, a *attachment, requestID string, why error) error {
	_, _ = a.client.Session().Commands().AnswerQueued(ctx, requestID, false, false)
	return why
}

// failQuestion refuses an answer to a question of that kind, as one that does not fit the question.
func failQuestion(can approval.Ability) func(ctx context.Context, a *attachment, requestID string, why error) error {
	return func(ctx context.Context, a *attachment, requestID string, why error) error {
		return a.client.Session().Questions().Refuse(ctx, requestID, can, why)
	}
}
