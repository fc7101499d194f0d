package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Asker is what servers ask of a session: questions to the user, and calls of the model. Its
// methods return when the answer has come or ctx has ended.
type Asker interface {
	// Elicit asks the user for a server. An error is passed on to the server.
	Elicit(ctx context.Context, server string, q Elicitation) (Answer, error)
	// Sample asks the clients for a text of a model for a server. The answer is the result of
	// sampling/createMessage; nil if a client has refused. The error is [tool.ErrNobody] if no client
	// can be asked.
	Sample(ctx context.Context, server string, q Sampling) (json.RawMessage, error)
	// SignsIn reports whether a client can be asked for tokens.
	SignsIn(ctx context.Context) bool
	// SignIn asks the clients for a token of a server; the request id is left empty. The error is
	// [tool.ErrNobody] if there is no such client.
	SignIn(ctx context.Context, q wire.MCPAuthRequired) (HostToken, error)
	// Headers asks the clients for headers of a server; the request id is left empty. The headers
	// are nil if there are none. The error is [tool.ErrNobody] if no client can be asked.
	Headers(ctx context.Context, q wire.MCPHeadersRequired) (map[string]string, error)
}

// Elicitation is a question of a server.
type Elicitation struct {
	// Mode is "form" or "url".
	Mode string
	// Message is shown to the user.
	Message string
	// Schema is the JSON Schema of the answer: an object with properties of simple types. Only
	// in mode "form".
	Schema json.RawMessage
	// URL is the address that the user should open. Only in mode "url".
	URL string
	// ID identifies a question of mode "url".
	ID string
	// ToolCallID is the call during which the server asks; "" if that is not clear.
	ToolCallID string
}

// Answer is the user's answer.
type Answer struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content has the answer if the action is "accept".
	Content map[string]any
}

// askable has the client of the SDK accept questions, if the session can answer them.
func (n *connection) askable(o *sdk.ClientOptions) {
	asker := n.server.set.opts.Host.Asker()
	if asker == nil {
		return
	}
	n.samplable(o, asker)
	o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	o.ElicitationHandler = func(ctx context.Context, q *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		ctx, done := n.duringCalls(ctx)
		defer done()
		e := Elicitation{Mode: q.Params.Mode, Message: q.Params.Message, URL: q.Params.URL, ID: q.Params.ElicitationID, ToolCallID: n.callOf(ctx).ID}
		if e.Mode == "" {
			e.Mode = "form"
		}
		if q.Params.RequestedSchema != nil {
			schema, err := arranged(q.Params.RequestedSchema, n.orders.as(q.Params.RequestedSchema))
			if err != nil {
				return nil, err
			}
			e.Schema = schema
		}
		a, err := asker.Elicit(ctx, n.server.name, e)
		if ctx.Err() != nil && n.context.Err() == nil { // the call has ended before the user has decided
			return &sdk.ElicitResult{Action: "cancel"}, nil
		}
		if err != nil {
			return nil, err
		}
		return &sdk.ElicitResult{Action: a.Action, Content: a.Content}, nil
	}
}
