package server

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// This file has the methods account.*: the GitHub accounts of this process. Clients can add
// some; they are kept in memory, and nowhere else.

// logins are the accounts that clients have added. The last one is the current account.
type logins struct {
	mu   sync.Mutex // guards list
	list []login
}

// login is one of them.
type login struct {
	host, login, token string
	by                 *conn // the client that brought the token, and may read it
}

// maxLogins bounds the accounts of one process.
const maxLogins = 100

func (l login) is(a accountID) bool {
	return strings.EqualFold(l.login, a.Login) && (a.Host == "" || sameHost(l.host, a.Host))
}

func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(host(a), "/"), strings.TrimSuffix(host(b), "/"))
}

// accountID names an account, as clients read and send it.
type accountID struct {
	Type  string `json:"type"`
	Host  string `json:"host"`
	Login string `json:"login,omitempty"`
	// EnvVar is the variable that the token came from, of an account with the type "env".
	EnvVar string `json:"envVar,omitempty"`
}

func (l login) id() *accountID { return &accountID{Type: "user", Host: l.host, Login: l.login} }

// selection is the opaque name of an account.
func (l login) selection() string { return l.login + "@" + host(l.host) }

// accountGiven is an account that a client names, or its selection id.
type accountGiven struct {
	AuthInfo    *accountID `json:"authInfo"`
	SelectionID string     `json:"selectionId"`
}

func (g accountGiven) means(l login) bool {
	return g.SelectionID != "" && g.SelectionID == l.selection() || g.SelectionID == "" && g.AuthInfo != nil && l.is(*g.AuthInfo)
}

// current returns the account that is used where none is named; false if there is none.
func (i *Identity) current() (login, bool) {
	if i == nil {
		return login{}, false
	}
	i.logins.mu.Lock()
	defer i.logins.mu.Unlock()
	if n := len(i.logins.list); n > 0 {
		return i.logins.list[n-1], true
	}
	return login{}, false
}

func (i *Identity) all() []login {
	if i == nil {
		return nil
	}
	i.logins.mu.Lock()
	defer i.logins.mu.Unlock()
	return slices.Clone(i.logins.list)
}

// currentAuth answers with the account in use: the one that was added last, else the one of the
// process's own token. If the token of the account cannot be verified, the answer has no
// account, and the reason.
func currentAuth(ctx context.Context, c *conn, _ none) (any, error) {
	var out struct {
		AuthInfo   *accountID `json:"authInfo,omitempty"`
		AuthErrors []string   `json:"authErrors,omitempty"`
	}
	id := c.home().Identity
	if l, ok := id.current(); ok {
		out.AuthInfo = l.id()
		return out, nil
	}
	if id == nil || id.Token == "" {
		return out, nil
	}
	switch s := id.Status(ctx); {
	case s.IsAuthenticated:
		out.AuthInfo = id.own(s.Login)
	default:
		out.AuthErrors = []string{s.StatusMessage}
	}
	return out, nil
}

// own describes the process's own token.
func (i *Identity) own(user string) *accountID {
	a := &accountID{Type: "env", Host: "https://" + host(i.API), Login: user}
	if strings.Contains(i.TokenFrom, "--auth-token-env") {
		a.Type = "token"
	} else if _, name, ok := strings.Cut(i.TokenFrom, "env "); ok {
		a.EnvVar, _, _ = strings.Cut(name, " ")
	}
	return a
}

// account is one account in a list.
type account struct {
	AuthInfo    *accountID `json:"authInfo"`
	Token       string     `json:"token,omitempty"`
	SelectionID string     `json:"selectionId"`
}

// allUsers lists the accounts that clients have added, the current one first. A token is
// returned only to the client that brought it.
func allUsers(_ context.Context, c *conn, _ none) (any, error) {
	list := []account{}
	for _, l := range slices.Backward(c.home().Identity.all()) {
		a := account{AuthInfo: l.id(), Token: l.token, SelectionID: l.selection()}
		if l.by != c {
			a.Token = ""
		}
		list = append(list, a)
	}
	return list, nil
}

