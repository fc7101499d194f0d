package tool

import (
	"net/http"
	"net/url"
	"testing"
)

func TestRedirectAwayFromEncryption(t *testing.T) {
	secure, _ := url.Parse("https://a.com/")
	resp := &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"http://a.com/"}}}
	if _, err := redirect(resp, secure); err == nil || err.Error() != "it redirects to http://a.com/, which is not encrypted" {
		t.Errorf("away from https: %v", err)
	}
}
