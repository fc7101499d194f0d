package approval

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SignIn asks the clients for a token of an MCP server, and waits for the answer of the first one, or
// until ctx ends. The answer is nil if a client has declined. The error is [tool.ErrNobody] if no
// attached client has registered its interest in mcp.oauth_required.
func (o *Questions) SignIn(ctx context.Context, q wire.MCPAuthRequired) (*wire.MCPToken, error) {
	q.RequestID = wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: q.RequestID, can: SignsIn, event: &q,
		check: func(answer any) error { token, _ := answer.(*wire.MCPToken); return checkToken(token) },
		completed: func(answer any) wire.Data {
			done := &wire.MCPAuthCompleted{RequestID: q.RequestID, Outcome: wire.MCPAuthCanceled}
			if token, _ := answer.(*wire.MCPToken); token != nil {
				done.Outcome = wire.MCPAuthToken
			}
			return done
		},
	})
	token, _ := answer.(*wire.MCPToken)
	return token, err
}

// AnswerSignIn answers a request for a token; nil declines. It reports false if no such request is
// open.
func (o *Questions) AnswerSignIn(ctx context.Context, requestID string, token *wire.MCPToken) (ok bool, err error) {
	return o.answer(ctx, requestID, SignsIn, token, nil)
}

// Headers asks the clients for headers of an MCP server, and waits for the answer of the first one, or
// until ctx ends. The answer is nil if the client has none. The error is [tool.ErrNobody] if no
// attached client has registered its interest in mcp.headers_refresh_required.
func (o *Questions) Headers(ctx context.Context, q wire.MCPHeadersRequired) (map[string]string, error) {
	q.RequestID = wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: q.RequestID, can: GivesHeaders, event: &q,
		completed: func(answer any) wire.Data {
			done := &wire.MCPHeadersCompleted{RequestID: q.RequestID, Outcome: wire.MCPHeadersTimeout}
			if headers, ok := answer.(map[string]string); ok && headers != nil {
				done.Outcome = wire.MCPHeadersGiven
			} else if ok {
				done.Outcome = wire.MCPHeadersNone
			}
			return done
		},
	})
	headers, _ := answer.(map[string]string)
	return headers, err
}

// AnswerHeaders answers a request for headers; nil: there are none. It reports false if no such
// request is open.
func (o *Questions) AnswerHeaders(ctx context.Context, requestID string, headers map[string]string) (ok bool, err error) {
	return o.answer(ctx, requestID, GivesHeaders, headers, nil)
}

// Interested sends the open questions with events of a type to a client that waits for them from now
// on, and has not got them. Call it on the session's goroutine.
func (o *Questions) Interested(c Client, event wire.EventType) {
	for _, q := range o.inOrder() {
		if i := slices.Index(q.unseen, c); i >= 0 && q.event.Type() == event {
			q.unseen = slices.Delete(q.unseen, i, i+1)
			c.Send(q.agentID, q.event)
		}
	}
}

// CanAnswer reports whether an attached client can answer a kind of question.
func (o *Questions) CanAnswer(ctx context.Context, can Ability) bool {
	is := false
	err := o.session.Do(ctx, func() error { is = o.canAnswer(can); return nil })
	return err == nil && is
}

// checkToken returns why an answer is not a valid token.
func checkToken(token *wire.MCPToken) error {
	if token != nil && token.AccessToken == "" {
		return errors.New("accessToken is missing")
	}
	return nil
}
