package servers

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// HaveResources reports whether a server of the session, or of its main agent, has resources.
func (m *Servers) HaveResources() bool {
	return slices.ContainsFunc(m.sets(), func(set *mcp.Set) bool { return len(set.ResourceServers()) > 0 })
}

// sets are the servers of the main agent, then those of the session.
func (m *Servers) sets() (all []*mcp.Set) {
	if own := m.main.Load(); own != nil {
		all = append(all, own.Set())
	}
	if set := m.set.Load(); set != nil {
		all = append(all, set)
	}
	return all
}

// holder returns the set whose server has resources, and the request of a call for it.
func (m *Servers) holder(server, name string) (set *mcp.Set, q permit.Request, err error) {
	err = errors.New("the session has no MCP servers")
	for _, set = range m.sets() {
		if q, err = set.ResourceRequest(server, name); err == nil {
			return set, q, nil
		}
	}
	return nil, q, err
}

// ResourceRequest implements [tool.Resources].
func (m *Servers) ResourceRequest(server, name string) (permit.Request, error) {
	_, q, err := m.holder(server, name)
	return q, err
}

// ListResources implements [tool.Resources].
func (m *Servers) ListResources(ctx context.Context, server, cursor string) tool.Result {
	set, _, err := m.holder(server, "")
	if err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	return set.ListResources(ctx, server, cursor)
}

// ReadResource implements [tool.Resources].
func (m *Servers) ReadResource(ctx context.Context, server, uri, name string) tool.Result {
	set, _, err := m.holder(server, name)
	if err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	return set.ReadResource(ctx, server, uri, name)
}
