// Package ollama is the dialect of Ollama's own API: POST of a conversation to /api/chat,
// answered by lines of JSON or by one JSON object. Ollama has chat completions, too, but only
// this API lets a client choose the size of the context window and learn what a model can do.
//
// # The context window
//
// By default Ollama removes old messages from a prompt that is too long for the context
// window, and says nothing. The window is 4,096 tokens on most machines, which the system
// message and the tools fill. So each request sets the window (num_ctx: [Window], or
// [model.Endpoint.MaxPromptTokens]), and asks for an error in the place of a shorter prompt
// (truncate and shift are false). The number is the same in all requests of a conversation,
// because Ollama loads the model again when it changes. A window larger than that of the model
// becomes that of the model.
//
// # What is sent back
//
// Thinking goes back as text, and only to the model that it came from.
package ollama

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "ollama"

// Window is the context window that requests ask for if nothing else is configured, in tokens.
// Source: Ollama's page on context length recommends 64,000 or more for agents.
const Window = 65_536

// New returns the dialect.
func New() model.Dialect {
	return model.HTTP(Name, model.Protocol{
		Address:     func(ep *model.Endpoint, _ *model.Request) (*url.URL, error) { return at(ep, "chat") },
		ListAddress: func(ep *model.Endpoint) (*url.URL, error) { return at(ep, "tags") },
		Header:      authorize,
		Framing:     &model.Framing{Type: "application/x-ndjson", Read: newLines},
		Encode:      encode,
		Params:      func(*model.Endpoint) *model.ParamNames { return params() },
		Nested:      true,
		Members:     []string{"model", "messages", "tools", "stream", "truncate", "shift", "think", "format", "options"},
		Decoder: func(_ *model.Endpoint, _ *model.Request, emit func(model.Delta)) model.Decoder {
			return &decoder{Blocks: model.Blocks{Emit: emit}}
		},
		Infos:  decodeInfos,
		Errors: failures,
	})
}

// at returns an address of the API. A base URL may be that of chat completions.
func at(ep *model.Endpoint, path string) (*url.URL, error) {
	u, err := ep.At()
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	return u.JoinPath("api", path), nil
}

// authorize adds a key, which only Ollama's cloud and proxies want.
func authorize(h http.Header, ep *model.Endpoint) {
	if secret := ep.Secret(); secret != "" {
		h.Set("Authorization", "Bearer "+secret)
	}
}

// failures are the errors that have no code. Most pass on what the program says that runs the
// model.
// Source: server/routes.go and llm/llama_server.go of Ollama v0.30.0.
var failures = model.ErrorTable{
	{
		Words:    []string{"exceeds the available context", "exceeds the context length", "exceeds maximum context length", "exceed_context_size", "context length exceeded"},
		Category: model.CategoryContextLimit, Final: true,
	},
	{Words: []string{"requires more system memory", "out of memory"}, Category: model.CategoryServer, Final: true},
	{Words: []string{"server busy"}, Category: model.CategoryOverloaded, Passing: true},
}
