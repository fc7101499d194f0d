package session

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
