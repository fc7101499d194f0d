package mcp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The reasons for which a client is asked for a token, and for headers.
const (
	tokenInitial = "initial" // none was sent
	tokenRefresh = "refresh" // the one that was sent was refused
	tokenReauth  = "reauth"  // and the client had no other
	tokenUpscope = "upscope" // the one that was sent lacks a scope

	headersStartup = "startup"
	headersExpired = "ttl-expired"
	headersRefused = "auth-failed"
)

// Bounds of what a client is asked for.
const (
	headersTime  = 30 * time.Second // clients get headers without a person
	metadataTime = 15 * time.Second
	maxScope     = 4 << 10 // bytes of a scope that is stored
)

// HostToken is a token that a client gives for a server.
type HostToken struct {
	// Access is the token; "" if the client has declined.
	Access string
	// Scheme is how the token is sent, such as Bearer; "" is Bearer.
	Scheme string
}

// credentialsFor returns the credentials of the server for its address. The caller holds the lock.
func (v *server) credentialsFor(c *config) *credentials {
	if v.credentials == nil || v.credentials.address != c.url {
		v.credentials = &credentials{address: c.url}
	}
	return v.credentials
}

// dialRemote returns the way to a web service.
func (n *connection) dialRemote(c *config) error {
	set := n.server.set
	var own *credentials
	set.lock(func() { set.online, own = true, n.server.credentialsFor(c) })
	if err := own.load(set.store()); err != nil {
		set.opts.Host.Warn("MCP server " + n.server.name + ": stored tokens cannot be read: " + fault.Message(err))
	}
	n.conceal(own.now().access)
	r, err := newRemote(c, set.web(), own)
	if err != nil {
		return err
	}
	r.prepare, r.renew, r.gone, r.heard, r.lacks = n.prepare, n.renew, n.leave, n.hear, n.lacks
	r.unheard = sync.OnceFunc(func() { close(n.unheard) })
	n.remote = r
	return nil
}

// conceal keeps a token out of events and errors.
func (n *connection) conceal(access string) {
	if access != "" {
		n.server.set.opts.Host.Conceal("", map[string]string{"Authorization": "Bearer " + access})
	}
}

// patiently calls f, which waits for a person: that time does not count as the time of the start.
func (n *connection) patiently(f func()) {
	if p := n.probe.Load(); p != nil {
		defer p.hold()()
	}
	if n.late.Stop() {
		defer n.late.Reset(StartTime)
	}
	f()
}

// prepare asks clients for headers before a request, if they are configured to come from clients and
// have become too old.
func (n *connection) prepare(ctx context.Context) {
	own := n.remote.credentials
	if n.config.headersTTL <= 0 {
		return
	}
	if why := own.stale(n.config.headersTTL); why != "" {
		if mine, _ := own.claim(ctx, own.now().version); mine {
			defer own.release()
			n.askHeaders(ctx, own.stale(n.config.headersTTL))
		}
	}
}

// askHeaders asks clients for headers, and reports whether there are new ones.
func (n *connection) askHeaders(ctx context.Context, why string) bool {
	asker, own := n.server.set.opts.Host.Asker(), n.remote.credentials
	if asker == nil || why == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, headersTime)
	defer cancel()
	headers, err := asker.Headers(ctx, wire.MCPHeadersRequired{ServerName: n.server.name, ServerURL: n.config.url, Reason: wire.MCPHeadersReason(why)})
	if err != nil || headers == nil {
		own.unanswered(errors.Is(err, tool.ErrNobody))
		own.noHeaders()
		return false
	}
	n.server.set.opts.Host.Conceal("", headers)
	own.setHeaders(headers)
	return true
}

// renew gets other credentials for a request that was refused, and reports whether there are some:
// with a refresh of a stored token, or from a client. Only one request does that at a time.
func (n *connection) renew(ctx context.Context, with sent, c *challenge) bool {
	own := n.remote.credentials
	mine, ok := own.claim(ctx, with.version)
	if !mine {
		return ok
	}
	defer own.release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(n.context, cancel)()
	if c.status != 403 {
		if n.config.headersTTL > 0 && n.askHeaders(ctx, headersRefused) {
			return true
		}
		if n.refreshed(ctx, with, c) {
			return true
		}
	}
	if n.askToken(ctx, with, c) {
		n.widened()
		return true
	}
	n.noteScope(with, c)
	return false
}

// lacks tells the clients that the user has to sign in for one more scope. The connection stays, because the token
// allows other calls.
func (n *connection) lacks(why *narrow) {
	n.server.set.lock(func() {
		if n.server.connection == n {
			n.server.become(wire.MCPNeedsAuth, why.Error())
		}
	})
}

