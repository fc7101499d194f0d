package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// gitHubTokenWait is how long a client may take to give a GitHub token. It may have to ask a service for it.
	gitHubTokenWait = time.Minute
	// gitHubTokenMargin is how much is left of the life of a token when it is renewed; half of a life of under two hours.
	// Source: the documentation of expiresIn in the SDKs.
	gitHubTokenMargin = time.Hour
)

// gitHubTokens is the source of the GitHub token of one session: a client that answers gitHubToken.getToken. A
// token is kept until it is renewed. It is safe for concurrent use.
type gitHubTokens struct {
	client peer
	asked  tokenRequest
	logs   *slog.Logger
	turn   chan struct{} // has an element while nobody uses the fields below

	token          string
	renew, expires time.Time // renew is not after expires
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
		client: peer{c}, logs: c.srv.opts.Logger, turn: make(chan struct{}, 1),
		asked: tokenRequest{Registration: p.GitHubTokenRegistration, Host: host, Session: p.SessionID, Reason: "initial"},
	}
	g.turn <- struct{}{}
	token, err := g.get(ctx)
	p.GitHubToken, p.GitHubTokens = token, g.get
	return err
}

// gitHubHost is the host of GitHub whose API has this address.
func gitHubHost(api string) string { return strings.TrimPrefix(host(api), "api.") }

// get returns a token that has not expired. A token that cannot be renewed is used until it expires.
func (g *gitHubTokens) get(ctx context.Context) (string, error) {
	select {
	case <-g.turn:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { g.turn <- struct{}{} }()
	if time.Now().Before(g.renew) {
		return g.token, nil
	}
	err := g.ask(ctx)
	if err != nil && time.Now().Before(g.expires) {
		g.logs.Warn("a GitHub token is not renewed; the old one is used until it expires", "session", g.asked.Session, "expires", g.expires, "err", err)
		g.renew = time.Now().Add(min(askAgain, time.Until(g.expires)))
		return g.token, nil
	}
	if err != nil {
		return "", &fault.Error{
			Op: "session", On: g.asked.Session, Kind: fault.Denied, Err: fmt.Errorf("no GitHub token: %w", err),
			Hint: "check the gitHubTokenProvider of the client",
		}
	}
	return g.token, nil
}

// ask takes the next token. It refuses one whose end it does not know, which could not be renewed in time, and one that
// would be sent as what it is not.
func (g *gitHubTokens) ask(ctx context.Context) error {
	var answer struct {
		Kind      string  `json:"kind"`
		Token     string  `json:"accessToken"`
		ExpiresIn float64 `json:"expiresIn"` // seconds
		Type      string  `json:"tokenType"`
	}
	err := g.client.ask(ctx, gitHubTokenWait, "gitHubToken.getToken", g.asked, &answer)
	switch {
	case err != nil:
		return err
	case answer.Kind == "cancelled":
		return errors.New("the client has cancelled gitHubToken.getToken")
	case answer.Token == "" || answer.Kind != "token":
		return errors.New("the client has answered gitHubToken.getToken without a token")
	case answer.ExpiresIn <= 0:
		return errors.New("the client has answered gitHubToken.getToken without expiresIn, or with one that is not above 0")
	case answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return fmt.Errorf("the client has answered gitHubToken.getToken with a token of the type %q; this program sends only bearer tokens", fault.Bounded(answer.Type))
	}
	if err := checkToken("accessToken", answer.Token); err != nil {
		return err
	}
	const longest = 365 * 24 * time.Hour
	life := time.Duration(min(answer.ExpiresIn, longest.Seconds()) * float64(time.Second))
	g.token, g.expires = answer.Token, time.Now().Add(life)
	g.renew = g.expires.Add(-min(gitHubTokenMargin, life/2))
	g.asked.Reason = "refresh"
	return nil
}
