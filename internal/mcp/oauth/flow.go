package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Options configures a sign-in.
type Options struct {
	// Address is that of the MCP server.
	Address string
	// Metadata is the address of the metadata that the server named when it refused a request; ""
	// if it named none.
	Metadata string
	// Scope is the scope that the server asked for then; "": the scopes in its metadata.
	Scope string
	// More are scopes that the user wants in addition to those of Before.
	More string
	// Issuer is the one issuer that the metadata of the authorization server may name beside the one that the server
	// names; "": none.
	Issuer string
	// Before is the token that is replaced; the zero Token: there is none.
	Before Token
	// ClientID is a client that is registered already, with its secret if it has one; "": this
	// program registers itself.
	ClientID, ClientSecret string
	// ClientDocument is the address of a document about this program, for authorization servers
	// that take one instead of a registration.
	ClientDocument string
	// ClientName is how authorization servers call this program. Default Sidestick.
	ClientName string
	// Web sends the requests, for tests; nil: over the network.
	Web http.RoundTripper
	// Done is the text of the page at the end. Default: that the user can close it.
	Done string
}

const (
	// SignInTime is how long a user may take to sign in.
	SignInTime = 10 * time.Minute
	// findTime bounds finding the authorization server, and the registration there.
	findTime = time.Minute
	maxScope = 8 << 10 // bytes
)

// Flow is a sign-in that waits for its user. Call [Flow.Wait] or [Flow.Close] in the end.
type Flow struct {
	// URL is the page that the user has to open. Its scheme is https, or http on this machine.
	URL string
	// At is the host of that page.
	At string

	server   *Server
	found    *authority
	token    Token // without what the sign-in brings
	verifier string
	redirect *redirect
	closed   chan struct{} // by Close
	once     sync.Once
}

// Begin finds out where to sign in to a server, and listens for the browser. ctx bounds only Begin.
func Begin(ctx context.Context, o Options) (*Flow, error) {
	if o.ClientName == "" {
		o.ClientName = "Sidestick"
	}
	if o.Done == "" {
		o.Done = "You are signed in. You can close this page."
	}
	ctx, cancel := context.WithTimeoutCause(ctx, findTime, errors.New("the servers took too long"))
	defer cancel()
	s, err := NewServer(o.Address, o.Web)
	if err != nil {
		return nil, err
	}
	found, res, err := s.authority(ctx, o.Metadata, o.Issuer)
	if err != nil {
		return nil, err
	}
	if o.ClientID != "" && o.ClientID == o.Before.ClientID && o.Before.Issuer != "" && o.Before.Issuer != found.Issuer {
		return nil, movedClient(s, o.Before.Issuer, found.Issuer)
	}
	f := &Flow{server: s, found: found, verifier: rand.Text() + rand.Text(), At: found.authorization.Host, closed: make(chan struct{})}
	state := rand.Text()
	if f.redirect, err = listen(state, o.Done); err != nil {
		return nil, fault.New(fault.Unavailable, "mcp.login", s.to.Host, "this machine cannot listen for the browser: %w", err)
	}
	client, err := s.register(ctx, &o, found, f.redirect.url)
	if err != nil {
		f.Close()
		return nil, err
	}
	asked := scopes(&o, res, found)
	f.token = Token{
		Scope: asked, Asked: asked, Resource: res.Resource, Issuer: found.Issuer, Named: found.named, Endpoint: found.token.String(),
		ClientID: client.ID, ClientSecret: client.Secret, Method: client.Method,
	}
	f.URL = f.page(state)
	return f, nil
}

// movedClient refuses to use a client at another authorization server than the one where it is registered.
func movedClient(s *Server, before, now string) error {
	return &fault.Error{
		Op: "mcp.login", On: s.to.Host, Kind: fault.Denied,
		Err:  fmt.Errorf("the configured client was used at the authorization server %q, and the server now names %q", fault.Bounded(before), fault.Bounded(now)),
		Hint: "configure a client that is registered there; if it is the same one, sign out first (sidestick mcp logout)",
	}
}

// scopes are the scopes to ask for.
func scopes(o *Options, r *resource, a *authority) string {
	all := strings.Fields(o.Scope)
	if len(all) == 0 {
		all = slices.Clone(r.Scopes)
	}
	all = append(all, strings.Fields(o.Before.Asked+" "+o.Before.Scope+" "+o.Before.Wanted+" "+o.More)...)
	if slices.Contains(a.Scopes, "offline_access") {
		all = append(all, "offline_access") // some servers give a token for a refresh only then
	}
	var kept []string
	length := 0
	for _, s := range all {
		if length += len(s) + 1; length < maxScope && s != "" && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// page is the address that the user opens.
func (f *Flow) page(state string) string {
	digest := sha256.Sum256([]byte(f.verifier))
	u := *f.found.authorization
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": f.token.ClientID, "redirect_uri": f.redirect.url, "state": state, "scope": f.token.Scope,
		"code_challenge": base64.RawURLEncoding.EncodeToString(digest[:]), "code_challenge_method": "S256", "resource": f.token.Resource,
	} {
		if q.Del(name); value != "" {
			q.Set(name, value)
		}
	}
	u.RawQuery, u.Fragment = q.Encode(), ""
	return u.String()
}

// Wait waits until the user has signed in, at most [SignInTime], and returns the token.
// [fault.Denied] if the user, or the authorization server, has refused.
func (f *Flow) Wait(ctx context.Context) (Token, error) {
	defer f.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, SignInTime, errors.New("nobody has signed in"))
	defer cancel()
	var sent url.Values
	select {
	case sent = <-f.redirect.answer:
	case <-f.closed:
		return Token{}, refused(f.server, "the sign-in was given up")
	case <-ctx.Done():
		return Token{}, refused(f.server, "%w", context.Cause(ctx))
	}
	f.Close()
	switch named := sent["iss"]; {
	case len(named) == 0 && f.found.NamesIssuer:
		return Token{}, refused(f.server, "the browser came back without the name of the authorization server")
	case slices.ContainsFunc(named, func(one string) bool { return one != f.found.Issuer }):
		return Token{}, refused(f.server, "the browser came back from %q instead of %q, which is another authorization server", fault.Bounded(strings.Join(named, " ")), f.found.Issuer)
	}
	code := sent.Get("code")
	if code == "" {
		return Token{}, fault.New(fault.Denied, "mcp.login", f.server.to.Host, "%s refused: %s", f.At, fault.Bounded(strings.TrimSpace(sent.Get("error")+" "+sent.Get("error_description"))))
	}
	return f.server.request(ctx, f.token, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {f.redirect.url}, "code_verifier": {f.verifier},
	})
}

// Close ends a sign-in, also one that [Flow.Wait] waits for. It takes a second at most, and may be
// called more than once.
func (f *Flow) Close() {
	f.once.Do(func() {
		close(f.closed)
		f.redirect.close()
	})
}
