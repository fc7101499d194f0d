// Package gemini is the dialect of Google's Gemini API: POST of a conversation to
// models/NAME:streamGenerateContent, answered by a stream of partial answers, or to
// models/NAME:generateContent, answered by one.
//
// # What is sent back
//
// Newer models sign the parts of their answers, and refuse a call that comes back without its
// signature. Each signature goes back on the part that it came with. A call that another
// model has made gets a word that Google documents for that purpose.
package gemini

import (
	"net/http"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "gemini"

// New returns the dialect.
func New() model.Dialect {
	return model.HTTP(Name, model.Protocol{
		Address:     address,
		ListAddress: listAddress,
		Header:      authorize,
		Encode:      encode,
		Params:      func(*model.Endpoint) *model.ParamNames { return params() },
		Nested:      true,
		Members:     []string{"systemInstruction", "system_instruction", "tools", "contents", "generationConfig", "generation_config"},
		Decoder: func(_ *model.Endpoint, _ *model.Request, emit func(model.Delta)) model.Decoder {
			return &decoder{emit: emit}
		},
		Infos:   decodeInfos,
		Errors:  failures,
		Binding: model.Unbound, // Google documents no check
	})
}

func address(ep *model.Endpoint, r *model.Request) (*url.URL, error) {
	method := ":generateContent"
	if r.Stream {
		method = ":streamGenerateContent"
	}
	u, err := ep.At("models", url.PathEscape(r.ModelAt(ep))+method)
	if err == nil && r.Stream {
		q := u.Query()
		q.Set("alt", "sse") // without it the answer is one JSON list
		u.RawQuery = q.Encode()
	}
	return u, err
}

func listAddress(ep *model.Endpoint) (*url.URL, error) {
	u, err := ep.At("models")
	if err == nil {
		q := u.Query()
		q.Set("pageSize", "1000") // the most there may be; 50 if the request does not say
		u.RawQuery = q.Encode()
	}
	return u, err
}

func authorize(h http.Header, ep *model.Endpoint) {
	switch {
	case ep.BearerToken != "":
		h.Set("Authorization", "Bearer "+ep.BearerToken)
	case ep.APIKey != "":
		h.Set("X-Goog-Api-Key", ep.APIKey)
	}
}

// failures are the errors whose status misleads.
// Source: the error table of the Gemini API and what gemini-cli matches, 2026-11.
var failures = model.ErrorTable{
	{Codes: []string{"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"}, Category: model.CategoryServer, Passing: true, Tries: 2},
	{Words: []string{"api key not valid", "api_key_invalid"}, Category: model.CategoryAuthentication, Final: true}, // with 400
	{Status: http.StatusTooManyRequests, Words: []string{"per day", "perday", "limit: 0"}, Category: model.CategoryQuota, Final: true},
}
