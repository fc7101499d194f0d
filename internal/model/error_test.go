package model_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestFailuresHaveAKindAndACategory(t *testing.T) {
	for _, tc := range []struct {
		name     string
		reply    modeltest.Reply
		category string
		kind     fault.Kind
		text     string // part of the error
	}{
		{"a wrong key", modeltest.Failure(401, "invalid_api_key", "no such key"), model.CategoryAuthentication, fault.Denied, "HTTP 401 invalid_api_key: no such key"},
		{"a forbidden model", modeltest.Failure(403, "", "no"), model.CategoryAuthorization, fault.Denied, "credential"},
		{"no credit", modeltest.Failure(402, "", "pay"), model.CategoryQuota, fault.Denied, "credit"},
		{"credit used up", modeltest.Failure(429, "insufficient_quota", "pay"), model.CategoryQuota, fault.Denied, "credit"},
		{"the week is used up", modeltest.Failure(429, "user_weekly_rate_limited", "wait"), model.CategoryRateLimit, fault.Unavailable, "user_weekly_rate_limited: wait"},
		{"an unknown model", modeltest.Failure(404, "model_not_found", "what?"), model.CategoryQuery, fault.NotFound, "check the model name and the base URL"},
		{
			"a page instead of an API",
			modeltest.Reply{Status: 404, Body: "<html>", Header: map[string]string{"Content-Type": "text/html"}},
			model.CategoryQuery, fault.NotFound, "not a JSON answer (text/html): <html> [request req_modeltest] (check",
		},
		{"a bad request", modeltest.Failure(400, "invalid_value", "bad"), model.CategoryQuery, fault.Invalid, "invalid_value: bad"},
		{"another bad request", modeltest.Failure(422, "", "bad"), model.CategoryQuery, fault.Invalid, "bad"},
		{"too many tools", modeltest.Failure(400, "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 262 instead."), model.CategoryToolLimit, fault.Invalid, "switch tool search on with toolSearch"},
		{"too many tools at Groq", modeltest.Failure(400, "", "'tools' : maximum number of items is 128"), model.CategoryToolLimit, fault.Invalid, "excludedTools"},
		{"too many tools at Google", modeltest.Failure(400, "", "tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified."), model.CategoryToolLimit, fault.Invalid, "toolSearch"},
		{"too long, by code", modeltest.Failure(400, "context_length_exceeded", "long"), model.CategoryContextLimit, fault.Invalid, "send less"},
		{"too long, by status", modeltest.Failure(413, "", "long"), model.CategoryContextLimit, fault.Invalid, "send less"},
		{
			"too long, by words",
			modeltest.Reply{Status: 400, Body: `{"object":"error","message":"This model's maximum context length is 9 tokens","code":400}`},
			model.CategoryContextLimit, fault.Invalid, "HTTP 400: This model's",
		},
		{"the server's own timeout", modeltest.Failure(408, "", "slow"), model.CategoryTimeout, fault.Unavailable, "slow"},
		{"too many calls", modeltest.Failure(429, "rate_limit_exceeded", "slow down"), model.CategoryRateLimit, fault.Unavailable, "slow down"},
		{
			"a server's fault",
			modeltest.Reply{Status: 500, Body: "Proxy error", Header: map[string]string{"Content-Type": "text/plain"}},
			model.CategoryServer, fault.Unavailable, "HTTP 500: not a JSON answer (text/plain): Proxy error",
		},
		{"a string for an error", modeltest.Reply{Status: 400, Body: `{"error":"no such thing"}`}, model.CategoryQuery, fault.Invalid, "HTTP 400: no such thing"},
		{"a list around it", modeltest.Reply{Status: 400, Body: `[{"error":{"code":400,"message":"odd","status":"INVALID"}}]`}, model.CategoryQuery, fault.Invalid, "HTTP 400: odd"},
		{"a detail", modeltest.Reply{Status: 422, Body: `{"detail":[{"loc":"body"}]}`}, model.CategoryQuery, fault.Invalid, `HTTP 422: [{"loc":"body"}]`},
		{"as a success", modeltest.Reply{Body: `{"error":{"message":"overloaded","code":503}}`}, model.CategoryServer, fault.Unavailable, "HTTP 503: overloaded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tc.reply.Repeat = true
				_, _, err := call(t, asked, tc.reply)
				e := failure(t, err)
				if e.Category != tc.category || fault.KindOf(err) != tc.kind {
					t.Errorf("%v is %s, %v; want %s, %v", err, e.Category, fault.KindOf(err), tc.category, tc.kind)
				}
				if !strings.Contains(err.Error(), tc.text) {
					t.Errorf("error %q, want it to say %q", err, tc.text)
				}
			})
		})
	}
}

