package wiring

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
)

const fallback = "https://fallback.test"

// gitHub is GitHub's API with one answer, and counts the requests.
func gitHub(t *testing.T, status int, body string) (a *copilotAddresses, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/copilot_internal/user" || r.Header.Get("Authorization") != "Bearer t0ken" {
			t.Errorf("%s with %q", r.URL, r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return newCopilotAddresses(s.URL, fallback, http.DefaultClient), asked
}

func TestTheAddressOfAnAccount(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"named", `{"endpoints":{"api":"https://api.business.test"}}`, 200, "https://api.business.test"},
		{"as safe as the way there", `{"endpoints":{"api":"http://127.0.0.1:1"}}`, 200, "http://127.0.0.1:1"},
		{"none", `{"login":"ann"}`, 200, fallback},
		{"a bad token", `{"message":"Bad credentials"}`, 401, fallback},
		{"no JSON", `<html>`, 200, fallback},
		{"no address", `{"endpoints":{"api":"api.test"}}`, 200, fallback},
		{"with a password", `{"endpoints":{"api":"https://u:p@api.test"}}`, 200, fallback},
		{"another scheme", `{"endpoints":{"api":"file:///etc"}}`, 200, fallback},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, asked := gitHub(t, tc.status, tc.body)
			var callers sync.WaitGroup
			for range 4 {
				callers.Go(func() {
					if got := a.of(t.Context(), "t0ken"); got != tc.want {
						t.Errorf("the address is %q, want %q", got, tc.want)
					}
				})
			}
			callers.Wait()
			if asked.Load() != 1 {
				t.Errorf("GitHub's API was asked %d times, want once", asked.Load())
			}
		})
	}
}

// Over https an account cannot lead to an address without encryption.
func TestTheAddressOfAnAccountIsNotLessSafe(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"endpoints":{"api":"http://api.test"}}`))
	}))
	defer s.Close()
	a := newCopilotAddresses(s.URL, fallback, http.DefaultClient)
	a.client = s.Client()
	if got := a.of(t.Context(), "t0ken"); got != fallback {
		t.Errorf("the address is %q", got)
	}
}

// A caller that no longer waits gets the default address at once, and the others the real one.
func TestACallerDoesNotWaitForAnotherOnesRequest(t *testing.T) {
	release, asked := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		_, _ = w.Write([]byte(`{"endpoints":{"api":"https://api.test"}}`))
	}))
	defer s.Close()
	a := newCopilotAddresses(s.URL, fallback, http.DefaultClient)
	first := make(chan string, 1)
	go func() { first <- a.of(context.Background(), "t0ken") }()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	<-asked
	if got := a.of(ended, "t0ken"); got != fallback {
		t.Errorf("the caller that left has %q", got)
	}
	close(release)
	if got := <-first; got != "https://api.test" {
		t.Errorf("the first caller has %q", got)
	}
}

func TestAGitHubTokenIsAProvider(t *testing.T) {
	token := config.Setting[config.Secret]{Value: "t0ken", From: "env COPILOT_SDK_AUTH_TOKEN (flag --auth-token-env)"}
	p := Provider(config.Config{GitHubToken: token}, nil)
	if p.Missing != nil || !p.Endpoint.Copilot || p.Endpoint.BaseURL != config.CopilotBase || p.Endpoint.BearerToken != "t0ken" || p.Locate == nil {
		t.Errorf("with a token alone: %+v", p)
	}
	p = Provider(config.Config{GitHubToken: token, CopilotAPI: config.Setting[string]{Value: "http://c"}}, nil)
	if p.Endpoint.BaseURL != "http://c" || p.Locate != nil {
		t.Errorf("with an address: %+v", p)
	}
}
