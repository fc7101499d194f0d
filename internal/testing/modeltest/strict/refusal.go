package strict

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// refusal is an error answer, in words that each dialect puts into its own form.
type refusal struct {
	status int // 0 is 400
	// code and param are those of OpenAI's errors; kind is the type of Anthropic's and the status of
	// Google's. Empty: the usual one.
	code, param, kind string
	message           string
	header            http.Header
	details           json.RawMessage // of Google's errors
}

// Error returns the message.
func (r *refusal) Error() string { return r.message }

// bad refuses a request.
func bad(format string, args ...any) error { return &refusal{message: fmt.Sprintf(format, args...)} }

// coded refuses a request with a code of OpenAI's.
func coded(code, param, format string, args ...any) error {
	return &refusal{code: code, param: param, message: fmt.Sprintf(format, args...)}
}

// asRefusal returns err as a refusal.
func asRefusal(err error) *refusal {
	if r, ok := err.(*refusal); ok {
		return r
	}
	return &refusal{message: err.Error()}
}

func (r *refusal) statusOr400() int {
	if r.status == 0 {
		return http.StatusBadRequest
	}
	return r.status
}

// wait is the header of a failure that passes in a second.
func wait() http.Header { return http.Header{"Retry-After": {"1"}} }

// openAIError is the body of OpenAI's errors.
// Source: developers.openai.com/api/docs/guides/error-codes.
func (r *refusal) openAIError() string {
	kind := r.kind
	if kind == "" {
		kind = "invalid_request_error"
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return encode(map[string]any{"error": map[string]any{
		"message": r.message, "type": kind, "param": orNull(r.param), "code": orNull(r.code),
	}})
}

// openAIFailure is OpenAI's error for a failure; both of its dialects have the same.
// Source: developers.openai.com/api/docs/guides/error-codes, and threads named in dialects.md §10.
func openAIFailure(f Failure) *refusal {
	switch f {
	case WrongKey:
		return &refusal{status: 401, code: "invalid_api_key", message: "Incorrect API key provided: sk-…abcd. You can find your API key at https://platform.openai.com/account/api-keys."}
	case NoAccess:
		return &refusal{status: 403, code: "unsupported_country_region_territory", kind: "request_forbidden", message: "Country, region, or territory not supported"}
	case NoCredit:
		return &refusal{status: 429, code: "insufficient_quota", kind: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details."}
	case TooFast:
		return &refusal{status: 429, code: "rate_limit_exceeded", kind: "tokens", header: wait(), message: "Rate limit reached for gpt-6.2-sol in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 1s."}
	case TooLong:
		return &refusal{code: "context_length_exceeded", param: "input", message: "Your input exceeds the context window of this model. Please adjust your input and try again."}
	case Overloaded:
		return &refusal{status: 503, code: "server_is_overloaded", kind: "service_unavailable_error", message: "Our servers are currently overloaded. Please try again later."}
	case Flagged:
		return &refusal{code: "invalid_prompt", message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy."}
	case NoSuchModel:
		return &refusal{status: 404, code: "model_not_found", message: "The model `x` does not exist or you do not have access to it."}
	}
	return &refusal{status: 500, code: "server_error", kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"}
}
