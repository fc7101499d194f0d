package origin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
