package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxErrorBody bounds how much of an error answer is read, in bytes. Provider
// errors are a few hundred; the rest is somebody's HTML.
const maxErrorBody = 64 << 10

// finalCodes are 429s that no wait within one call can cure.
var finalCodes = append([]string{"user_weekly_rate_limited"}, quotaCodes...)

// passing are the statuses worth another try. 529 is "overloaded".
var passing = []int{429, 500, 502, 503, 504, 529}

// refused makes an Error of an answer which is not a success.
func refused(resp *http.Response, body []byte, on string) *Error {
	e := &Error{
		Status:     resp.StatusCode,
		URL:        on,
		CallID:     callID(resp.Header),
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
	if !e.read(body) {
		e.Message = describe(resp, body)
	}
	e.again = e.mayPass()
	return e
}

// mayPass reports whether the provider's condition may be gone in a moment.
func (e *Error) mayPass() bool {
	return slices.Contains(passing, e.Status) && !e.coded(finalCodes)
}

// callID is the provider's name for an exchange.
func callID(h http.Header) string {
	if id := h.Get("X-Github-Request-Id"); id != "" {
		return id
	}
	return h.Get("X-Request-Id")
}

// retryAfter reads seconds or an HTTP date; 0 if v is neither or in the past.
func retryAfter(v string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
		const most = 366 * 24 * 3600 // a year, so that the product cannot overflow
		return time.Duration(min(max(s, 0), most) * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// errorShape is the union of the error bodies met: OpenAI's {"error":{…}}, a bare
// {"error":"…"}, {"message":…} of gateways and vLLM, {"detail":…} of FastAPI.
type errorShape struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
}

// read fills e from an error body and reports whether it said anything. A
// one-element array around the object, as Gemini sends it, is looked through.
func (e *Error) read(body []byte) bool {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var s errorShape
	if !lenient(json.Unmarshal(body, &s)) {
		return false
	}
	var inner errorShape
	if lenient(json.Unmarshal(s.Error, &inner)) && s.Error[0] == '{' {
		s = inner
	}
	e.Code, e.Type = plain(s.Code), s.Type
	e.Message = cmp.Or(s.Message, plain(s.Error), plain(s.Detail))
	return e.Message != "" || e.Code != "" || e.Type != ""
}

// plain returns a JSON string's value, any other value as written, null as "".
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return excerpt(raw, 200)
}

// unreadable makes an Error of a success that is not an answer: usually the
// page of a web server that lives at the base URL.
func unreadable(resp *http.Response, body []byte, on string) *Error {
	return &Error{
		Status: resp.StatusCode, URL: on, CallID: callID(resp.Header),
		Message: describe(resp, body), category: CategoryProtocol,
	}
}

// describe says what came instead of what was expected.
func describe(resp *http.Response, body []byte) string {
	if to, err := resp.Location(); err == nil && resp.StatusCode/100 == 3 {
		return fmt.Sprintf("redirected to %s; redirects are not followed", public(to))
	}
	kind := cmp.Or(resp.Header.Get("Content-Type"), "no content type")
	if len(bytes.TrimSpace(body)) == 0 {
		return fmt.Sprintf("%s (%s, empty body)", http.StatusText(resp.StatusCode), kind)
	}
	return fmt.Sprintf("not a JSON answer (%s): %s", kind, excerpt(body, 120))
}

// excerpt returns the first n characters of b that can be printed, white space
// folded into single spaces.
func excerpt(b []byte, n int) string {
	b = b[:min(len(b), 16*n)]
	var out []rune
	for _, r := range strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "")), " ") {
		if len(out) == n {
			return string(out) + "…"
		}
		if unicode.IsPrint(r) {
			out = append(out, r)
		}
	}
	return string(out)
}
