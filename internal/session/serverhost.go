package session

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// MCP returns the MCP servers of a session.
func MCP(s *Session) *servers.Servers { return s.tools.servers }

// serverHost is a session as its MCP servers need it; it implements [servers.Session].
type serverHost struct{ recorder }

func (h serverHost) Conceal(address string, headers map[string]string) {
	h.s.log.Secrets().AddURL(address)
	for name, value := range headers {
		h.s.log.Secrets().AddHeader(name, value)
	}
}

func (h serverHost) Folders(ctx context.Context) ([]string, error) {
	folders, err := h.s.permissions.Folders(ctx)
	return folders.Directories, err
}

func (h serverHost) Redact(text string) string { return h.s.log.Secrets().Redact(text) }

func (h serverHost) Progress(c tool.Call, message string) {
	h.s.tools.emitOfRun(c.AgentID, &wire.ToolProgress{ToolCallID: c.ID, ProgressMessage: message})
}

func (h serverHost) Meta(ctx context.Context, c tool.Call, server, name string, meta map[string]any) map[string]any {
	if !h.s.hooks.Any() {
		return meta
	}
	return h.s.hooks.PreMCPToolCall(ctx, hookedCall(h.s, c, h.s.tools.mainRole), server, name, meta)
}

func (h serverHost) Sandbox(ctx context.Context, of *mcp.OfProject) (*sandbox.Boxes, *sandbox.Policy, error) {
	var policy *sandbox.Policy
	var err error
	if of == nil {
		policy, err = h.s.permissions.ServerPolicy(ctx)
	} else if err = h.s.home.ServerFiles.CheckScripts(of.Config, of.Folder); err == nil { // they may have changed since the file was read
		policy, err = h.s.permissions.ProjectServerPolicy(ctx, of.Folder, of.Name, of.Digest)
	}
	if policy == nil || err != nil {
		return nil, nil, err
	}
	boxes, err := mailbox.Ask(ctx, h.s.log.Post, func() (*sandbox.Boxes, error) { return h.s.tools.own().ServerBoxes, nil })
	lookWhileItRuns(h.s, *policy)
	return boxes, policy, err
}

// GitHub implements [servers.Session]. A recording never says where the server is: it would be sent the
// token.
func (h serverHost) GitHub() servers.GitHub {
	api, own := h.s.home.Copilot, h.s.config.providers.Own
	if own.Endpoint.Copilot && !own.Replayed() && h.s.home.Tape.Player == nil {
		api = own
	}
	return servers.GitHub{Token: api.Endpoint.BearerToken, Address: func(ctx context.Context, token string) string {
		switch {
		case api.Servers != nil:
			return api.Servers(ctx, token)
		case api.Locate != nil:
			return api.Locate(ctx, token)
		}
		return api.Endpoint.BaseURL
	}}
}

// What MCP servers ask of the clients. These functions implement [mcp.Asker].

func (h serverHost) Asker() mcp.Asker { return h }

// Elicit implements [mcp.Asker]. Without a client that answers elicitations the server reads that
// the user has declined.
func (h serverHost) Elicit(ctx context.Context, server string, q mcp.Elicitation) (mcp.Answer, error) {
	a, err := h.s.questions.Elicit(ctx, approval.Elicitation{ToolCallID: q.ToolCallID, Source: server, Message: q.Message, Schema: q.Schema, URL: q.URL})
	if errors.Is(err, tool.ErrNobody) {
		return mcp.Answer{Action: "decline"}, nil
	}
	answer := mcp.Answer{Action: a.Action}
	if err == nil && len(a.Content) > 0 {
		err = json.Unmarshal(a.Content, &answer.Content)
	}
	return answer, err
}

// SignsIn implements [mcp.Asker].
func (h serverHost) SignsIn(ctx context.Context) bool {
	return h.s.questions.CanAnswer(ctx, approval.SignsIn)
}

// SignIn implements [mcp.Asker].
func (h serverHost) SignIn(ctx context.Context, q wire.MCPAuthRequired) (mcp.HostToken, error) {
	token, err := h.s.questions.SignIn(ctx, q)
	if token == nil {
		return mcp.HostToken{}, err
	}
	given := mcp.HostToken{Access: token.AccessToken}
	if token.TokenType != nil {
		given.Scheme = *token.TokenType
	}
	return given, err
}

// Headers implements [mcp.Asker].
func (h serverHost) Headers(ctx context.Context, q wire.MCPHeadersRequired) (map[string]string, error) {
	return h.s.questions.Headers(ctx, q)
}

// Sample implements [mcp.Asker].
func (h serverHost) Sample(ctx context.Context, server string, q mcp.Sampling) (json.RawMessage, error) {
	return h.s.questions.Sample(ctx, approval.Sampling{
		AgentID: q.AgentID, Server: server, RequestID: json.RawMessage(strconv.FormatInt(q.Number, 10)), Params: q.Params,
	})
}
