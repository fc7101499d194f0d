package mcp

import (
	"context"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Listed asks a server for its tools, and returns them as clients see them, also those that the
// model is not offered. [fault.Unavailable] if it is not connected.
func (s *Set) Listed(ctx context.Context, server string) (wire.MCPToolList, error) {
	list := wire.MCPToolList{Tools: []wire.MCPTool{}}
	n, err := s.usable(ctx, server)
	if err != nil {
		return list, err
	}
	l, err := n.list(ctx, n.config)
	if err != nil {
		return list, n.failure(err)
	}
	for _, t := range l.tools {
		listed := wire.MCPTool{Name: t.described.Name, Description: wire.Optional(t.described.Description)}
		if t.ui != nil {
			listed.UI = &wire.MCPToolUI{ResourceURI: wire.Optional(t.ui.ResourceURI)}
			for _, who := range t.ui.Visibility {
				listed.UI.Visibility = append(listed.UI.Visibility, wire.MCPVisibility(who))
			}
		}
		list.Tools = append(list.Tools, listed)
	}
	return list, nil
}

// maxSamples bounds the names of tools in a diagnosis. Source: the SDK.
const maxSamples = 5

// Apps reports whether this program announces MCP Apps to servers.
func (s *Set) Apps() bool { return s.opts.Apps }

// Diagnose says what a server offers to MCP Apps.
func (s *Set) Diagnose(server string) wire.MCPAppsServer {
	_, tools, err := s.connected(server)
	d := wire.MCPAppsServer{Connected: err == nil, ToolCount: float64(len(tools)), SampleToolNames: []string{}}
	for _, t := range tools {
		if t.ui == nil {
			continue
		}
		d.ToolsWithUIMeta++
		if len(d.SampleToolNames) < maxSamples {
			d.SampleToolNames = append(d.SampleToolNames, t.described.Name)
		}
	}
	return d
}

// AppTools returns the tools of a server that its apps may call, as the server describes them.
func (s *Set) AppTools(server string) ([]map[string]any, error) {
	_, tools, err := s.connected(server)
	if err != nil {
		return nil, err
	}
	all := []map[string]any{}
	for _, t := range tools {
		if !t.shows("app") {
			continue
		}
		described, err := converted[map[string]any](t.described)
		if err != nil {
			return nil, fault.New(fault.Internal, "mcp", server, "%w", err)
		}
		all = append(all, described)
	}
	return all, nil
}

// CallForApp calls a tool for an app of the server, and reports the call to the clients.
func (s *Set) CallForApp(ctx context.Context, server, name string, args map[string]any) (map[string]any, error) {
	_, tools, err := s.connected(server)
	if err != nil {
		return nil, err
	}
	var called *Tool
	for _, t := range tools {
		if t.described.Name == name {
			called = t
		}
	}
	switch {
	case called == nil:
		return nil, fault.New(fault.NotFound, "mcp", server, "the server has no tool %q", name)
	case !called.shows("app"):
		return nil, fault.New(fault.Denied, "mcp", server, "the visibility of the tool %q does not include apps", name)
	}
	if args == nil {
		args = map[string]any{}
	}
	begin := time.Now()
	forgotten := func(err error) bool { return errors.Is(err, errForgotten) || errors.Is(err, errRetired) }
	answer, err := askedIf(ctx, s, server, forgotten, func(ctx context.Context, c *sdk.ClientSession) (map[string]any, error) {
		res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			return nil, err
		}
		return converted[map[string]any](res)
	})
	s.opts.Host.Notify(called.forApp(args, answer, err, time.Since(begin)))
	return answer, err
}

// forApp is the event about a call of an app.
func (t *Tool) forApp(args, answer map[string]any, err error, took time.Duration) *wire.MCPAppCalled {
	failed, _ := answer["isError"].(bool)
	e := &wire.MCPAppCalled{
		ServerName: t.definition.Server, ToolName: t.definition.ServerTool, Arguments: args, DurationMs: float64(took.Milliseconds()),
		Success: err == nil && !failed, Result: answer,
	}
	if err != nil {
		e.Error = &wire.MCPAppError{Message: fault.Message(err)}
	}
	if t.ui != nil {
		e.ToolMeta = &wire.MCPAppToolMeta{UI: &wire.MCPAppToolUI{ResourceURI: wire.Optional(t.ui.ResourceURI), Visibility: t.ui.Visibility}}
	}
	return e
}
