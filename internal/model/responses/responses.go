// Package responses is the dialect of OpenAI's Responses: POST of a conversation to
// /responses, answered by a stream of events or by one JSON object. OpenAI and the Copilot API
// serve their newer models by it only; Azure, xAI, Ollama, vLLM, LM Studio and llama.cpp have it,
// too.
//
// # What is sent back
//
// The server keeps nothing (store is false), so each request has the whole conversation.
// Newer models check that nothing before their reasoning has changed, so an answer is sent
// back as it came: its reasoning unchanged and encrypted, its text and calls between, in the
// order of the model.
package responses

import (
	"net/http"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "responses"

// New returns the dialect.
func New() model.Dialect {
	return model.HTTP(Name, model.Protocol{
		Address:     func(ep *model.Endpoint, _ *model.Request) (*url.URL, error) { return ep.AtOpenAI("", "responses") },
		ListAddress: func(ep *model.Endpoint) (*url.URL, error) { return ep.AtOpenAI("", "models") },
		Header:      func(h http.Header, ep *model.Endpoint) { ep.AuthorizeOpenAI(h) },
		Encode:      encode,
		// Source: OpenAI's reference of Responses, 2026-11: it has neither a seed nor penalties.
		Params: func(*model.Endpoint) *model.ParamNames {
			return &model.ParamNames{Temperature: "temperature", TopP: "top_p"}
		},
		Members: []string{
			"type", "model", "input", "tools", "store", "stream", "max_output_tokens", "reasoning", "include", "text", "prompt_cache_key",
			"previous_response_id", "temperature", "top_p",
		},
		Decoder: func(_ *model.Endpoint, _ *model.Request, emit func(model.Delta)) model.Decoder {
			return &decoder{answer: answer{Blocks: model.Blocks{Emit: emit}}}
		},
		Infos:   model.DecodeInfos,
		Errors:  failures,
		Binding: model.BoundToSettings,
	})
}

// failures are the codes that only this dialect has, also those within a stream, where there is
// no status. Source: the type ResponseErrorCode of openai-go v3.96.0, and its WebSocket clients.
var failures = model.ErrorTable{
	{Codes: []string{"rate_limit_exceeded", "websocket_stream_limit_reached"}, Category: model.CategoryRateLimit, Passing: true},
	{Codes: []string{"server_error"}, Category: model.CategoryServer, Passing: true},
	{Codes: []string{"websocket_connection_limit_reached"}, Category: model.CategoryNetwork, Passing: true}, // after an hour; another one serves
	{Words: []string{"items are not persisted when"}, Category: model.CategoryQuery, Final: true, Repair: model.RepairReasoning},
}
