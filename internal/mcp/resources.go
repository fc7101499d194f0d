package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// askTime bounds a request to a server that is no call of a tool.
const askTime = time.Minute

// asked sends a server requests that are no calls of tools, with a time limit. What only reads is asked twice if the server was away.
func asked[T any](ctx context.Context, s *Set, server string, f func(context.Context, *sdk.ClientSession) (T, error)) (T, error) {
	return askedIf(ctx, s, server, passing, f)
}

// askedIf is asked for a request that is sent once more only after an error that may allows.
func askedIf[T any](ctx context.Context, s *Set, server string, may func(error) bool, f func(context.Context, *sdk.ClientSession) (T, error)) (T, error) {
	var none T
	ctx, p, end := newPatience(ctx, askTime, errTooLong)
	defer end()
	for sent := 1; ; sent++ {
		n, err := s.usable(ctx, server)
		if err != nil {
			return none, err
		}
		answer, err := askedOn(ctx, n, p, f)
		var refused *jsonrpc.Error
		var away *outage
		var lack *narrow
		switch {
		case err == nil:
			return answer, nil
		case errors.As(err, &lack):
			return none, fault.New(fault.Denied, "mcp", server, "%w", lack)
		case sent < maxSends && may(err):
		case errors.As(err, &away):
			return none, fault.New(fault.Unavailable, "mcp", server, "%w", away)
		case errors.As(err, &refused):
			return none, fault.New(fault.Invalid, "mcp", server, "%s", fault.Bounded(refused.Message))
		case context.Cause(ctx) == errTooLong:
			return none, fault.New(fault.Unavailable, "mcp", server, "it did not answer within %v", askTime)
		default:
			return none, fault.New(fault.Unavailable, "mcp", server, "%w", err)
		}
	}
}

// askedOn asks once.
func askedOn[T any](ctx context.Context, n *connection, p *patience, f func(context.Context, *sdk.ClientSession) (T, error)) (T, error) {
	ctx, _, ended, err := n.began(ctx, tool.Call{}, p)
	if err != nil {
		var none T
		return none, err
	}
	defer ended()
	answer, err := f(ctx, n.client)
	if err == nil {
		n.answered.Store(true)
	}
	return answer, err
}

// converted decodes a value of the SDK of this protocol as one of the Copilot SDK: both have the
// same form in JSON.
func converted[T any](from any) (to T, err error) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	return to, err
}

// Resources returns one page of the resources of a server.
func (s *Set) Resources(ctx context.Context, server, cursor string) (wire.MCPResources, error) {
	return asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (wire.MCPResources, error) {
		listed, err := c.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return wire.MCPResources{}, err
		}
		return converted[wire.MCPResources](listed)
	})
}

// Templates returns one page of the templates of resources of a server.
func (s *Set) Templates(ctx context.Context, server, cursor string) (wire.MCPTemplates, error) {
	return asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (wire.MCPTemplates, error) {
		listed, err := c.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return wire.MCPTemplates{}, err
		}
		return converted[wire.MCPTemplates](listed)
	})
}

// Read reads a resource of a server.
func (s *Set) Read(ctx context.Context, server, uri string) (wire.MCPResourceRead, error) {
	return asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (wire.MCPResourceRead, error) {
		read, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return wire.MCPResourceRead{}, err
		}
		return converted[wire.MCPResourceRead](read)
	})
}

// Prompts returns one page of the prompts of a server.
func (s *Set) Prompts(ctx context.Context, server, cursor string) (wire.MCPPrompts, error) {
	return asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (wire.MCPPrompts, error) {
		listed, err := c.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return wire.MCPPrompts{}, err
		}
		return converted[wire.MCPPrompts](listed)
	})
}

// Prompt returns what a prompt of a server says with these arguments.
func (s *Set) Prompt(ctx context.Context, server, name string, arguments map[string]string) (wire.MCPPromptText, error) {
	return asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (wire.MCPPromptText, error) {
		got, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
		if err != nil {
			return wire.MCPPromptText{}, err
		}
		return converted[wire.MCPPromptText](got)
	})
}
