package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Login says how to sign in to a server.
type Login struct {
	// Name is the server's, for messages.
	Name string
	// Config is its configuration, as clients send it.
	Config json.RawMessage
	// Tokens is where the token is stored.
	Tokens *oauth.Tokens
	// Again signs in even if there is a token that the server accepts.
	Again bool
	// ClientID and ClientSecret are a registered client; "": that of the configuration, or none.
	ClientID, ClientSecret string
	// ClientDocument is the address of a document about this program; may be empty.
	ClientDocument string
	// ClientName and Done are as in [oauth.Options].
	ClientName, Done string

	web http.RoundTripper // for tests; nil: over the network
}

// SignIn signs the user in to a server that is a web service, and stores the token. open is called
// with the page that the user has to open; an error of it ends the sign-in. SignIn reports true if no page was
// needed: the server accepts what it is sent. It waits at most [oauth.SignInTime] for the user.
func SignIn(ctx context.Context, l Login, open func(page string) error) (already bool, err error) {
	flow, err := l.begin(ctx, nil)
	if flow == nil || err != nil {
		return err == nil, err
	}
	if err := open(flow.URL); err != nil {
		flow.Close()
		return false, err
	}
	token, err := flow.Wait(ctx)
	if err != nil {
		return false, err
	}
	return false, l.Tokens.Put(l.address(), token)
}

// SignOut forgets the token of a server, and reports whether there was one.
func SignOut(l Login) (was bool, err error) {
	token, err := l.Tokens.Get(l.address())
	if err != nil || token == (oauth.Token{}) {
		return false, err
	}
	return true, l.Tokens.Put(l.address(), oauth.Token{})
}

func (l *Login) address() string {
	c, _ := parse(l.Name, l.Config) // begin has returned the error
	return c.url
}

// begin begins to sign in; the flow is nil if that is not necessary. last is the last challenge of
// the server; nil: it is asked.
func (l *Login) begin(ctx context.Context, last *challenge) (*oauth.Flow, error) {
	c, err := parse(l.Name, l.Config)
	switch {
	case err != nil:
		return nil, err
	case c.local():
		return nil, fault.New(fault.Invalid, "mcp", l.Name, "MCP server %q is not a remote server", l.Name)
	case c.grantType == wire.MCPClientCredentials:
		return nil, fault.New(fault.Invalid, "mcp.login", l.Name, "oauthGrantType client_credentials is not supported: configure the Authorization header of %q", l.Name)
	}
	token, err := l.Tokens.Get(c.url)
	if err != nil {
		return nil, err
	}
	last, err = l.wants(ctx, &c, last, token)
	if err != nil || last == nil && !l.Again {
		return nil, err
	}
	o := oauth.Options{
		Address: c.url, Issuer: c.issuer, ClientID: cmp.Or(l.ClientID, c.clientID), ClientSecret: l.ClientSecret, ClientDocument: l.ClientDocument,
		ClientName: l.ClientName, Done: l.Done, Web: l.web, Before: token, More: strings.Join(c.scopes, " "),
	}
	if last != nil {
		o.Metadata, o.Scope = last.metadata, last.scope
	}
	return oauth.Begin(ctx, o)
}

// Login begins to sign the user in to a server, and returns the page that the user has to open; ""
// if none is needed. The sign-in continues in the background: after it, the server is started again.
func (s *Set) Login(ctx context.Context, l Login) (page string, err error) {
	var own *credentials
	var last *challenge
	connected := false
	err = s.with(l.Name, func(v *server) error {
		if err := v.mayAsk(); err != nil {
			return err
		}
		if v.config.local() {
			return fault.New(fault.Invalid, "mcp", l.Name, "MCP server %q is not a remote server", l.Name)
		}
		l.Config, own, connected, l.ClientDocument = v.config.text, v.credentialsFor(&v.config), v.connection != nil, s.document
		return nil
	})
	if err != nil {
		return "", err
	}
	if last = own.open(); connected && last == nil && !l.Again {
		return "", nil
	}
	l.Tokens, l.web = s.store(), s.opts.Web
	flow, err := l.begin(ctx, last)
	if err != nil {
		return "", err
	}
	var before *oauth.Flow
	err = s.with(l.Name, func(v *server) error {
		if flow == nil {
			v.restart() // it accepts the token that is stored
			return nil
		}
		before, v.flow = v.flow, flow
		s.threads.Go(func() { s.signedIn(&l, own, flow) })
		return nil
	})
	if before != nil {
		before.Close() // without the lock: somebody may keep a connection to its listener open
	}
	if flow != nil && err != nil {
		flow.Close()
	}
	if flow == nil || err != nil {
		return "", err
	}
	return flow.URL, nil
}

// signedIn waits for the end of a sign-in. One that another has replaced ends without a word.
func (s *Set) signedIn(l *Login, own *credentials, flow *oauth.Flow) {
	var token oauth.Token
	err := fault.Guard("mcp.login", func() (err error) {
		if token, err = flow.Wait(s.context); err == nil {
			err = l.Tokens.Put(own.address, token)
		}
		return err
	})
	replaced := false
	_ = s.with(l.Name, func(v *server) error { // it may have been removed meanwhile
		if replaced = v.flow != flow; !replaced {
			v.flow = nil
		}
		return nil
	})
	if s.context.Err() != nil || err != nil && replaced {
		return
	}
	if err != nil {
		s.opts.Host.Warn("MCP server " + l.Name + ": nobody is signed in: " + fault.Message(err))
		return
	}
	s.opts.Host.Conceal("", map[string]string{"Authorization": "Bearer " + token.Access})
	own.take("", token.Access, true)
	_ = s.with(l.Name, func(v *server) error {
		if v.credentials == own {
			v.restart()
		}
		return nil
	})
}
