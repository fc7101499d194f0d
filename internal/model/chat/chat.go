// Package chat is the dialect of OpenAI-compatible chat completions: POST of a
// conversation to /chat/completions, answered by a stream of chunks or by one JSON
// object. Most providers and all local model servers offer it, each in a variation of
// its own, and the Copilot API does too.
//
// # Several choices
//
// Some endpoints, the Copilot API among them, send the text of an answer in one
// choice and its tool calls in the next. They are parts of one answer here, not
// alternatives: contents are joined and tool calls listed in order of choice.
package chat

import (
	"net/http"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "chat-completions"

// New returns the dialect.
func New() model.Dialect {
	return model.HTTP(Name, model.Protocol{
		Address: func(ep *model.Endpoint, r *model.Request) (*url.URL, error) {
			return ep.AtOpenAI(r.ModelAt(ep), "chat", "completions")
		},
		ListAddress: func(ep *model.Endpoint) (*url.URL, error) { return ep.AtOpenAI("", "models") },
		Header:      func(h http.Header, ep *model.Endpoint) { ep.AuthorizeOpenAI(h) },
		CallHeader:  nameConversation,
		Encode:      encode,
		Params:      paramsOf,
		Members:     members(),
		Decoder:     newDecoder,
		Infos:       model.DecodeInfos,
		Errors:      failures,
	})
}

// failures are the errors that only this dialect has.
// Source: reports about the models of OpenAI and of the Copilot API since 2026-07, and what public
// clients of Cerebras match.
var failures = model.ErrorTable{
	{Words: []string{"use 'max_completion_tokens'"}, Category: model.CategoryQuery, Final: true, Repair: model.RepairTokensName},
	{Words: []string{"function tools with reasoning_effort"}, Category: model.CategoryQuery, Final: true, Repair: model.RepairResponses},
	{Codes: []string{"unsupported_api_for_model"}, Category: model.CategoryQuery, Final: true, Repair: model.RepairResponses},
	{Host: "cerebras.ai", Status: http.StatusBadRequest, Empty: true, Category: model.CategoryContextLimit, Final: true},
}
