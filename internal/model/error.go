package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Categories of failure: the errorType of a session.error event.
const (
	CategoryAuthentication = "authentication" // 401: no or wrong credential
	CategoryAuthorization  = "authorization"  // 403: this credential may not
	CategoryQuota          = "quota"          // 402, or the account's credit is used up
	CategoryRateLimit      = "rate_limit"     // 429: too many calls
	CategoryContextLimit   = "context_limit"  // 413, or more tokens than the model takes
	CategoryQuery          = "query"          // any other 4xx: the request is wrong
	CategoryServer         = "server"         // 5xx, or an error without a status
	CategoryNetwork        = "network"        // no connection, or one that broke
	CategoryTimeout        = "timeout"        // 408, silence, or the caller's deadline
	CategoryProtocol       = "protocol"       // an answer that is not chat completions
)

// Error is what is known about a failed call. It is always wrapped in a
// [*fault.Error]; reach it with [errors.As].
type Error struct {
	// Status is the HTTP status, or the one an error inside a stream names; 0 if
	// there was no answer.
	Status int
	// Code, Type and Message are the provider's, or Message is ours.
	Code, Type, Message string
	// RetryAfter is how long the provider asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// CallID is the provider's id of the exchange.
	CallID string
	// URL was called; without user, password and query.
	URL string

	category string // overrides what status and code tell
	again    bool   // trying again may help, and nothing was delivered
	cause    error
}

// Error returns status, code, message, wait and call id, leaving out what is not
// known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Status != 0 {
		fmt.Fprintf(&b, "HTTP %d", e.Status)
	}
	if code := cmp.Or(e.Code, e.Type); code != "" && code != strconv.Itoa(e.Status) {
		b.WriteString(" " + code)
	}
	if b.Len() > 0 && e.Message != "" {
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %v", e.RetryAfter)
	}
	if e.CallID != "" {
		b.WriteString(" [request " + e.CallID + "]")
	}
	return strings.TrimSpace(b.String())
}

// Unwrap returns what the network said, if that was the failure.
func (e *Error) Unwrap() error { return e.cause }

// Codes by which providers name the two failures a caller treats specially:
// waiting does not cure the first, a shorter prompt cures the second.
// Sources: the error tables of OpenAI, DeepSeek, the Copilot API and llama.cpp.
var (
	quotaCodes   = []string{"insufficient_quota", "quota_exceeded", "billing_hard_limit_reached"}
	contextCodes = []string{"context_length_exceeded", "model_max_prompt_tokens_exceeded", "exceed_context_size_error"}
	// contextWords are for servers which send the sentence without a code, such
	// as vLLM.
	contextWords = []string{"maximum context length", "context length exceeded", "prompt is too long"}
)

// Category returns one of the Category constants.
func (e *Error) Category() string {
	switch {
	case e.category != "":
		return e.category
	case e.Status == http.StatusPaymentRequired || e.coded(quotaCodes):
		return CategoryQuota
	case e.Status == http.StatusRequestEntityTooLarge || e.coded(contextCodes) || e.tooLong():
		return CategoryContextLimit
	}
	return byStatus(e.Status, e.Code+" "+e.Type)
}

func (e *Error) coded(codes []string) bool {
	return slices.Contains(codes, e.Code) || slices.Contains(codes, e.Type)
}

func (e *Error) tooLong() bool {
	return e.Status == http.StatusBadRequest && slices.ContainsFunc(contextWords, func(w string) bool {
		return strings.Contains(strings.ToLower(e.Message), w)
	})
}

// byStatus classifies by status and, inside a stream where there is none, by
// what the code or type contains.
func byStatus(status int, code string) string {
	switch {
	case status == http.StatusUnauthorized:
		return CategoryAuthentication
	case status == http.StatusForbidden:
		return CategoryAuthorization
	case status == http.StatusRequestTimeout:
		return CategoryTimeout
	case status == http.StatusTooManyRequests, strings.Contains(code, "rate_limit"):
		return CategoryRateLimit
	case status >= 500:
		return CategoryServer
	case status >= 400, strings.Contains(code, "invalid_request"):
		return CategoryQuery
	case status >= 300:
		return CategoryProtocol
	}
	return CategoryServer
}

// advice is what a caller can do and a person should look at, by category.
var advice = map[string]struct {
	kind fault.Kind
	hint string
}{
	CategoryAuthentication: {fault.Denied, "check the API key or token of this provider"},
	CategoryAuthorization:  {fault.Denied, "this credential may not use that model or endpoint"},
	CategoryQuota:          {fault.Denied, "check the plan and credit of this account with the provider"},
	CategoryRateLimit:      {fault.Unavailable, ""},
	CategoryContextLimit:   {fault.Invalid, "the conversation is too long for this model: compact it or choose a larger one"},
	CategoryQuery:          {fault.Invalid, ""},
	CategoryServer:         {fault.Unavailable, ""},
	CategoryNetwork:        {fault.Unavailable, ""},
	CategoryTimeout:        {fault.Unavailable, ""},
	CategoryProtocol:       {fault.Invalid, "check the base URL: it often ends in /v1"},
}

// fault wraps e for the border of the package.
func (e *Error) fault(op string) *fault.Error {
	a := advice[e.Category()]
	f := &fault.Error{Op: op, On: e.URL, Kind: a.kind, Hint: a.hint, Err: e}
	if e.Status == http.StatusNotFound {
		f.Kind, f.Hint = fault.NotFound, "check the model name and the base URL"
	}
	return f
}

// ended returns the fault for a context that is over: the caller's wish, or the
// caller's deadline. On is a URL without credentials.
func ended(ctx context.Context, op, on string) *fault.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e := &Error{URL: on, Message: "the caller's deadline passed", category: CategoryTimeout, cause: ctx.Err()}
		return e.fault(op)
	}
	return fault.New(fault.Canceled, op, on, "%w", context.Cause(ctx))
}
