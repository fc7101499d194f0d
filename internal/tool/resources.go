package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// Resources are the resources of the MCP servers of a session, as the tools for them need them. Its methods are safe for concurrent use.
type Resources interface {
	// ResourceRequest returns the request of a call of a tool for a server, but for its arguments. The error is for the model: the
	// server is not connected, or has no resources.
	ResourceRequest(server, tool string) (permit.Request, error)
	// ListResources returns a page of the resources of a server; cursor is "" for the first one.
	ListResources(ctx context.Context, server, cursor string) Result
	// ReadResource returns a resource of a server. tool names files in it.
	ReadResource(ctx context.Context, server, uri, tool string) Result
}

// ResourceTools are the tools that list and read the resources that from returns.
func ResourceTools(from func() Resources) []Tool {
	return []Tool{&listResources{from}, &readResource{from}}
}

// resourceRequest is the request of a call of either tool.
func resourceRequest(from func() Resources, c Call, server string) (*permit.Request, *Result) {
	q, err := from().ResourceRequest(server, c.Name)
	if err != nil {
		r := failure("%v", err)
		return nil, &r
	}
	q.Tool, q.Args = c.Name, c.Arguments
	return &q, nil
}
