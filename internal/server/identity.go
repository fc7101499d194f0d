package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Identity is the account of this process. A process needs none: a key for a provider
// counts as signed in. A GitHub token is looked up when a client first asks.
type Identity struct {
	// ProviderURL is the provider from the environment; "" if there is none.
	ProviderURL string
	// Token is a GitHub token; TokenFrom is the variable or flag that it came from.
	Token, TokenFrom string
	// API is the base of the GitHub API.
	API string
	// Client sends the request. Default: one with a timeout of 5 seconds.
	Client *http.Client

	users  gitHubUsers
	logins logins
	silent atomic.Pointer[time.Time] // when the API could not be reached last
}

// identityWait bounds the look-up of a token: a client asks for its status when it
// starts, and its user waits.
const identityWait = 5 * time.Second

// Status answers auth.getStatus. A nil Identity is not signed in.
func (i *Identity) Status(ctx context.Context) wire.AuthStatus {
	switch {
	case i == nil || i.Token == "" && i.ProviderURL == "":
		return wire.AuthStatus{StatusMessage: "Not signed in. No account is needed: a provider in the session's config or in the environment is enough."}
	case i.Token == "":
		return wire.AuthStatus{IsAuthenticated: true, AuthType: "api-key", Host: host(i.ProviderURL), StatusMessage: "Using the provider at " + i.ProviderURL}
	}
	s := wire.AuthStatus{IsAuthenticated: true, AuthType: "env", Host: host(i.API)}
	if strings.Contains(i.TokenFrom, "--auth-token-env") {
		s.AuthType = "token"
	}
	user, err := i.user(ctx, i.Token, false)
	if err != nil {
		s.IsAuthenticated = false
		s.StatusMessage = fmt.Sprintf("The GitHub token (%s) could not be verified: %v", i.TokenFrom, err)
		return s
	}
	s.Login, s.StatusMessage = user.Login, "Signed in as "+user.Login
	return s
}

func host(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return base
}
