package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestWithoutATokenNobodyIsAsked(t *testing.T) {
	for _, tc := range []struct {
		name     string
		identity *server.Identity
		want     wire.AuthStatus
	}{
		{"nobody", nil, wire.AuthStatus{
			StatusMessage: "Not signed in. No account is needed: a provider in the session's config or in the environment is enough.",
		}},
		{"a key for a provider counts", &server.Identity{ProviderURL: "https://models.test/v1"}, wire.AuthStatus{
			IsAuthenticated: true, AuthType: "api-key", Host: "models.test", StatusMessage: "Using the provider at https://models.test/v1",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.identity.Status(t.Context())); diff != "" {
				t.Errorf("Status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestATokenIsLookedUpOnce(t *testing.T) {
	var asked atomic.Int32
	gitHub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/copilot_internal/user" || r.Header.Get("Authorization") != "Bearer good" {
			t.Errorf("asked for %s as %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		_, _ = w.Write([]byte(`{"login":"ann","copilot_plan":"individual"}`))
	}))
	defer gitHub.Close()
	i := &server.Identity{Token: "good", TokenFrom: "env TOKEN (flag --auth-token-env)", API: gitHub.URL, Client: gitHub.Client()}
	want := wire.AuthStatus{
		IsAuthenticated: true, AuthType: "token", Host: strings.TrimPrefix(gitHub.URL, "http://"),
		Login: "ann", StatusMessage: "Signed in as ann",
	}
	for range 2 {
		if diff := cmp.Diff(want, i.Status(t.Context())); diff != "" {
			t.Errorf("Status (-want +got):\n%s", diff)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("GitHub was asked %d times, want once", n)
	}
}

func TestATokenThatCannotBeVerifiedIsNotSignedIn(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		status     int
		why        string
	}{
		{"refused", `{"message":"Bad credentials"}`, http.StatusUnauthorized, "answered 401 Unauthorized"},
		{"a page instead of an answer", "<html>Log in</html>", http.StatusOK, "answered with no user: it is not JSON"},
		{"an answer without a name", "{}", http.StatusOK, "answered no login"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gitHub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			defer gitHub.Close()
			i := &server.Identity{Token: "t0ken", TokenFrom: "env GH_TOKEN", API: gitHub.URL, Client: gitHub.Client()}
			got := i.Status(t.Context())
			if got.IsAuthenticated || got.Login != "" || got.AuthType != "env" {
				t.Errorf("Status = %+v, want nobody signed in by the environment", got)
			}
			if !strings.Contains(got.StatusMessage, "env GH_TOKEN") || !strings.Contains(got.StatusMessage, tc.why) {
				t.Errorf("it says %q, want where the token is from, and %q", got.StatusMessage, tc.why)
			}
			if strings.Contains(got.StatusMessage, "t0ken") {
				t.Errorf("it says %q, which holds the token", got.StatusMessage)
			}
		})
	}
}

func TestAFailureIsNotKept(t *testing.T) {
	var asked atomic.Int32
	gitHub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(`{"login":"ann"}`))
	}))
	defer gitHub.Close()
	i := &server.Identity{Token: "good", API: gitHub.URL, Client: gitHub.Client()}
	first, second := i.Status(t.Context()), i.Status(t.Context())
	if first.IsAuthenticated || !second.IsAuthenticated {
		t.Errorf("signed in: %v, then %v; want no, then yes", first.IsAuthenticated, second.IsAuthenticated)
	}
}

// silence is a network without answers.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}

func TestASilentGitHubIsWaitedForFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &server.Identity{Token: "good", API: "https://github.test", Client: &http.Client{Transport: silence{}}}
		begin := time.Now()
		got := i.Status(t.Context())
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("it took %v, want 5 s", took)
		}
		if got.IsAuthenticated || !strings.Contains(got.StatusMessage, "could not be verified") {
			t.Errorf("Status = %+v, want that the token could not be verified", got)
		}
	})
}
