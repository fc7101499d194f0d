package model

import (
	"net/http"
	"testing"
	"time"
)

// Whatever a provider sends as an error, it is classified, and the numbers in it stay in bounds.
func FuzzErrorBody(f *testing.F) {
	for _, body := range []string{
		`{"error":{"code":"rate_limit_exceeded","message":"Please try again in 11.054s"}}`,
		`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"},{"violations":[{"quotaId":"PerDay"}]}]}}]`,
		`{"error":{"n_ctx":4096,"type":"exceed_context_size_error"}}`,
		`{"message":"input length and max_tokens exceed context limit: 99 + 88 > 77"}`,
		`<html>`, ``, `{"error":{"details":{}}}`, `{"error":{"metadata":{"raw":"x"},"innererror":{"code":"y"}}}`,
	} {
		f.Add(429, body, "1e9")
		f.Add(400, body, "Fri, 31 Dec 9999 23:59:59 GMT")
	}
	f.Fuzz(func(t *testing.T, status int, body, wait string) {
		resp := &http.Response{StatusCode: status, Header: http.Header{"Retry-After-Ms": {wait}, "Content-Type": {"application/json"}}}
		e := refused(resp, []byte(body), "https://model.test/v1", ErrorTable{{Words: []string{"never…this"}, Category: CategoryQuota}})
		const year = 366 * 24 * time.Hour
		if e.Category == "" || e.RetryAfter < 0 || e.RetryAfter > year || e.Limit < 0 || e.Limit > 1<<30 {
			t.Errorf("%+v of %d %q", e, status, body)
		}
		if fx, ok := fixOf(e); ok && (fx.kind == "" || fx.n < 0) {
			t.Errorf("%+v asks for %+v", e, fx)
		}
		if e.fault("test").Error() == "" {
			t.Error("it says nothing")
		}
	})
}
