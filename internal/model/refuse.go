package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxErrorBody bounds how much of an error answer is read, in bytes. Provider
// errors have a few hundred; longer bodies are web pages.
const maxErrorBody = 64 << 10

// refused makes an Error of an answer which is not a success.
func refused(resp *http.Response, body []byte, on string, table ErrorTable) *Error {
	e := &Error{
		Status:     resp.StatusCode,
		URL:        on,
		CallID:     callID(resp.Header),
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
	if !e.read(body) {
		e.Message = describe(resp, body)
	}
	table.Classify(e)
	return e
}

// ReportedError makes an Error of one that came within a successful answer, as JSON. A
// status that it names as its code counts as if it were the answer's. The caller of a
// [Decoder] classifies it.
func ReportedError(data []byte) *Error {
	e := &Error{}
	if !e.read(data) {
		e.Message = "the provider reported an error: " + Excerpt(data, 120)
	}
	if status, _ := strconv.Atoi(e.Code); status >= 400 && status < 600 {
		e.Status = status
	}
	return e
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

// errorShape is the union of the known error bodies: OpenAI's {"error":{…}}, a bare
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
	if !ValidButMistyped(json.Unmarshal(body, &s)) {
		return false
	}
	var inner errorShape
	if ValidButMistyped(json.Unmarshal(s.Error, &inner)) && s.Error[0] == '{' {
		s = inner
	}
	e.Code, e.Type = plain(s.Code), s.Type
	e.Message = cmp.Or(s.Message, plain(s.Error), plain(s.Detail))
	return e.Message != "" || e.Code != "" || e.Type != ""
}

// plain returns the value of a JSON string, "" for null, and any other JSON as written.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return Excerpt(raw, 200)
}

// unreadable makes an Error of a success that is not an answer, usually a web page
// that is served at the base URL.
func unreadable(resp *http.Response, body []byte, on string) *Error {
	return &Error{
		Status: resp.StatusCode, URL: on, CallID: callID(resp.Header),
		Message: describe(resp, body), Category: CategoryProtocol,
	}
}

// describe says what came instead of an answer.
func describe(resp *http.Response, body []byte) string {
	if to, err := resp.Location(); err == nil && resp.StatusCode/100 == 3 {
		return fmt.Sprintf("redirected to %s; redirects are not followed", public(to))
	}
	kind := cmp.Or(resp.Header.Get("Content-Type"), "no content type")
	if len(bytes.TrimSpace(body)) == 0 {
		return fmt.Sprintf("%s (%s, empty body)", http.StatusText(resp.StatusCode), kind)
	}
	return fmt.Sprintf("not a JSON answer (%s): %s", kind, Excerpt(body, 120))
}

// Excerpt returns the first n characters of b that can be printed, white space
// folded into single spaces.
func Excerpt(b []byte, n int) string {
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

// ValidButMistyped reports whether err, from [json.Unmarshal], leaves a document that was valid
// JSON, if not of the types asked for: encoding/json fills in all other fields that fit.
func ValidButMistyped(err error) bool {
	var wrongType *json.UnmarshalTypeError
	return err == nil || errors.As(err, &wrongType)
}