// widened takes back what lacks has told: there is another token.
func (n *connection) widened() {
	n.server.set.lock(func() {
		if n.server.connection == n && n.server.status == wire.MCPNeedsAuth {
			n.server.become(wire.MCPConnected, "")
		}
	})
}

// noteScope stores that a stored token lacks a scope, for the next sign-in.
func (n *connection) noteScope(with sent, c *challenge) {
	tokens := n.server.set.store()
	token, err := tokens.Get(n.config.url)
	if c.reason != insufficientScope || c.scope == "" || len(c.scope) > maxScope || err != nil || token.Access == "" || token.Access != with.access || token.Wanted == c.scope {
		return
	}
	token.Wanted = c.scope
	_ = tokens.Put(n.config.url, token) // without it, the user is asked for the scope later
}

// refreshed refreshes a stored token, and reports whether that has succeeded.
func (n *connection) refreshed(ctx context.Context, with sent, c *challenge) bool {
	own, tokens := n.remote.credentials, n.server.set.store()
	own.mu.Lock()
	stored := own.stored
	own.mu.Unlock()
	if with.access != "" && !stored {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, StartTime)
	defer cancel()
	next, err := tokens.Refresh(ctx, own.address, with.access, c.metadata)
	if next.Access == "" { // an error together with a token is that of storing it
		return false
	}
	if err != nil {
		n.server.set.opts.Host.Warn("MCP server " + n.server.name + ": its token cannot be stored: " + fault.Message(err))
	}
	n.conceal(next.Access)
	own.take("", next.Access, true)
	return true
}

// askToken asks clients for a token, and reports whether there is a new one. A client that has no
// other token for one that was refused is asked once more, to let its user sign in again.
func (n *connection) askToken(ctx context.Context, with sent, c *challenge) bool {
	own, asker := n.remote.credentials, n.server.set.opts.Host.Asker()
	if asker == nil || oauth.Key(n.config.url) == "" {
		return false
	}
	reasons := []string{tokenInitial}
	switch {
	case c.status == 403:
		reasons = []string{tokenUpscope}
	case with.access != "":
		reasons = []string{tokenRefresh, tokenReauth}
	}
	if !asker.SignsIn(ctx) {
		own.unanswered(true)
		return false
	}
	event := wire.MCPAuthRequired{
		ServerName: n.server.name, ServerURL: n.config.url, WwwAuthenticateParams: c.params(), HTTPResponse: c.response(), StaticClientConfig: n.config.staticClient(),
	}
	if c.metadata != "" || reasons[0] == tokenInitial {
		event.ResourceMetadata = wire.Optional(n.resourceMetadata(ctx, c.metadata))
	}
	for _, why := range reasons {
		event.Reason = wire.MCPAuthReason(why)
		var token HostToken
		var err error
		n.patiently(func() {
			limited, cancel := context.WithTimeout(ctx, oauth.SignInTime)
			defer cancel()
			token, err = asker.SignIn(limited, event)
		})
		own.unanswered(errors.Is(err, tool.ErrNobody))
		if err != nil {
			return false
		}
		if oauth.Usable(token.Access) {
			n.conceal(token.Access)
			own.take(cmp.Or(token.Scheme, "Bearer"), token.Access, false)
			return true
		}
	}
	return false
}

// resourceMetadata reads the document in which a server describes how to sign in to it.
func (n *connection) resourceMetadata(ctx context.Context, named string) string {
	ctx, cancel := context.WithTimeout(ctx, metadataTime)
	defer cancel()
	s, err := oauth.NewServer(n.config.url, n.server.set.opts.Web)
	if err != nil {
		return ""
	}
	return s.ResourceMetadata(ctx, named)
}

// staticClient is the registered client of the configuration, without its secret; nil if there is none.
func (c *config) staticClient() *wire.MCPStaticClient {
	if c.clientID == "" {
		return nil
	}
	s := &wire.MCPStaticClient{ClientID: c.clientID, PublicClient: c.publicClient}
	if c.grantType == wire.MCPClientCredentials {
		grant := c.grantType
		s.GrantType = &grant
	}
	return s
}

// store is where the tokens are kept.
func (s *Set) store() *oauth.Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = oauth.OpenTokens(nil, "")
	}
	return s.tokens
}

// Retry starts the servers again that wanted a token or headers when no client could be asked. One that only wants
// another scope asks at the next call. It returns at once.
func (s *Set) Retry() {
	s.lock(func() {
		for _, v := range s.sorted() {
			if v.status == wire.MCPNeedsAuth && v.connection == nil && v.credentials.retry() {
				v.restart()
			}
			v.again = true
		}
	})
}
