package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"time"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// none is the parameters of a method that has none.
type none struct{}

func connect(_ context.Context, c *conn, p wire.Connect) (any, error) {
	token := ""
	if p.Token != nil {
		token = *p.Token
	}
	if want := c.srv.opts.Token; want != "" && subtle.ConstantTimeCompare([]byte(token), []byte(want)) != 1 {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "AUTHENTICATION_FAILED: the connection token is wrong or missing"}
	}
	c.connected.Store(true)
	return wire.Connected{OK: true, ProtocolVersion: wire.ProtocolVersion, Version: c.srv.opts.Version}, nil
}

// strangerWait is how long a client that must bring a token may take to do so. SDKs
// connect with their first message.
const strangerWait = 30 * time.Second

// endStranger ends the connection of a client that has not shown who it is.
func (c *conn) endStranger() {
	if !c.connected.Load() {
		c.srv.opts.Logger.Warn("a client was cut off because it brought no connection token", "after", strangerWait)
		_ = c.rpc.Close()
	}
}

func ping(_ context.Context, _ *conn, p struct {
	Message *string `json:"message"`
},
) (any, error) {
	message := "pong"
	if p.Message != nil && *p.Message != "" {
		message += ": " + *p.Message
	}
	return wire.Pong{Message: message, Timestamp: wire.FormatTime(time.Now()), ProtocolVersion: wire.ProtocolVersion}, nil
}

func status(_ context.Context, c *conn, _ none) (any, error) {
	return wire.Status{Version: c.srv.opts.Version, ProtocolVersion: wire.ProtocolVersion}, nil
}

func authStatus(ctx context.Context, c *conn, _ none) (any, error) {
	return c.srv.opts.Identity.Status(ctx), nil
}

// listModels asks the provider of this process. A GitHub token in the call is
// used in place of the process's own, if the provider is the Copilot API.
func listModels(ctx context.Context, c *conn, p struct {
	GitHubToken *string `json:"gitHubToken"`
},
) (any, error) {
	provider := c.srv.opts.Provider
	if p.GitHubToken != nil && *p.GitHubToken != "" && provider.Endpoint.Kind == model.Copilot {
		provider.Endpoint.BearerToken = *p.GitHubToken
	}
	infos, err := c.srv.models(ctx, provider, provider.Model)
	if err != nil {
		return nil, err
	}
	list := wire.ModelList{Models: []wire.ModelInfo{}}
	for _, info := range infos {
		list.Models = append(list.Models, modelInfo(info))
	}
	return encode(list)
}

// modelInfo says both what a model supports and its limits, which two SDKs do not
// check for being there.
func modelInfo(i model.Info) wire.ModelInfo {
	effort := len(i.ReasoningEfforts) > 0
	m := wire.ModelInfo{
		ID: i.ID, Name: i.Name, SupportedReasoningEfforts: i.ReasoningEfforts,
		Capabilities: wire.ModelCapabilities{
			Supports: &wire.ModelCapabilitySupport{Vision: &i.Vision, ReasoningEffort: &effort},
			Limits: &wire.ModelCapabilityLimits{
				MaxPromptTokens: tokens(i.MaxPrompt), MaxOutputTokens: tokens(i.MaxOutput), MaxContextWindowTokens: tokens(i.MaxContext),
			},
		},
	}
	// What the provider says of policy and price is passed on if the client's
	// types can hold it, and left out otherwise.
	if json.Unmarshal(i.Policy, &m.Policy) != nil {
		m.Policy = nil
	}
	if json.Unmarshal(i.Billing, &m.Billing) != nil {
		m.Billing = nil
	}
	return m
}

func tokens(n int) *int64 {
	if n <= 0 {
		return nil
	}
	v := int64(n)
	return &v
}

// shutdown flushes everything and answers; the process stays until its parent
// ends it, because clients kill it as soon as they have the answer.
func shutdown(ctx context.Context, c *conn, _ none) (any, error) {
	return nil, c.srv.opts.Sessions.Close(ctx)
}
