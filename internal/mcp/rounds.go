//lint:file-ignore SA1019 servers use sampling and roots, although the newest version of the protocol advises against them.

package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of the rounds of one request: a server of protocol 2026-07-28 asks by answering with questions, and gets
// the request again with the answers.
const (
	maxRounds = 10
	maxAsked  = 10 // in one round
	maxEmpty  = 3  // rounds in which it asks nothing, because it has no room
)

// rounds is a layer of the SDK's client that answers what servers ask. It does what that of the SDK does, with
// bounds, and with the bounds of requests that servers send by themselves.
func (n *connection) rounds(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		empty := 0
		for round := 1; ; round++ {
			res, err := next(ctx, method, q)
			if err != nil {
				return res, err
			}
			asked, state, more := wanted(res)
			switch {
			case !more:
				return res, nil
			case round > maxRounds:
				return nil, fmt.Errorf("the server asks in more than %d rounds", maxRounds)
			case len(asked) > maxAsked:
				return nil, fmt.Errorf("the server asks for more than %d things at once", maxAsked)
			case len(asked) == 0 && empty >= maxEmpty:
				return nil, fmt.Errorf("the server has put the request off %d times", maxEmpty)
			case len(asked) == 0:
				if err := sleep(ctx, reconnects[empty]); err != nil {
					return nil, err
				}
				empty++
			}
			session, ok := q.GetSession().(*sdk.ClientSession)
			if !ok {
				return res, nil // cannot happen: it is a client's
			}
			answers, err := n.answers(ctx, session, asked)
			if err != nil {
				return nil, err
			}
			if q, err = sentAgain(session, q.GetParams(), answers, state); err != nil {
				return nil, err
			}
		}
	}
}

// wanted is what a server asks with its answer. more is false if it is the result.
func wanted(res sdk.Result) (asked sdk.InputRequestMap, state string, more bool) {
	switch r := res.(type) {
	case *sdk.CallToolResult:
		return r.InputRequests, r.RequestState, r.NeedsInput()
	case *sdk.GetPromptResult:
		return r.InputRequests, r.RequestState, r.NeedsInput()
	case *sdk.ReadResourceResult:
		return r.InputRequests, r.RequestState, r.NeedsInput()
	}
	return nil, "", false
}

// answers answers what a server asks, one thing after the other, as if it had sent the requests itself.
func (n *connection) answers(ctx context.Context, session *sdk.ClientSession, asked sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	answers := sdk.InputResponseMap{}
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		method, q, err := requestOf(session, asked[key])
		if err != nil {
			return nil, err
		}
		res, err := n.receive(ctx, method, q)
		if err != nil {
			return nil, fmt.Errorf("what the server asks cannot be answered: %w", err)
		}
		answer, ok := res.(sdk.InputResponse)
		if !ok {
			return nil, fmt.Errorf("the answer to %s is a %T", method, res) // cannot happen
		}
		answers[key] = answer
	}
	return answers, nil
}

// requestOf is a question as the request that the SDK handles.
func requestOf(session *sdk.ClientSession, asked sdk.InputRequest) (method string, q sdk.Request, err error) {
	switch p := asked.(type) {
	case *sdk.ElicitParams:
		return "elicitation/create", &sdk.ElicitRequest{Session: session, Params: p}, nil
	case *sdk.CreateMessageParams:
		with, err := converted[*sdk.CreateMessageWithToolsParams](p)
		return "sampling/createMessage", &sdk.CreateMessageWithToolsRequest{Session: session, Params: with}, err
	case *sdk.CreateMessageWithToolsParams:
		return "sampling/createMessage", &sdk.CreateMessageWithToolsRequest{Session: session, Params: p}, nil
	case *sdk.ListRootsParams:
		return "roots/list", &sdk.ListRootsRequest{Session: session, Params: p}, nil
	}
	return "", nil, fmt.Errorf("the server asks for a %T, which this program does not know", asked)
}

// sentAgain is the same request with answers, and with what the server wants back.
func sentAgain(session *sdk.ClientSession, params sdk.Params, answers sdk.InputResponseMap, state string) (sdk.Request, error) {
	switch p := params.(type) {
	case *sdk.CallToolParams:
		next := *p
		next.InputResponses, next.RequestState = answers, state
		return &sdk.ClientRequest[*sdk.CallToolParams]{Session: session, Params: &next}, nil
	case *sdk.GetPromptParams:
		next := *p
		next.InputResponses, next.RequestState = answers, state
		return &sdk.ClientRequest[*sdk.GetPromptParams]{Session: session, Params: &next}, nil
	case *sdk.ReadResourceParams:
		next := *p
		next.InputResponses, next.RequestState = answers, state
		return &sdk.ClientRequest[*sdk.ReadResourceParams]{Session: session, Params: &next}, nil
	}
	return nil, fmt.Errorf("a request with %T cannot be sent again", params) // cannot happen
}
