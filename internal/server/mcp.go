package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// onServer has the parameters of the methods about one MCP server.
type onServer struct {
	Name   string          `json:"serverName"`
	Config json.RawMessage `json:"config"` // nil or null: the one that the server has
	Cursor string          `json:"cursor"`
	URI    string          `json:"uri"`
	// Of calls of MCP Apps.
	Origin    string         `json:"originServerName"`
	Tool      string         `json:"toolName"`
	Arguments map[string]any `json:"arguments"`
}

func listServers(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := session.MCP(s).List(ctx)
	if err != nil {
		return nil, err
	}
	return encode(list)
}

// listConfigured returns the servers as session.mcp.list does, those that are disabled marked as such.
func listConfigured(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := session.MCP(s).List(ctx)
	if err != nil {
		return nil, err
	}
	var to wire.MCPConfigured
	for _, m := range list.Servers {
		to.Servers = append(to.Servers, wire.MCPConfiguredServer{
			Name: m.Name, DisplayName: m.DisplayName, Enabled: m.Status != wire.MCPDisabled,
			Source: m.Source, SourcePlugin: m.SourcePlugin, SourcePluginVersion: m.SourcePluginVersion,
			Live: wire.MCPLive{Status: m.Status, Error: m.Error},
		})
	}
	return encode(to)
}

func listServerTools(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	list, err := set.Listed(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	return encode(list)
}

func serverRunning(_ context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	return wire.MCPRunning{Running: err == nil && set.Running(p.Name)}, nil
}

func enableServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	if _, err := set.Remote(p.Name); err != nil { // there is no such server
		return nil, err
	}
	if err := session.MCP(s).NoteDisabled(ctx, p.Name, false); err != nil {
		return nil, err
	}
	if err := set.Enable(p.Name); err != nil {
		return nil, err
	}
	return none{}, set.Settled(ctx, p.Name)
}

func disableServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	if _, err := set.Remote(p.Name); err != nil { // there is no such server
		return nil, err
	}
	if err := session.MCP(s).NoteDisabled(ctx, p.Name, true); err != nil {
		return nil, err
	}
	return none{}, set.Disable(ctx, p.Name)
}

func stopServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	return none{}, set.Stop(ctx, p.Name)
}

func startServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	return beginServer(ctx, s, p, false)
}

func restartServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	return beginServer(ctx, s, p, true)
}

// beginServer starts a server and waits until it can be used, or not.
func beginServer(ctx context.Context, s *session.Session, p onServer, again bool) (any, error) {
	if p.Name == "" {
		return nil, missing("serverName")
	}
	if string(p.Config) == "null" {
		p.Config = nil
	}
	set, err := session.MCP(s).Set()
	if p.Config != nil {
		set, err = session.MCP(s).Begin(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := s.Settings().Ignored(ctx, wire.UnreadServer("config.", wire.Raw(p.Config))); err != nil {
		return nil, err
	}
	if err := set.Start(p.Name, p.Config, again); err != nil {
		return nil, err
	}
	return none{}, set.Settled(ctx, p.Name)
}

func reloadServers(ctx context.Context, s *session.Session, _ named) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, fault.New(fault.Unavailable, "mcp", "", "MCP config reload not available: no MCP servers are configured for this session")
	}
	set.Reload()
	set.Await(ctx)
	return none{}, ctx.Err()
}

func serversToBackground(_ context.Context, s *session.Session, _ named) (any, error) {
	set, err := session.MCP(s).Set()
	return wire.MCPToBackground{MovedToBackground: err == nil && set.Background()}, nil
}

func setEnvValueMode(ctx context.Context, s *session.Session, p wire.MCPEnvMode) (any, error) {
	if p.Mode != "direct" && p.Mode != "indirect" {
		return nil, fault.New(fault.Invalid, "", "", `mode is %q, want "direct" or "indirect"`, p.Mode)
	}
	set, err := session.MCP(s).Begin(ctx)
	if err != nil {
		return nil, err
	}
	set.SetIndirect(p.Mode == "indirect")
	return wire.MCPEnvModeSet(p), nil
}

// removeGitHub removes GitHub's server, if this program has added it.
func removeGitHub(_ context.Context, s *session.Session, _ named) (any, error) {
	set, err := session.MCP(s).Set()
	return wire.MCPGitHubRemoved{Removed: err == nil && set.Remove(wire.GitHubServer)}, nil
}

func listResources(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	page, err := set.Resources(ctx, p.Name, p.Cursor)
	if err != nil {
		return nil, err
	}
	return encode(page)
}

func listTemplates(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	page, err := set.Templates(ctx, p.Name, p.Cursor)
	if err != nil {
		return nil, err
	}
	return encode(page)
}

func readResource(ctx context.Context, c *conn, a *attachment, p onServer) (any, error) {
	set, err := session.MCP(a.client.Session()).Set()
	if err != nil {
		return nil, err
	}
	return c.largeAnswer(ctx, func() (any, error) {
		read, err := set.Read(ctx, p.Name, p.URI)
		if err != nil {
			return nil, err
		}
		return encode(read)
	})
}

func listPrompts(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	page, err := set.Prompts(ctx, p.Name, p.Cursor)
	if err != nil {
		return nil, err
	}
	return encode(page)
}

func getPrompt(ctx context.Context, c *conn, a *attachment, p struct {
	Server    string            `json:"serverName"`
	Name      string            `json:"promptName"`
	Arguments map[string]string `json:"arguments"`
},
) (any, error) {
	set, err := session.MCP(a.client.Session()).Set()
	if err != nil {
		return nil, err
	}
	return c.largeAnswer(ctx, func() (any, error) {
		text, err := set.Prompt(ctx, p.Server, p.Name, p.Arguments)
		if err != nil {
			return nil, err
		}
		return encode(text)
	})
}

// executeSampling has the session's model answer the request of an MCP server.
func executeSampling(ctx context.Context, _ *conn, a *attachment, p struct {
	RequestID  string          `json:"requestId"`
	ServerName string          `json:"serverName"`
	Request    json.RawMessage `json:"request"`
	// RequestOfServer is the id of the request in the server's protocol; the caller knows it.
	RequestOfServer json.RawMessage `json:"mcpRequestId"`
},
) (any, error) {
	got, err := a.client.Sample(ctx, p.RequestID, p.ServerName, p.Request)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() == nil:
		return wire.MCPSamplingResult{Action: wire.MCPSamplingCanceledAction}, nil
	case err != nil:
		why := fault.Message(err)
		return wire.MCPSamplingResult{Action: wire.MCPSamplingFailed, Error: &why}, nil
	}
	stop := "endTurn"
	if got.Cut {
		stop = "maxTokens"
	}
	return struct {
		Action string `json:"action"`
		Result any    `json:"result"`
	}{string(wire.MCPSamplingSucceeded), map[string]any{"role": "assistant", "content": map[string]string{"type": "text", "text": got.Text}, "model": got.Model, "stopReason": stop}}, nil
}

func cancelSampling(_ context.Context, s *session.Session, p wire.MCPSamplingCancel) (any, error) {
	set, err := session.MCP(s).Set()
	return wire.MCPSamplingCanceled{Cancelled: err == nil && set.CancelExecution(p.RequestID)}, nil
}