func TestAnErrorInsideAStream(t *testing.T) {
	text := `{"choices":[{"delta":{"content":"half"}}]}`
	for _, tc := range []struct {
		name, event, category, text string
	}{
		{"with a status", `{"error":{"message":"gone","code":429}}`, model.CategoryRateLimit, "HTTP 429: gone"},
		{"with a type", `{"error":{"message":"gone","type":"rate_limit_error"}}`, model.CategoryRateLimit, "rate_limit_error: gone"},
		{"about the request", `{"error":{"message":"bad","type":"invalid_request_error"}}`, model.CategoryQuery, "bad"},
		{"about the context", `{"error":{"message":"long","code":"context_length_exceeded"}}`, model.CategoryContextLimit, "long"},
		{"without anything", `{"error":{}}`, model.CategoryServer, `the provider reported an error: {"error":{}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, deltas, err := call(t, asking, modeltest.Reply{Events: []string{text, tc.event, "[DONE]"}})
			e := failure(t, err)
			if e.Category != tc.category || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("%v is %s, want %s and %q", err, e.Category, tc.category, tc.text)
			}
			if len(deltas) != 1 || e.CallID != "req_modeltest" {
				t.Errorf("%d deltas, call id %q", len(deltas), e.CallID)
			}
		})
	}
}

func TestNoCredentialIsEverShown(t *testing.T) {
	ep := model.Endpoint{BaseURL: "http://user:hunter2@model.test/v1?key=hunter2", APIKey: "hunter2", Headers: map[string]string{"X-Key": "hunter2"}}
	for name, reply := range map[string]modeltest.Reply{
		"refused": modeltest.Failure(401, "", "no"),
		"broken":  {Text: "x", CutBytes: 1},
		"garbled": {Body: "<html>"},
	} {
		srv := modeltest.NewServer(reply)
		client := model.New(model.Options{Transport: srv.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New())
		_, err := client.Stream(t.Context(), ep, asking, nil)
		if e := failure(t, err); strings.Contains(err.Error(), "hunter2") || e.URL != "http://model.test/v1/chat/completions" {
			t.Errorf("%s: %v, URL %s", name, err, e.URL)
		}
		srv.Close()
	}
	_, err := model.New(model.Options{}, chat.New()).Stream(t.Context(), model.Endpoint{BaseURL: "http://u:hunter2@[::1/"}, asking, nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a base URL that cannot be parsed: %v", err)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in90s := time.Now().Add(90 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
		for value, want := range map[string]time.Duration{
			"120": 2 * time.Minute, "90.5": 90500 * time.Millisecond, in90s: 90 * time.Second,
			"1e300": 366 * 24 * time.Hour, "61": 61 * time.Second,
		} {
			reply := modeltest.Failure(429, "", "later")
			reply.Header = map[string]string{"Retry-After": value}
			start := time.Now()
			hurried := asked
			hurried.Hurried = true
			_, _, err := call(t, hurried, reply)
			if e := failure(t, err); e.RetryAfter != want || time.Since(start) != 0 {
				t.Errorf("Retry-After %s: %v after %v, want %v and no wait", value, e.RetryAfter, time.Since(start), want)
			}
		}
	})
}
