package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
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

	mu    sync.Mutex // guards login; held during the look-up, so that there is only one
	login string
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
	login, err := i.lookUp(ctx)
	if err != nil {
		s.IsAuthenticated = false
		s.StatusMessage = fmt.Sprintf("The GitHub token (%s) could not be verified: %v", i.TokenFrom, err)
		return s
	}
	s.Login, s.StatusMessage = login, "Signed in as "+login
	return s
}

// lookUp asks GitHub for the token's user; a good answer is kept.
func (i *Identity) lookUp(ctx context.Context) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.login != "" {
		return i.login, nil
	}
	ctx, cancel := context.WithTimeout(ctx, identityWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.API+"/copilot_internal/user", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+i.Token)
	client := i.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var user struct {
		Login string `json:"login"`
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", host(i.API), resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&user); err != nil {
		return "", fmt.Errorf("%s answered with no user: %w", host(i.API), fault.JSON(err))
	}
	if user.Login == "" {
		return "", fmt.Errorf("%s answered no login", host(i.API))
	}
	i.login = user.Login
	return i.login, nil
}

func host(base string) string {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		return u.Host
	}
	return base
}
