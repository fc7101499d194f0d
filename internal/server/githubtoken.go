package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// gitHubTokenWait is how long a client may take to give a GitHub token. It may have to ask a service for it.
	gitHubTokenWait = time.Minute
	// gitHubRenewalWait is how long a call waits for the next token while the old one can be used.
	gitHubRenewalWait = 5 * time.Second
	// gitHubTokenMargin is how much is left of the life of a token when it is renewed; half of a life of under two hours.
	// Source: the documentation of expiresIn in the SDKs.
	gitHubTokenMargin = time.Hour
)

// gitHubTokens is the source of the GitHub token of one session: a client that answers gitHubToken.getToken. A
// token is kept until it is renewed. It is safe for concurrent use.
type gitHubTokens struct {
	client peer
	logs   *slog.Logger

	mu             sync.Mutex // guards the rest; never held across a call
	asked          tokenRequest
	token          string
	renew, expires time.Time     // renew is not after expires
	asking         chan struct{} // closed when the client has answered; nil: it is not asked
	failed         error         // why the last answer was no token; nil if it was one
}

// tokenRequest has the parameters of gitHubToken.getToken.
type tokenRequest struct {
	Registration string `json:"registrationId"`
	Host         string `json:"host"` // without a scheme
	Session      string `json:"sessionId"`
	Reason       string `json:"reason"` // initial or refresh
}

// takeToken asks the client for the GitHub token of a session, if the client gives tokens in that way. The error is
// that of the create or the resume: the session must not act with another token.
func (c *conn) takeToken(ctx context.Context, p *wire.Config) error {
	switch {
	case p.GitHubTokenRegistration == "":
		return nil
	case p.GitHubToken != "":
		return fault.New(fault.Invalid, "session", p.SessionID, "gitHubToken and gitHubTokenProviderRegistrationId are both set; send one of them")
	}
	if p.SessionID == "" { // the client is told the id that the session will have
		p.SessionID = wire.NewSessionID()
	}
	host := "github.com"
	if i := c.home().Identity; i != nil && i.API != "" {
		host = gitHubHost(i.API)
	}
	g := &gitHubTokens{
		client: peer{c}, logs: c.srv.opts.Logger,
		asked: tokenRequest{Registration: p.GitHubTokenRegistration, Host: host, Session: p.SessionID, Reason: "initial"},
	}
	token, err := g.get(ctx)
	p.GitHubToken, p.GitHubTokens = token, g.get
	return err
}

// gitHubHost is the host of GitHub whose API has this address.
func gitHubHost(api string) string { return strings.TrimPrefix(host(api), "api.") }

// get returns a token that has not expired. A token that cannot be renewed is used until it expires, and so is one
// while the client takes its time to renew it.
func (g *gitHubTokens) get(ctx context.Context) (string, error) {
	g.mu.Lock()
	now, old := time.Now(), g.token
	if now.Before(g.renew) || g.asking != nil && now.Before(g.expires) {
		defer g.mu.Unlock()
		return old, nil
	}
	asking, asked := g.asking, true
	if asking == nil {
		asking = make(chan struct{})
		g.asking = asking
		asked = g.client.c.begin(func() { g.renewal(asking) })
	}
	var late <-chan time.Time
	if g.expires.Sub(now) > gitHubRenewalWait {
		late = time.After(gitHubRenewalWait)
	}
	g.mu.Unlock()
	if !asked {
		g.renewal(asking) // the client has left, so this fails at once
	}
	select {
	case <-asking:
	case <-late:
		return old, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Now().Before(g.expires) {
		return g.token, nil
	}
	return "", &fault.Error{
		Op: "session", On: g.asked.Session, Kind: fault.Denied, Err: fmt.Errorf("no GitHub token: %w", cmp.Or(g.failed, errTokenExpired)),
		Hint: "check the gitHubTokenProvider of the client",
	}
}

// errTokenExpired is about a token that was given and has expired before it could be used.
var errTokenExpired = errors.New("the one that the client has given has expired already")

// renewal asks the client, and closes ended.
func (g *gitHubTokens) renewal(ended chan struct{}) {
	token, life, err := g.ask()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asking, g.failed = nil, err
	close(ended)
	now := time.Now()
	switch {
	case err == nil:
		g.token, g.expires, g.asked.Reason = token, now.Add(life), "refresh"
		g.renew = g.expires.Add(-min(gitHubTokenMargin, life/2))
	case now.Before(g.expires):
		g.logs.Warn("a GitHub token is not renewed; the old one is used until it expires", "session", g.asked.Session, "expires", g.expires, "err", err)
		g.renew = now.Add(min(askAgain, g.expires.Sub(now)))
	}
}

// ask takes the next token. It refuses one whose end it does not know, which could not be renewed in time, and one that
// would be sent as what it is not.
func (g *gitHubTokens) ask() (token string, life time.Duration, err error) {
	g.mu.Lock()
	asked := g.asked
	g.mu.Unlock()
	var answer struct {
		Kind      string  `json:"kind"`
		Token     string  `json:"accessToken"`
		ExpiresIn float64 `json:"expiresIn"` // seconds
		Type      string  `json:"tokenType"`
	}
	err = g.client.ask(context.Background(), gitHubTokenWait, "gitHubToken.getToken", asked, &answer)
	switch {
	case err != nil:
		return "", 0, err
	case answer.Kind == "cancelled":
		return "", 0, errors.New("the client has cancelled gitHubToken.getToken")
	case answer.Token == "" || answer.Kind != "token":
		return "", 0, errors.New("the client has answered gitHubToken.getToken without a token")
	case answer.ExpiresIn <= 0:
		return "", 0, errors.New("the client has answered gitHubToken.getToken without expiresIn, or with one that is not above 0")
	case answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return "", 0, fmt.Errorf("the client has answered gitHubToken.getToken with a token of the type %q; this program sends only bearer tokens", fault.Bounded(answer.Type))
	}
	if err := checkToken("accessToken", answer.Token); err != nil {
		return "", 0, err
	}
	const longest = 365 * 24 * time.Hour
	return answer.Token, time.Duration(min(answer.ExpiresIn, longest.Seconds()) * float64(time.Second)), nil
}
