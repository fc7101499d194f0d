package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// This file has the methods session.gitHubAuth.*: the GitHub account of one session.

// askAgain is how long the GitHub API is not asked again about tokens of sessions after it
// could not be reached, so that its silence does not delay each new session.
const askAgain = 30 * time.Second

// maxToken bounds a GitHub token, in bytes. Services refuse the headers of longer ones.
const maxToken = 8 << 10

// checkToken refuses a GitHub token that no request can carry; name is the parameter that has it.
func checkToken(name, token string) error {
	switch {
	case len(token) > maxToken:
		return unfit("%s has more than %d KiB", name, maxToken>>10)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return unfit("%s has a space, a control character such as the end of a line, or a character outside of ASCII; send the token alone", name)
	}
	return nil
}

// verify looks up the user of a session's token; nil without a token. [fault.Denied] if GitHub
// refuses it. If GitHub cannot be asked, the token is used all the same: a program must not
// depend on a second service being there.
func (i *Identity) verify(ctx context.Context, logs *slog.Logger, token string) (*wire.Account, error) {
	if i == nil || token == "" || i.API == "" {
		return nil, nil
	}
	a := &wire.Account{Type: "token", Host: "https://" + host(i.API)}
	if last := i.silent.Load(); last != nil && time.Since(*last) < askAgain {
		a.Note = "the GitHub API could not be reached"
		return a, nil
	}
	user, err := i.user(ctx, token, false)
	switch {
	case err == nil:
		a.Login, a.Plan = user.Login, user.Plan
	case fault.KindOf(err) == fault.Denied:
		return nil, &fault.Error{Kind: fault.Denied, Err: fmt.Errorf("gitHubToken is not valid: %w", err), Hint: "send a token that GitHub accepts, or none"}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		if lost := (*url.Error)(nil); errors.As(err, &lost) { // an answer, even a bad one, may be due to this token alone
			now := time.Now()
			i.silent.Store(&now)
		}
		logs.Warn("the GitHub token of a session could not be verified", "err", err)
		a.Note = err.Error()
	}
	return a, nil
}

// sessionAuth is the account of a session, as clients read it.
type sessionAuth struct {
	wire.AuthStatus
	Plan string `json:"copilotPlan,omitempty"`
}

// gitHubStatus answers with the account of the session, else with that of the process.
func gitHubStatus(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	account, err := a.client.Session().Settings().Account(ctx)
	if err != nil {
		return nil, err
	}
	if account == nil {
		return sessionAuth{AuthStatus: c.home().Identity.Status(ctx)}, nil
	}
	s := sessionAuth{Plan: account.Plan, AuthStatus: wire.AuthStatus{
		IsAuthenticated: account.Login != "" && account.Note == "", AuthType: account.Type, Host: account.Host, Login: account.Login, StatusMessage: "Signed in as " + account.Login,
	}}
	if account.Note != "" {
		s.StatusMessage = "The GitHub account could not be verified: " + account.Note
	}
	return s, nil
}

// credentials is an account that a client gives a session.
type credentials struct {
	Type  string `json:"type"`
	Host  string `json:"host"`
	Login string `json:"login"`
	Token string `json:"token"`
	User  *struct {
		Login string `json:"login"`
		Plan  string `json:"copilot_plan"`
	} `json:"copilotUser"`
}

// setCredentials gives the session another account. The client's description of the user is
// believed, and so is a login of the type "user", whose credentials have no token; otherwise GitHub
// is asked about the token. copilotUserResolved says that more than the login is known.
func setCredentials(ctx context.Context, c *conn, a *attachment, p struct {
	Credentials *credentials `json:"credentials"`
},
) (any, error) {
	type result struct {
		Success  bool  `json:"success"`
		Resolved *bool `json:"copilotUserResolved,omitempty"`
	}
	cred := p.Credentials
	if cred == nil {
		return result{Success: true}, nil
	}
	switch cred.Type {
	case "user", "token", "env", "gh-cli":
	default:
		return nil, unfit(`credentials.type is %q, want "user", "token", "env" or "gh-cli"; a key of a provider belongs into the provider of the session`, cred.Type)
	}
	if err := checkToken("credentials.token", cred.Token); err != nil {
		return nil, err
	}
	owner, resolved := c.owner(), cred.User != nil
	account := wire.Account{Type: cred.Type, Host: cred.Host, Login: cred.Login}
	switch i := c.home().Identity; {
	case cred.User != nil:
		if account.Plan = cred.User.Plan; account.Login == "" {
			account.Login = cred.User.Login
		}
	case cred.Token == "":
		for _, l := range i.all() { // the token of an account that was added earlier
			if l.is(accountID{Host: cred.Host, Login: cred.Login}) {
				cred.Token, owner = l.token, l.by.owner()
			}
		}
		if cred.Token == "" && (cred.Type != "user" || cred.Login == "") {
			account.Note = "the credentials have no token"
		}
	case i == nil:
		account.Note = "no GitHub API is configured"
	default:
		if user, err := i.user(ctx, cred.Token, false); err != nil {
			account.Note = err.Error()
		} else {
			account.Login, account.Plan, resolved = user.Login, user.Plan, true
		}
	}
	c.home().Secrets.Add(cred.Token)
	return result{Success: true, Resolved: &resolved}, a.client.Session().Settings().SetAccount(ctx, account, cred.Token, owner)
}
