package wiring

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// addressWait bounds how long a run waits for the address of an account.
	addressWait = 5 * time.Second
	// addressKept is how long an address holds, and unknownKept how long the default one does
	// after the address could not be asked for.
	addressKept, unknownKept = time.Hour, time.Minute
	// maxAddresses bounds the accounts that are remembered.
	maxAddresses = 1000
)

// copilotAddresses knows where the Copilot API of an account is: GitHub's API says so. It asks
// when a session first needs a model, and holds no token. It is safe for concurrent use.
type copilotAddresses struct {
	gitHub, fallback string
	client           *http.Client

	mu    sync.Mutex // guards known; never held across a request
	known map[[sha256.Size]byte]*copilotAddress
}

// copilotAddress is the address of one account.
type copilotAddress struct {
	asked chan struct{} // closed when base and until are set
	base  string
	until time.Time
}

func (c *copilotAddress) outdated() bool {
	select {
	case <-c.asked:
		return !time.Now().Before(c.until)
	default:
		return false
	}
}

func newCopilotAddresses(gitHub, fallback string, client *http.Client) *copilotAddresses {
	return &copilotAddresses{gitHub: gitHub, fallback: fallback, client: client, known: map[[sha256.Size]byte]*copilotAddress{}}
}

// of returns the base of the Copilot API for the account of a GitHub token. If GitHub's API does
// not know it, or cannot be asked, that is the default one: the model call then reports what is
// wrong with the token.
func (a *copilotAddresses) of(ctx context.Context, token string) string {
	key := sha256.Sum256([]byte(token))
	a.mu.Lock()
	address, known := a.known[key]
	if !known || address.outdated() {
		if len(a.known) >= maxAddresses {
			clear(a.known)
		}
		address = &copilotAddress{asked: make(chan struct{})}
		a.known[key], known = address, false
	}
	a.mu.Unlock()
	if known {
		select {
		case <-address.asked:
			return address.base
		case <-ctx.Done():
			return a.fallback
		}
	}
	defer close(address.asked) // also after a panic
	address.base, address.until = a.fallback, time.Now().Add(unknownKept)
	if base := a.ask(context.WithoutCancel(ctx), token); base != "" { // others may wait for it, too
		address.base, address.until = base, time.Now().Add(addressKept)
	}
	return address.base
}

// ask returns the address that GitHub's API names, "" if it names none that may be called.
func (a *copilotAddresses) ask(ctx context.Context, token string) string {
	ctx, cancel := context.WithTimeout(ctx, addressWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.gitHub+"/copilot_internal/user", nil)
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := a.client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var user struct {
		Endpoints struct {
			API string `json:"api"`
		} `json:"endpoints"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&user) != nil {
		return ""
	}
	asked, err := url.Parse(a.gitHub)
	u, bad := url.Parse(user.Endpoints.API)
	if err != nil || bad != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != asked.Scheme { // not less safe than the way there
		return ""
	}
	return user.Endpoints.API
}
