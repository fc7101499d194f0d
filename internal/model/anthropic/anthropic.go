// Package anthropic is the dialect of Anthropic's Messages: POST of a conversation to
// /v1/messages, answered by a stream of events or by one JSON object. Anthropic's own API and
// the Copilot API have it, and so do MiniMax, DeepSeek, Ollama, vLLM and LM Studio.
//
// # What is sent back
//
// Thinking goes back as it came, with its signature and in its place, and only to the model
// that it came from: newer models refuse a conversation in which something before their
// thinking has changed.
package anthropic

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "anthropic"

// version is the version of the API; there is no newer one.
const version = "2023-06-01"

// New returns the dialect.
func New() model.Dialect {
	return model.HTTP(Name, model.Protocol{
		Address:     func(ep *model.Endpoint, _ *model.Request) (*url.URL, error) { return at(ep, "messages") },
		ListAddress: func(ep *model.Endpoint) (*url.URL, error) { return at(ep, "models") },
		Header:      authorize,
		Encode:      encode,
		Params: func(*model.Endpoint) *model.ParamNames {
			return &model.ParamNames{Temperature: "temperature", TopP: "top_p", TopK: "top_k"}
		},
		Members: []string{
			"model", "max_tokens", "tools", "system", "messages", "thinking", "output_config", "output_format", "stream", "temperature", "top_p", "top_k",
		},
		Decoder: func(_ *model.Endpoint, _ *model.Request, emit func(model.Delta)) model.Decoder {
			return &decoder{answer: answer{Blocks: model.Blocks{Emit: emit}}}
		},
		Infos:  decodeInfos,
		Errors: failures,
	})
}

// at returns an address of the API. Programs write its base URL with /v1 and without.
func at(ep *model.Endpoint, path string) (*url.URL, error) {
	u, err := ep.At()
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/v1") && !strings.HasSuffix(u.Path, "/v1/") {
		u = u.JoinPath("v1")
	}
	return u.JoinPath(path), nil
}

func authorize(h http.Header, ep *model.Endpoint) {
	h.Set("Anthropic-Version", version)
	switch {
	case ep.BearerToken != "":
		h.Set("Authorization", "Bearer "+ep.BearerToken)
	case ep.APIKey != "":
		h.Set("X-Api-Key", ep.APIKey)
	}
}

// failures are the errors that only this dialect has, also those within a stream, where there
// is no status.
// Source: the error types of anthropic-sdk-go v1.84.0, and dialect tables of public clients.
var failures = model.ErrorTable{
	{
		Status: http.StatusRequestEntityTooLarge, Category: model.CategoryQuery, Final: true, Repair: model.RepairImages, // 32 MB; it counts bytes
		Hint: "the request is larger than the provider takes: attach less, or begin a new session",
	},
	{Codes: []string{"billing_error"}, Category: model.CategoryQuota, Final: true},
	{Words: []string{"expected `thinking` or `redacted_thinking`"}, Category: model.CategoryQuery, Final: true, Repair: model.RepairNoThinking},
	{
		Words: []string{
			"invalid `signature` in `thinking`", "bound to a different conversation",
			"`thinking`…blocks in the latest assistant message cannot be modified",
		},
		Category: model.CategoryQuery, Final: true, Repair: model.RepairReasoning,
	},
	{Codes: []string{"rate_limit_error"}, Category: model.CategoryRateLimit, Passing: true},
	{Codes: []string{"api_error", "timeout_error"}, Category: model.CategoryServer, Passing: true},
	{Codes: []string{"authentication_error"}, Category: model.CategoryAuthentication, Final: true},
	{Codes: []string{"permission_error"}, Category: model.CategoryAuthorization, Final: true},
}
