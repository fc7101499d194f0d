package oauth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// resource is what a server says about itself (RFC 9728).
type resource struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`

	text []byte // the document
}

// authority is what an authorization server says about itself (RFC 8414).
type authority struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
	TakesDocument bool     `json:"client_id_metadata_document_supported"`

	authorization, token, registration *url.URL

	named string // the issuer as the server names it
}

const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// ResourceMetadata returns the document in which a server describes how to sign in to it, as JSON
// text; "" if it has none that is about this server. named is the address that the server named when
// it refused a request, "" if it named none.
func (s *Server) ResourceMetadata(ctx context.Context, named string) string {
	r, err := s.resource(ctx, named)
	if err != nil || r == nil {
		return ""
	}
	return string(r.text)
}

// resource reads what the server says about itself; nil if it says nothing.
func (s *Server) resource(ctx context.Context, named string) (*resource, error) {
	places := s.places(named)
	for _, at := range places {
		r := &resource{}
		text, found, err := s.document(ctx, at, r)
		if err != nil {
			return nil, refused(s, "%w", err)
		}
		if !found || r.Resource == "" && len(r.Issuers) == 0 {
			continue
		}
		if !s.covers(r.Resource, at) {
			return nil, refused(s, "the metadata at %s is about %q", at.Host+at.Path, fault.Bounded(r.Resource))
		}
		r.text = text
		return r, nil
	}
	return nil, nil
}

// places are the addresses where the metadata of the server may be. An address that the server has
// named counts only on its own host.
func (s *Server) places(named string) (all []*url.URL) {
	if u, err := url.Parse(named); err == nil && named != "" && origin(u) == origin(s.to) {
		all = append(all, u)
	}
	path := strings.TrimSuffix(s.to.Path, "/")
	for _, p := range slices.Compact([]string{wellKnownResource + path, wellKnownResource}) {
		all = append(all, &url.URL{Scheme: s.to.Scheme, Host: s.to.Host, Path: p})
	}
	return all
}

// covers reports whether the metadata at an address is about this server: it names the server
// itself, or a part of its address and is where the metadata of that part must be. Otherwise one
// of several servers on a host could ask for a token for all of them.
func (s *Server) covers(name string, at *url.URL) bool {
	u, err := url.Parse(name)
	if err != nil || origin(u) != origin(s.to) {
		return false
	}
	path, own := strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(s.to.Path, "/")
	if path == own {
		return true
	}
	return strings.HasPrefix(own, path+"/") && strings.TrimSuffix(at.Path, "/") == wellKnownResource+path
}

// authority finds the authorization server, and what the server says about itself. accepted is the one other issuer
// that the user accepts in the metadata of the authorization server; "": none.
func (s *Server) authority(ctx context.Context, named, accepted string) (*authority, *resource, error) {
	r, err := s.resource(ctx, named)
	if err != nil {
		return nil, nil, err
	}
	if r == nil || len(r.Issuers) == 0 { // as in the protocol of 2025-03-26
		a, err := s.oldAuthority(ctx)
		return a, &resource{Resource: s.to.String()}, err
	}
	issuer, err := s.endpoint("authorization server", r.Issuers[0])
	if err != nil {
		return nil, nil, err
	}
	a, err := s.readAuthority(ctx, issuer, r.Issuers[0], accepted)
	if err == nil && a == nil {
		err = refused(s, "the authorization server %s has no metadata", issuer.Host)
	}
	if a != nil {
		a.named = r.Issuers[0]
	}
	return a, r, err
}

// readAuthority reads the metadata of an authorization server; nil if it has none. They are used only if they name one of
// the issuers, as the same text: other metadata on the host may be those of somebody else.
func (s *Server) readAuthority(ctx context.Context, issuer *url.URL, issuers ...string) (*authority, error) {
	path := strings.TrimSuffix(issuer.Path, "/")
	for _, p := range slices.Compact([]string{wellKnownServer + path, wellKnownOpenID + path, path + wellKnownOpenID}) {
		a := &authority{}
		_, found, err := s.document(ctx, &url.URL{Scheme: issuer.Scheme, Host: issuer.Host, Path: p}, a)
		if err != nil {
			return nil, refused(s, "%w", err)
		}
		if !found || a.Issuer == "" {
			continue
		}
		if !slices.Contains(issuers, a.Issuer) {
			return nil, s.otherIssuer(issuers[0], a.Issuer)
		}
		if !slices.Contains(a.Challenges, "S256") {
			return nil, refused(s, "%s does not support PKCE", issuer.Host)
		}
		return a, s.check(a)
	}
	return nil, nil
}

// otherIssuer refuses metadata that name another issuer than the server.
func (s *Server) otherIssuer(named, found string) error {
	named, found = fault.Bounded(named), fault.Bounded(found)
	return &fault.Error{
		Op: "mcp.login", On: s.to.Host, Kind: fault.Unavailable,
		Err:  fmt.Errorf("the server names the authorization server %q, and the metadata of that one name the issuer %q; both must be the same text", named, found),
		Hint: fmt.Sprintf("tell those who run the server; if you know that %q is right, configure it as oauthIssuer of the server (sidestick mcp add --issuer)", found),
	}
}

// oldAuthority is the server itself, with the endpoints of the protocol of 2025-03-26 if it does
// not describe them.
func (s *Server) oldAuthority(ctx context.Context) (*authority, error) {
	self := &url.URL{Scheme: s.to.Scheme, Host: s.to.Host}
	a, err := s.readAuthority(ctx, self, self.String(), self.String()+"/") // nobody has named it, so both are its name
	if err != nil || a != nil {
		return a, err
	}
	a = &authority{Issuer: self.String(), Authorization: self.String() + "/authorize", Token: self.String() + "/token", Registration: self.String() + "/register"}
	return a, s.check(a)
}

// check reads the addresses of an authorization server.
func (s *Server) check(a *authority) (err error) {
	if a.authorization, err = s.endpoint("authorization endpoint", a.Authorization); err != nil {
		return err
	}
	if a.token, err = s.endpoint("token endpoint", a.Token); err != nil {
		return err
	}
	if a.Registration != "" {
		a.registration, err = s.endpoint("registration endpoint", a.Registration)
	}
	return err
}
