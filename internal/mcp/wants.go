package mcp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
)

// probeTime bounds one question whether a server wants a token.
const probeTime = 20 * time.Second

// wants returns the challenge that a sign-in answers; nil if the server accepts what it is sent. last is the last challenge
// of this session, nil if there was none; it counts unless another token is stored now. Otherwise the server is asked.
func (l *Login) wants(ctx context.Context, c *config, last *challenge, token oauth.Token) (*challenge, error) {
	if last != nil && (l.Again || last.access == token.Access) {
		return last, nil
	}
	if token.Access != "" && token.Wanted != "" { // a session has noted it
		return &challenge{status: http.StatusForbidden, scope: token.Wanted, reason: insufficientScope}, nil
	}
	return l.probe(ctx, c, token.Access)
}

// probe asks a server whether it wants the user to sign in; nil if not. It connects and lists the tools, because servers may
// want a token for either. A token that the server refuses is refreshed.
func (l *Login) probe(ctx context.Context, c *config, access string) (*challenge, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	web := l.web
	if web == nil {
		own := newRoundTripper()
		defer own.CloseIdleConnections()
		web = own
	}
	own := &credentials{address: c.url}
	if access != "" {
		own.take("", access, true)
	}
	r, err := newRemote(c, web, own)
	if err != nil {
		return nil, err
	}
	r.renew = func(ctx context.Context, with sent, last *challenge) bool {
		if last.status != http.StatusUnauthorized || with.access == "" {
			return false
		}
		next, _ := l.Tokens.Refresh(ctx, c.url, with.access, last.metadata) // without one, the user signs in
		if next.Access == "" {
			return false
		}
		own.take("", next.Access, true)
		return true
	}
	err = r.firstRequests(ctx, c)
	if lack := (*narrow)(nil); r.refused.Load() || errors.As(err, &lack) {
		return own.last, nil
	}
	if refused := (*fault.Error)(nil); errors.As(err, &refused) {
		return nil, refused
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "mcp.login", c.url, "it cannot be asked whether it wants you to sign in: %w", err)
	}
	return nil, nil
}

// firstRequests connects to a server, lists its tools, and ends the connection.
func (r *remote) firstRequests(ctx context.Context, c *config) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "sidestick", Version: "0"}, &sdk.ClientOptions{
		Logger: slog.New(slog.DiscardHandler), Capabilities: &sdk.ClientCapabilities{},
	})
	transport := r.transport(c)
	if streamable, ok := transport.(*sdk.StreamableClientTransport); ok {
		streamable.DisableStandaloneSSE, streamable.MaxRetries = true, -1 // the answers are all that counts
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }() // it was only asked
	if caps := session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil
	}
	_, err = session.ListTools(ctx, nil)
	return err
}
