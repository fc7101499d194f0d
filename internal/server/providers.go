package server

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// addProviders registers named providers and models, and returns the models as
// session.model.list has them.
func addProviders(ctx context.Context, _ *conn, a *attachment, p wire.ProviderAdd) (any, error) {
	if err := a.client.AddProviders(ctx, p.Providers, p.Models); err != nil {
		return nil, err
	}
	return encode(struct {
		Models []wire.ModelInfo `json:"models"`
	}{namedModels(p.Models)})
}

// namedModels describes the models of named providers.
func namedModels(models []wire.ProviderModel) []wire.ModelInfo {
	infos := []wire.ModelInfo{}
	for _, m := range models {
		info := model.Info{ID: m.SelectionID(), Name: m.Name, MaxPrompt: m.MaxPromptTokens, MaxContext: m.MaxContextWindowTokens, MaxOutput: m.MaxOutputTokens}
		if info.Name == "" {
			info.Name = info.ID
		}
		if c := m.Capabilities; c != nil && c.Supports != nil && c.Supports.Vision != nil {
			info.Vision = *c.Supports.Vision
		}
		infos = append(infos, modelInfo(info))
	}
	return infos
}

// providerEndpoint returns the address of the model with the credential. It is refused unless the
// user who started the process has allowed it: any client of the session could read the key
// that another one has brought.
func providerEndpoint(ctx context.Context, c *conn, a *attachment, p struct {
	ModelID string `json:"modelId"`
},
) (any, error) {
	s := a.client.Session()
	if !c.home().ShowKeys {
		return nil, &fault.Error{
			Op: "session.provider.getEndpoint", On: s.ID(), Kind: fault.Denied, Err: errKeysHidden,
			Hint: "set COPILOT_ALLOW_GET_PROVIDER_ENDPOINT=true in the environment of the runtime, if every client may read the keys of its providers",
		}
	}
	provider, err := s.Settings().ProviderOf(ctx, p.ModelID)
	if err != nil {
		return nil, err
	}
	if provider.Missing != nil {
		return nil, provider.Missing
	}
	ep := provider.Endpoint
	header, err := c.srv.opts.Models.Header(ctx, ep, &model.Request{InteractionID: wire.NewID()})
	if err != nil {
		return nil, err
	}
	result := wire.ProviderEndpoint{Type: typeOf(&ep), WireAPI: wire.Optional(wire.WireAPICompletions), BaseURL: ep.BaseURL, Headers: map[string]string{}}
	switch {
	case ep.Dialect == responses.Name:
		result.WireAPI = wire.Optional(wire.WireAPIResponses)
	case result.Type != "openai" && result.Type != "azure":
		result.WireAPI = nil
	}
	for name := range header {
		// net/http writes GitHub in its own way; programs look for the usual one.
		result.Headers[strings.Replace(name, "X-Github-", "X-GitHub-", 1)] = header.Get(name)
	}
	if key, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer "); ok {
		result.APIKey = &key
	} else if key := cmp.Or(header.Get("X-Api-Key"), header.Get("Api-Key"), header.Get("X-Goog-Api-Key")); key != "" {
		result.APIKey = &key
	}
	return encode(result)
}

// typeOf is the type of a provider, as a client would give it.
func typeOf(ep *model.Endpoint) wire.ProviderEndpointType {
	switch {
	case ep.Azure.Resource:
		return "azure"
	case ep.Dialect == "" || ep.Dialect == chat.Name || ep.Dialect == responses.Name:
		return "openai"
	}
	return wire.ProviderEndpointType(ep.Dialect) // the other dialects are called as their types
}

var errKeysHidden = errors.New("this runtime does not give the credentials of its providers to clients")
