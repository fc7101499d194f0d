package server

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// appContext is what MCP Apps are told about the program that shows them.
type appContext struct {
	Context json.RawMessage `json:"context"`
}

func setAppContext(ctx context.Context, s *session.Session, p appContext) (any, error) {
	if _, err := decode[wire.MCPAppContext](p.Context); err != nil || p.Context == nil {
		return nil, fault.New(fault.Invalid, "", "", "context is missing or cannot be read")
	}
	return none{}, session.MCP(s).SetAppContext(ctx, p.Context)
}

func getAppContext(ctx context.Context, s *session.Session, _ named) (any, error) {
	is, err := session.MCP(s).AppContext(ctx)
	if is == nil {
		is = json.RawMessage("{}")
	}
	return appContext{is}, err
}

func diagnoseApps(ctx context.Context, c *conn, a *attachment, p onServer) (any, error) {
	s := a.client.Session()
	asked, err := session.MCP(s).Apps(ctx)
	if err != nil {
		return nil, err
	}
	d := wire.MCPAppsDiagnosis{Capability: wire.MCPAppsCapability{Advertised: asked, FeatureFlagEnabled: c.home().Sessions.MCPApps(), SessionHasMCPApps: asked}}
	if set, err := session.MCP(s).Set(); err == nil { // without servers, none is connected
		d.Capability.Advertised, d.Server = set.Apps(), set.Diagnose(p.Name)
	}
	return encode(d)
}

// ofApp returns the servers for a call of an app. An app may reach its own server only.
func ofApp(ctx context.Context, s *session.Session, p onServer, origin bool) (*mcp.Set, error) {
	switch asked, err := session.MCP(s).Apps(ctx); {
	case err != nil:
		return nil, err
	case !asked:
		return nil, fault.New(fault.Denied, "mcp", p.Name, "the session does not have the mcp-apps capability: start the runtime with COPILOT_MCP_APPS=true and the session with requestMcpApps")
	case origin && p.Origin == "":
		return nil, missing("originServerName")
	case origin && !wire.SameServer(p.Origin, p.Name):
		return nil, fault.New(fault.Denied, "mcp", p.Name, "visibility: an app of the server %q cannot reach the server %q", p.Origin, p.Name)
	}
	return session.MCP(s).Set()
}

func listAppTools(ctx context.Context, _ *conn, a *attachment, p onServer) (any, error) {
	set, err := ofApp(ctx, a.client.Session(), p, true)
	if err != nil {
		return nil, err
	}
	tools, err := set.AppTools(p.Name)
	if err != nil {
		return nil, err
	}
	return encode(wire.MCPAppTools{Tools: tools})
}

func callAppTool(ctx context.Context, c *conn, a *attachment, p onServer) (any, error) {
	set, err := ofApp(ctx, a.client.Session(), p, true)
	if err != nil {
		return nil, err
	}
	return c.largeAnswer(ctx, func() (any, error) { return set.CallForApp(ctx, p.Name, p.Tool, p.Arguments) })
}

func readAppResource(ctx context.Context, c *conn, a *attachment, p onServer) (any, error) {
	set, err := ofApp(ctx, a.client.Session(), p, false)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(p.URI, ":") {
		return nil, missing("uri")
	}
	return c.largeAnswer(ctx, func() (any, error) {
		read, err := set.Read(ctx, p.Name, p.URI)
		if err != nil {
			return nil, err
		}
		return encode(read)
	})
}
