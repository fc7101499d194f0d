package extension_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1); answer(w, hi) })
	to := func(code int, location string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(code)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/agent/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if want, _ := question().MarshalJSON(); r.Method != "POST" || string(body) != string(want) || r.Header.Get("X-GitHub-Token") != "tok" {
			t.Errorf("after a redirect: %s with %s, %v", r.Method, body, r.Header)
		}
		answer(w, hi)
	})
	for _, code := range []int{301, 302, 307, 308} {
		mux.HandleFunc(fmt.Sprintf("/%d", code), to(code, "/agent/"))
	}
	mux.HandleFunc("/303", to(303, "/agent/"))
	mux.HandleFunc("/loop", to(307, "/loop"))
	mux.HandleFunc("/nowhere", to(307, ""))
	mux.HandleFunc("/other", to(307, other.URL))
	mux.HandleFunc("/0", to(307, "/1"))
	mux.HandleFunc("/1", to(307, "/2"))
	mux.HandleFunc("/2", to(307, "/3"))
	mux.HandleFunc("/3", to(307, "/agent/"))
	mux.HandleFunc("/plain", to(307, "http://example.com/"))
	s := httptest.NewServer(mux)
	defer s.Close()
	r := question()
	r.Token = "tok"
	for path, why := range map[string]string{
		"/301": "", "/302": "", "/307": "", "/308": "", "/1": "",
		"/303":     "the agent answered 303 See Other",
		"/0":       "it redirects more than 3 times",
		"/loop":    "it redirects more than 3 times",
		"/nowhere": "it redirects without saying where",
		"/other":   "it redirects to another host, " + strings.TrimPrefix(other.URL, "http://") + ", which is not followed",
		"/plain":   "it redirects to another host, example.com, which is not followed",
	} {
		got, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL+path, r))
		if why == "" && (err != nil || len(got) != 1) || why != "" && (err == nil || fault.Message(err) != why || got != nil) {
			t.Errorf("%s: %v, %v, want %s", path, got, err, why)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("another host was called")
	}
}

// always is a transport that gives the same response to every request.
type always struct {
	status   int
	location string
}

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{"Location": {a.location}}, Body: http.NoBody, Request: r}, nil
}

func TestRedirectAwayFromEncryption(t *testing.T) {
	c := extension.NewClient(extension.ClientOptions{Plain: true, HTTP: &http.Client{Transport: always{307, "http://agent.example/"}}})
	_, err := collect(c.Call(t.Context(), "https://agent.example/", question()))
	if err == nil || fault.Message(err) != "it redirects to http, which is not followed" || fault.KindOf(err) != fault.Denied {
		t.Errorf("ends with %v", err)
	}
	c = extension.NewClient(extension.ClientOptions{Plain: true, HTTP: &http.Client{Transport: always{404, ""}}})
	if _, err := collect(c.Call(t.Context(), "http://agent.example/", question())); fault.KindOf(err) != fault.NotFound {
		t.Errorf("plain, it ends with %v", err)
	}
}

func TestAddressesThatAreNotCalled(t *testing.T) {
	asked := false
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { asked = true; answer(w, hi) })
	for _, tc := range []struct {
		url  string
		o    extension.ClientOptions
		kind fault.Kind
		why  string
	}{
		{"http://example.com/", extension.ClientOptions{}, fault.Denied, "without encryption, only agents on this machine are called; use https"},
		{"http://127.0.0.1.example.com/", extension.ClientOptions{}, fault.Denied, "without encryption, only agents on this machine are called; use https"},
		{"ftp://127.0.0.1/", extension.ClientOptions{}, fault.Invalid, "an agent's address begins with https:// and a host"},
		{"127.0.0.1:80", extension.ClientOptions{}, fault.Invalid, "the address cannot be read"},
		{"/agent", extension.ClientOptions{}, fault.Invalid, "an agent's address begins with https:// and a host"},
		{s.URL, extension.ClientOptions{PublicOnly: true}, fault.Denied, "127.0.0.1 is an address of this machine or of a private network, which may not be called"},
		{s.URL, extension.ClientOptions{PublicOnly: true, HTTP: s.Client()}, fault.Denied, "127.0.0.1 is an address of this machine or of a private network, which may not be called"},
		{"https://10.1.2.3/", extension.ClientOptions{PublicOnly: true}, fault.Denied, "10.1.2.3 is an address of this machine or of a private network, which may not be called"},
		{"https://localhost/", extension.ClientOptions{PublicOnly: true}, fault.Denied, "localhost is an address of this machine or of a private network, which may not be called"},
	} {
		_, err := collect(extension.NewClient(tc.o).Call(t.Context(), tc.url, question()))
		if err == nil || fault.KindOf(err) != tc.kind || fault.Message(err) != tc.why {
			t.Errorf("%s: %v, want %s", tc.url, err, tc.why)
		}
	}
	if asked {
		t.Error("an address was called all the same")
	}
	u, _ := url.Parse(s.URL)
	if _, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), "http://localhost:"+u.Port(), question())); err != nil || !asked {
		t.Errorf("localhost is not called: %v", err)
	}
	bad := question()
	bad.Rest = map[string]raw{"x": raw("{")}
	if _, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL, bad)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a request that is no JSON: %v", err)
	}
}
