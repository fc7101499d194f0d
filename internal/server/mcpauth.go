package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The methods about signing in to MCP servers.

// loginServer begins to sign in to a server, and returns the page to open.
func loginServer(ctx context.Context, s *session.Session, p wire.MCPLogin) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, fault.New(fault.Unavailable, "mcp", "", "MCP host is not available: no MCP servers are configured for this session")
	}
	grant := wire.OrZero(p.GrantType)
	if grant != "" && grant != wire.MCPLoginWithCode {
		return nil, fault.New(fault.Invalid, "", "", "grantType is %q, want %q: configure the Authorization header of %q for another", grant, wire.MCPLoginWithCode, p.ServerName)
	}
	page, err := set.Login(ctx, mcp.Login{
		Name: p.ServerName, Again: wire.OrZero(p.ForceReauth), ClientID: wire.OrZero(p.ClientID), ClientSecret: wire.OrZero(p.ClientSecret), ClientName: wire.OrZero(p.ClientName),
		Done: wire.OrZero(p.CallbackSuccessMessage),
	})
	if err != nil {
		return nil, err
	}
	return wire.MCPLoggedIn{AuthorizationURL: wire.Optional(page)}, nil
}

// pendingAnswer is the answer to a request of an MCP server for a token or for headers.
type pendingAnswer struct {
	RequestID string          `json:"requestId"`
	Result    json.RawMessage `json:"result"`
}

// kind decodes the answer, and returns which one it is.
func (p *pendingAnswer) kind(into any) (string, error) {
	var kind struct {
		Kind string `json:"kind"`
	}
	if len(p.Result) == 0 {
		return "", missing("result")
	}
	if err := fault.DecodeObject(p.Result, &kind); err != nil {
		return "", fault.New(fault.Invalid, "", "", "result cannot be read: %w", err)
	}
	if err := json.Unmarshal(p.Result, into); err != nil {
		return "", fault.New(fault.Invalid, "", "", "result cannot be read: %w", fault.JSON(err))
	}
	return kind.Kind, nil
}

func answerSignIn(ctx context.Context, s *session.Session, p pendingAnswer) (any, error) {
	token := &wire.MCPToken{}
	switch kind, err := p.kind(token); {
	case err != nil:
		return nil, s.Questions().Refuse(ctx, p.RequestID, approval.SignsIn, err)
	case kind == "cancelled":
		token = nil
	case kind != "token":
		return nil, s.Questions().Refuse(ctx, p.RequestID, approval.SignsIn, unfit(`result.kind is %q, want "token" or "cancelled"`, fault.Bounded(kind)))
	}
	return answered(s.Questions().AnswerSignIn(ctx, p.RequestID, token))
}

func answerHeaders(ctx context.Context, s *session.Session, p pendingAnswer) (any, error) {
	var given struct {
		Headers map[string]string `json:"headers"`
	}
	switch kind, err := p.kind(&given); {
	case err != nil:
		return nil, s.Questions().Refuse(ctx, p.RequestID, approval.GivesHeaders, err)
	case kind == "none" || kind == "error": // the latter is of newer SDKs
		given.Headers = nil
	case kind != "headers":
		return nil, s.Questions().Refuse(ctx, p.RequestID, approval.GivesHeaders, unfit(`result.kind is %q, want "headers" or "none"`, fault.Bounded(kind)))
	case given.Headers == nil:
		given.Headers = map[string]string{}
	}
	return answered(s.Questions().AnswerHeaders(ctx, p.RequestID, given.Headers))
}

// probeServer asks a server whether it wants the user to sign in, and changes nothing.
func probeServer(ctx context.Context, s *session.Session, p onServer) (any, error) {
	set, err := session.MCP(s).Set()
	if err != nil {
		return nil, err
	}
	return set.Probe(ctx, p.Name)
}

// credentialsChanged has servers read their stored tokens again.
func credentialsChanged(_ context.Context, s *session.Session, p onServer) (any, error) {
	if set, err := session.MCP(s).Set(); err == nil {
		set.Reread(p.Name)
	}
	return none{}, nil
}