// logIn verifies a token and adds its account, which becomes the current one. It is not stored,
// and is lost when this process ends.
func logIn(ctx context.Context, c *conn, p struct {
	Host  string `json:"host"`
	Login string `json:"login"`
	Token string `json:"token"`
},
) (any, error) {
	i := c.home().Identity
	switch {
	case p.Token == "":
		return nil, missing("token")
	case i == nil:
		return nil, fault.New(fault.Unavailable, "", "", "no GitHub API is configured")
	case p.Host != "" && !sameHost(p.Host, "https://github.com") && !sameHost(p.Host, i.API):
		return nil, fault.New(fault.Invalid, "", "", "host is %q; this process verifies accounts at %s only", p.Host, host(i.API))
	}
	if err := checkToken("token", p.Token); err != nil {
		return nil, err
	}
	c.home().Secrets.Add(p.Token)
	user, err := i.user(ctx, p.Token, true)
	if err != nil {
		return nil, err
	}
	if p.Login != "" && !strings.EqualFold(p.Login, user.Login) {
		return nil, fault.New(fault.Invalid, "", "", "the token belongs to %s, not to %s", user.Login, p.Login)
	}
	if p.Host == "" {
		p.Host = "https://github.com"
	}
	if err := i.logins.add(login{host: p.Host, login: user.Login, token: p.Token, by: c}); err != nil {
		return nil, err
	}
	return struct {
		Stored bool `json:"storedInVault"`
	}{}, nil
}

func (l *logins) add(new login) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(old login) bool { return old.is(*new.id()) })
	if len(l.list) >= maxLogins {
		return fault.New(fault.Unavailable, "", "", "%d accounts are signed in; sign one out first", maxLogins)
	}
	l.list = append(l.list, new)
	return nil
}

// logOut removes an account that a client has added.
func logOut(_ context.Context, c *conn, p accountGiven) (any, error) {
	i := c.home().Identity
	removed := false
	more := 0
	if i != nil {
		i.logins.mu.Lock()
		i.logins.list = slices.DeleteFunc(i.logins.list, func(l login) bool {
			means := p.means(l)
			removed = removed || means
			return means
		})
		more = len(i.logins.list)
		i.logins.mu.Unlock()
	}
	if !removed {
		return nil, fault.New(fault.NotFound, "", "", "there is no such account to sign out; the token of the process itself cannot be removed")
	}
	return struct {
		More bool `json:"hasMoreUsers"`
	}{more > 0}, nil
}

// getQuota asks GitHub each time.
func getQuota(ctx context.Context, c *conn, p struct {
	GitHubToken string `json:"gitHubToken"`
	SelectionID string `json:"selectionId"`
},
) (any, error) {
	i := c.home().Identity
	token := p.GitHubToken
	if token == "" && p.SelectionID != "" {
		for _, l := range i.all() {
			if p.SelectionID == l.selection() {
				token = l.token
			}
		}
		if token == "" {
			return nil, fault.New(fault.NotFound, "", "", "there is no account %q", p.SelectionID)
		}
	}
	if token == "" {
		token = i.token()
	}
	if token == "" {
		return nil, fault.New(fault.Unavailable, "", "", "there is no GitHub account here, and quotas are those of one; send gitHubToken, or call account.login")
	}
	if err := checkToken("gitHubToken", token); err != nil {
		return nil, err
	}
	c.home().Secrets.Add(token)
	user, err := i.user(ctx, token, true)
	if err != nil {
		return nil, err
	}
	snapshots := map[string]quotaSnapshot{}
	for name, q := range user.Quotas {
		snapshots[name] = q.snapshot()
	}
	return struct {
		Snapshots map[string]quotaSnapshot `json:"quotaSnapshots"`
	}{snapshots}, nil
}

// token is the token of the current account, else the process's own; "" if there is neither.
func (i *Identity) token() string {
	if l, ok := i.current(); ok {
		return l.token
	}
	if i == nil {
		return ""
	}
	return i.Token
}
