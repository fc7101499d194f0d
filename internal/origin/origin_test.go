package origin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/origin"
)

func TestForeignOrigins(t *testing.T) {
	for _, tc := range []struct {
		origins []string
		want    bool
	}{
		{nil, false},
		{[]string{"http://localhost:1"}, false},
		{[]string{"http://LOCALHOST:1"}, false},
		{[]string{"http://localhost:2"}, true},
		{[]string{"http://localhost:1", "http://evil.test"}, true},
		{[]string{""}, true},
		{[]string{"null"}, true},
		{[]string{"http://localhost:1@evil.test"}, true},
	} {
		r := &http.Request{Host: "localhost:1", Header: http.Header{"Origin": tc.origins}}
		if got := origin.Foreign(r); got != tc.want {
			t.Errorf("Foreign of %q = %v", tc.origins, got)
		}
	}
}

// One value that says that another page causes the request counts, wherever it stands.
func TestForeignSites(t *testing.T) {
	for _, tc := range []struct {
		sites []string
		want  bool
	}{
		{nil, false},
		{[]string{"none"}, false},
		{[]string{"same-origin"}, false},
		{[]string{"Same-Origin"}, false},
		{[]string{"cross-site"}, true},
		{[]string{"same-site"}, true},
		{[]string{"same-origin", "cross-site"}, true},
		{[]string{"none, cross-site"}, true},
		{[]string{"", "cross-site"}, true},
	} {
		r := &http.Request{Host: "localhost:1", Method: http.MethodPost, URL: &url.URL{Path: "/"}, Header: http.Header{"Sec-Fetch-Site": tc.sites}}
		if got := origin.Foreign(r); got != tc.want {
			t.Errorf("Foreign of a request whose Sec-Fetch-Site is %q = %v", tc.sites, got)
		}
	}
	mixed := &http.Request{Host: "localhost:1", Method: http.MethodPost, URL: &url.URL{Path: "/"}, Header: http.Header{
		"Origin": {"http://localhost:1"}, "Sec-Fetch-Site": {"cross-site"},
	}}
	if !origin.Foreign(mixed) {
		t.Error("a request of this origin by a page of another site is not foreign")
	}
	link := &http.Request{Host: "localhost:1", Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{
		"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"},
	}}
	if origin.Foreign(link) {
		t.Error("a link to the page is foreign")
	}
	if link.Header.Add("Sec-Fetch-Site", "none"); !origin.Foreign(link) {
		t.Error("a link with two sites is not foreign")
	}
}

func TestBodiesOfForms(t *testing.T) {
	for _, tc := range []struct {
		types []string
		want  bool
	}{
		{nil, false},
		{[]string{"application/json; charset=utf-8"}, false},
		{[]string{"application/x-www-form-urlencoded"}, false},
		{[]string{"text/plain"}, true},
		{[]string{"TEXT/Plain ;charset=UTF-8"}, true},
		{[]string{"multipart/form-data; boundary=x"}, true},
		{[]string{"application/json", "text/plain"}, true},
		{[]string{"application/json, text/plain"}, true},
	} {
		if got := origin.FormBody(&http.Request{Header: http.Header{"Content-Type": tc.types}}); got != tc.want {
			t.Errorf("FormBody of %q = %v", tc.types, got)
		}
	}
}

func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1:1": true, "127.9.9.9": true, "[::1]:80": true, "::1": true, "[::1]": true,
		"": false, "localhost.evil.test": false, "evil.test:80": false, "10.0.0.1": false, "0.0.0.0": false, "127.0.0.1.evil.test": false,
		"[::ffff:127.0.0.1]:80": true, "[::ffff:10.0.0.1]:80": false, "[localhost]": false, "localhost]:80": false, "[127.0.0.1]": false,
		"localhost.": false, "127.0.0.1.": false, "2130706433": false, "0x7f.1": false, "0177.0.0.1": false, "127.1": false, "localhost:80:80": false,
	} {
		if got := origin.Loopback(host); got != want {
			t.Errorf("Loopback(%q) = %v", host, got)
		}
	}
	for host, want := range map[string]string{"a.test:80": "a.test", "a.test": "a.test", "[::1]:80": "::1", "": ""} {
		if got := origin.Hostname(host); got != want {
			t.Errorf("Hostname(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestAnotherNameIsRefused(t *testing.T) {
	h := origin.Named(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("for this machine")) }))
	for host, want := range map[string]string{"localhost:1": "200 for this machine", "[::1]": "200 for this machine", "evil.test:1": "403 requests must be sent to localhost", "": "403 "} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, want) {
			t.Errorf("for %q: %s, want %s", host, got, want)
		}
	}
}
