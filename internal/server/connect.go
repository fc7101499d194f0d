package server

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// none is the parameters of a method that has none, and the result of one that has none: the schema of
// the SDKs says that such a method answers null.
type none struct{}

// empty is the result of a method whose result is an object without members.
type empty struct{}

func connect(ctx context.Context, c *conn, p wire.Connect) (any, error) {
	token := ""
	if p.Token != nil {
		token = *p.Token
	}
	err := c.authenticate(ctx, token)
	switch {
	case fault.KindOf(err) == fault.Denied:
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "AUTHENTICATION_FAILED: the connection token is wrong or missing"}
	case err != nil:
		return nil, err
	}
	c.connected.Store(true)
	if p.EnableGitHubTelemetryForwarding != nil {
		c.telemetry.Store(*p.EnableGitHubTelemetryForwarding)
	}
	c.clientTasks.Store(slices.Contains(p.SupportedTaskKinds, "client"))
	c.rpc.Trust()
	return wire.Connected{OK: true, ProtocolVersion: c.protocol, Version: c.srv.opts.Version}, nil
}

// tokenWait is how long a client may take to send its connection token. SDKs send it
// with their first message. A client that has not called connect may take as long for each
// message, from its first byte to its last, also if there is no token.
const tokenWait = 30 * time.Second

// firstFrame bounds the messages of a client that has not sent its token yet, in bytes. A
// connect has a few hundred.
const firstFrame = 64 << 10

// endWithoutToken ends the connection if the client has not sent its token after
// tokenWait. It returns then or when ctx ends.
func (c *conn) endWithoutToken(ctx context.Context) {
	wait := time.NewTimer(tokenWait)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return
	case <-wait.C:
	}
	if !c.connected.Load() {
		c.dismiss("it has sent no connection token for " + tokenWait.String())
	}
}

func ping(_ context.Context, c *conn, p struct {
	Message *string `json:"message"`
},
) (any, error) {
	message := "pong"
	if p.Message != nil && *p.Message != "" {
		message += ": " + *p.Message
	}
	return wire.Pong{Message: message, Timestamp: wire.FormatTime(time.Now()), ProtocolVersion: c.protocol}, nil
}

func status(_ context.Context, c *conn, _ none) (any, error) {
	return wire.Status{Version: c.srv.opts.Version, ProtocolVersion: c.protocol}, nil
}

func authStatus(ctx context.Context, c *conn, _ none) (any, error) {
	return c.home().Identity.Status(ctx), nil
}

// listModels lists the models of this process's provider. If the provider is the
// Copilot API, a GitHub token in the call replaces the process's own.
func listModels(ctx context.Context, c *conn, p struct {
	GitHubToken *string `json:"gitHubToken"`
},
) (any, error) {
	provider := c.home().Provider
	if p.GitHubToken != nil && *p.GitHubToken != "" {
		if err := checkToken("gitHubToken", *p.GitHubToken); err != nil {
			return nil, err
		}
		provider = c.home().Sessions.Models().WithGitHubToken(*p.GitHubToken, c.owner())
	}
	if carriage := c.carriage.Load(); carriage != nil {
		provider.Endpoint.Transport = lists{carrier{carriage: carriage}}
	}
	infos, err := c.models(ctx, provider, provider.Model)
	if err != nil {
		return nil, err
	}
	list := wire.ModelList{Models: []wire.ModelInfo{}}
	for _, info := range infos {
		list.Models = append(list.Models, modelInfo(info))
	}
	return encode(list)
}

// modelInfo describes a model with its capabilities and its limits, which two SDKs read
// without checking that they exist.
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
	// The provider's policy and price are passed on if the client's types can hold
	// them.
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

// shutdown writes everything to disk and answers; a later resume can go on with the runs under way. Afterwards nothing but leaving is answered. The process continues until its
// parent ends it, because clients kill it as soon as they have the answer.
func shutdown(ctx context.Context, c *conn, _ none) (any, error) {
	c.srv.down.Store(true)
	return nil, registry.Suspend(ctx, c.home().Sessions)
}
