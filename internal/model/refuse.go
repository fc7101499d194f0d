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
		Status: resp.StatusCode,
		URL:    on,
		CallID: callID(resp.Header),
		empty:  len(bytes.TrimSpace(body)) == 0,
		ignore: resp.Header.Get("X-Should-Retry") == "false",
	}
	if !e.read(body) {
		e.Message = describe(resp, body)
	}
	if wait := waitIn(resp.Header, time.Now()); wait > 0 {
		e.RetryAfter = wait
	}
	if kind := resp.Header.Get("X-Amzn-Errortype"); kind != "" {
		e.Type = exceptionName(kind)
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
	return cmp.Or(h.Get("X-Request-Id"), h.Get("X-Amzn-Requestid"))
}

// errorShape is the union of the known error bodies: OpenAI's {"error":{…}}, a bare
// {"error":"…"}, {"message":…} of gateways and vLLM, {"detail":…} of FastAPI, {"__type":…} of AWS.
type errorShape struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Status  string          `json:"status"` // Google's name of the code
	AWSType string          `json:"__type"`
	Code    json.RawMessage `json:"code"`
	Param   string          `json:"param"`           // OpenAI: which parameter is wrong
	Window  float64         `json:"n_ctx"`           // llama.cpp: the size of the context, in tokens
	Prompt  float64         `json:"n_prompt_tokens"` // llama.cpp: how many of them the request needs
	Details []struct {      // Google
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
		Violations []struct {
			Quota string `json:"quotaId"`
		} `json:"violations"`
	} `json:"details"`
	Inner struct { // Azure
		Code string `json:"code"`
	} `json:"innererror"`
	Metadata struct { // OpenRouter: what the provider behind it has said
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
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
	e.Code, e.Type = word(plain(s.Code)), word(cmp.Or(s.Type, s.Status, exceptionName(s.AWSType)))
	e.Message, e.Param = cmp.Or(s.Message, plain(s.Error), plain(s.Detail)), word(s.Param)
	e.besides(&s)
	return e.Message != "" || e.Code != "" || e.Type != ""
}

// word is a name that a server gives to something, short enough for an event.
func word(name string) string { return Excerpt([]byte(name), 120) }

// besides takes what a body says besides its message.
func (e *Error) besides(s *errorShape) {
	details := []string{s.Param, s.Inner.Code, Excerpt(s.Metadata.Raw, 400)}
	e.RetryAfter = waitInText(e.Message)
	for _, d := range s.Details {
		details = append(details, d.Reason)
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			e.RetryAfter = bounded(wait.Seconds())
		}
		for _, v := range d.Violations {
			details = append(details, v.Quota)
		}
	}
	e.Limit, e.Prompt = plausible(s.Window), plausible(s.Prompt)
	e.details = strings.Join(details, " ")
}

// exceptionName is the name of an exception of AWS, in a header or as __type, without its
// namespace and address.
func exceptionName(kind string) string {
	kind, _, _ = strings.Cut(kind, ":")
	return kind[strings.LastIndexByte(kind, '#')+1:]
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
