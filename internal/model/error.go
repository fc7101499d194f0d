package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Categories of failure: the errorType of a session.error event.
const (
	CategoryAuthentication = "authentication" // 401: no or wrong credential
	CategoryAuthorization  = "authorization"  // 403: this credential has no access
	CategoryQuota          = "quota"          // 402, or the account's credit is used up
	CategoryContentFilter  = "content_filter" // the provider's policy refuses the request or the answer
	CategoryRateLimit      = "rate_limit"     // 429: too many calls
	CategoryContextLimit   = "context_limit"  // 413, or more tokens than the model takes
	CategoryToolLimit      = "tool_limit"     // more tools than the provider takes
	CategoryQuery          = "query"          // any other 4xx: the request is wrong
	CategoryServer         = "server"         // 5xx, or an error without a status
	CategoryOverloaded     = "overloaded"     // 529, or the provider says so: it needs longer than after other errors
	CategoryNetwork        = "network"        // no connection, or one that broke
	CategoryTimeout        = "timeout"        // 408, silence, or the caller's deadline
	CategoryProtocol       = "protocol"       // an answer that breaks the protocol
	CategoryReplay         = "replay"         // a request that a recording does not have
)

// Error is what is known about a failed call. It is always wrapped in a
// [*fault.Error]; reach it with [errors.As].
type Error struct {
	// Status is the HTTP status, or the status that an error inside a stream names; 0 if
	// there was no answer.
	Status int
	// Code, Type, Param (which parameter of the request is wrong) and Message are the provider's, or Message is ours.
	Code, Type, Param, Message string
	// RetryAfter is how long the provider asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// Limit is the number of tokens that the model takes, if the category is [CategoryContextLimit], or of tools, if it
	// is [CategoryToolLimit], and the provider names it; 0 otherwise.
	Limit int
	// Prompt is how many tokens the refused prompt has by the provider's count, if the category is
	// [CategoryContextLimit] and the provider names it; 0 otherwise.
	Prompt int
	// CallID is the provider's id of the exchange.
	CallID string
	// URL was called; without user, password and query.
	URL string

	// Category is one of the Category constants.
	Category string
	// Retryable means that trying again may help.
	Retryable bool
	// Delivered means that a piece of the answer went out before the call failed.
	Delivered bool
	// Tried is how many requests were made, and TriedFor the time from the first failure to the
	// last. They are set when the call has failed for good.
	Tried    int
	TriedFor time.Duration
	// Cause is what the network reported, if that was the failure.
	Cause error
	// EndedEarly says why the provider's stream, which has ended, has no answer: "missing_finish_reason", or
	// "no_chunks" if nothing came; "" for other failures. EndMark means that the stream had the mark of its end.
	EndedEarly string
	EndMark    bool

	details string // what the provider says besides the message, for rows only; never shown
	empty   bool   // the answer had no body
	ignore  bool   // the provider asks not to try again
	// total is for how long calls are tried again, if RetryAfter is longer than what was left of it.
	total time.Duration
	// Of the row that fits:
	hint   string
	repair Repair
	tries  int
	// loading says that the server loads its model, and can be called when it has.
	loading bool
}

// OtherModelHelps reports whether a call that failed so may succeed with a model of another
// provider: the provider cannot be reached, is overloaded or broken, limits its calls, has no credit
// left, or does not have the model. After the first piece of an answer there is no other try.
func (e *Error) OtherModelHelps() bool {
	switch e.Category {
	case CategoryOverloaded, CategoryRateLimit, CategoryQuota, CategoryServer, CategoryNetwork, CategoryTimeout:
		return !e.Delivered
	case CategoryQuery:
		return e.Status == http.StatusNotFound || e.Code == "model_not_found"
	}
	return false
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
	if e.total > 0 {
		fmt.Fprintf(&b, " (a call is tried again for %v at most)", e.total)
	}
	if e.Tried > 1 {
		fmt.Fprintf(&b, "; tried %d times in %v", e.Tried, e.TriedFor.Round(100*time.Millisecond))
	}
	if e.CallID != "" {
		b.WriteString(" [request " + e.CallID + "]")
	}
	return strings.TrimSpace(b.String())
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// advice is what a caller can do and the user should look at, by category.
var advice = lazy.Value[map[string]struct {
	kind fault.Kind
	hint string
}]{Make: func() map[string]struct {
	kind fault.Kind
	hint string
} {
	return map[string]struct {
		kind fault.Kind
		hint string
	}{
		CategoryAuthentication: {fault.Denied, "check the API key or token of this provider"},
		CategoryAuthorization:  {fault.Denied, "this credential may not use that model or endpoint"},
		CategoryQuota:          {fault.Denied, "check the plan and credit of this account with the provider"},
		CategoryContentFilter:  {fault.Denied, "the provider's policy refuses this: say it in another way, or use another model"},
		CategoryOverloaded:     {fault.Unavailable, ""},
		CategoryRateLimit:      {fault.Unavailable, ""},
		CategoryContextLimit:   {fault.Invalid, "the prompt is too long for this model: send less at once, or choose a model with a larger context window"},
		CategoryToolLimit:      {fault.Invalid, "the request has more tools than the provider takes: switch tool search on with toolSearch, or leave tools out with excludedTools"},
		CategoryQuery:          {fault.Invalid, ""},
		CategoryServer:         {fault.Unavailable, ""},
		CategoryNetwork:        {fault.Unavailable, ""},
		CategoryTimeout:        {fault.Unavailable, ""},
		CategoryProtocol:       {fault.Invalid, "check the base URL: it often ends in /v1"},
		CategoryReplay:         {fault.Invalid, ""},
	}
}}

// fault wraps e for the border of the package.
func (e *Error) fault(op string) *fault.Error {
	a := advice.Get()[e.Category]
	f := &fault.Error{Op: op, On: e.URL, Kind: a.kind, Hint: a.hint, Err: e}
	if e.Status == http.StatusNotFound && e.Category == CategoryQuery {
		f.Kind, f.Hint = fault.NotFound, "check the model name and the base URL"
	}
	f.Hint = cmp.Or(e.hint, f.Hint)
	return f
}

// ended returns the fault for a context that is over, because the caller canceled it or
// its deadline passed. on is a URL without credentials.
func ended(ctx context.Context, op, on string) *fault.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e := &Error{URL: on, Message: "the caller's deadline passed", Category: CategoryTimeout, Cause: ctx.Err()}
		return e.fault(op)
	}
	return fault.New(fault.Canceled, op, on, "%w", context.Cause(ctx))
}

// ErrorOf returns the [Error] of a call that err is or wraps, nil if it is none.
func ErrorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
