package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Token is what a server accepts, and how to get the next one. Its text says nothing about it.
type Token struct {
	Access  string    `json:"accessToken"`
	Refresh string    `json:"refreshToken,omitempty"` // "": there is none
	Expires time.Time `json:"expires,omitzero"`       // zero: not known
	Scope   string    `json:"scope,omitempty"`        // with spaces between its parts
	// Asked are the scopes that the sign-in asked for; Scope may be fewer.
	Asked string `json:"requestedScope,omitempty"`
	// Wanted is a scope that the server has asked for in addition.
	Wanted string `json:"wantedScope,omitempty"`

	// For a refresh: where the token comes from. All were set at the sign-in.
	Resource     string `json:"resource,omitempty"`
	Issuer       string `json:"issuer,omitempty"`
	Named        string `json:"namedIssuer,omitempty"` // the issuer as the server named it; "": the server named none
	Endpoint     string `json:"tokenEndpoint,omitempty"`
	ClientID     string `json:"clientId,omitempty"`
	ClientSecret string `json:"clientSecret,omitempty"`
	Method       string `json:"authMethod,omitempty"`
}

// String implements [fmt.Stringer].
func (Token) String() string { return "(token)" }

// GoString implements [fmt.GoStringer].
func (Token) GoString() string { return "(token)" }

// maxToken bounds a token, in bytes.
const maxToken = 32 << 10

// Usable reports whether text can be sent as a token.
func Usable(text string) bool {
	return text != "" && len(text) <= maxToken && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// answered is what a token endpoint answers.
type answered struct {
	Access  string      `json:"access_token"`
	Type    string      `json:"token_type"`
	Refresh string      `json:"refresh_token"`
	Scope   string      `json:"scope"`
	Expires json.Number `json:"expires_in"` // seconds; some servers write it as a text
	Error   string      `json:"error"`
}

// request sends a form to the token endpoint of a token, and returns the new token.
func (s *Server) request(ctx context.Context, t Token, form url.Values) (Token, error) {
	endpoint, err := s.endpoint("token endpoint", t.Endpoint)
	if err != nil {
		return Token{}, err
	}
	header := http.Header{}
	switch t.Method {
	case methodBasic:
		q := http.Request{Header: header}
		q.SetBasicAuth(url.QueryEscape(t.ClientID), url.QueryEscape(t.ClientSecret))
	case methodPost:
		form.Set("client_secret", t.ClientSecret)
		fallthrough
	default:
		form.Set("client_id", t.ClientID)
	}
	form.Set("resource", t.Resource)
	status, answer, err := s.post(ctx, endpoint, "application/x-www-form-urlencoded", []byte(form.Encode()), header)
	if err != nil {
		return Token{}, refused(s, "%s did not answer: %w", endpoint.Host, err)
	}
	var a answered
	if decoded := json.Unmarshal(answer, &a); status != http.StatusOK || decoded != nil || a.Error != "" {
		kind := fault.Unavailable
		if a.Error == "invalid_grant" || a.Error == "invalid_client" {
			kind = fault.Denied
		}
		return Token{}, fault.New(kind, "mcp.login", s.to.Host, "%s gave no token: status %d%s", endpoint.Host, status, reason(answer, form))
	}
	if !Usable(a.Access) || !strings.EqualFold(a.Type, "bearer") || len(a.Refresh) > maxToken {
		return Token{}, refused(s, "%s gave a token that cannot be used", endpoint.Host)
	}
	t.Access, t.Expires = a.Access, time.Time{}
	if seconds, err := a.Expires.Float64(); err == nil && seconds > 0 && seconds < 1e9 {
		t.Expires = time.Now().Add(time.Duration(seconds) * time.Second)
	}
	if a.Refresh != "" {
		t.Refresh = a.Refresh
	}
	if a.Scope != "" {
		t.Scope = a.Scope
	}
	return t, nil
}

// moved reports whether the server names other authorization servers than the one that gave a token. Metadata that cannot be
// read change nothing: the refresh goes to the endpoint that gave the token.
func (s *Server) moved(ctx context.Context, metadata string, t Token) bool {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	r, err := s.resource(ctx, metadata)
	return err == nil && r != nil && len(r.Issuers) > 0 && !slices.Contains(r.Issuers, cmp.Or(t.Named, t.Issuer))
}

// refresh gets the next token. [fault.Denied] if the user has to sign in again.
func (s *Server) refresh(ctx context.Context, t Token) (Token, error) {
	return s.request(ctx, t, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.Refresh}})
}

// reason is the reason in an answer that reports an error, for a message; "" if it has none, or if
// it repeats something that was sent.
func reason(answer []byte, sent url.Values) string {
	var a struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(answer, &a) != nil || a.Error == "" {
		return ""
	}
	text := ", " + a.Error
	if a.Description != "" {
		text += ": " + a.Description
	}
	for _, secret := range []string{"code", "refresh_token", "client_secret", "code_verifier"} {
		if value := sent.Get(secret); value != "" && strings.Contains(text, value) {
			return ""
		}
	}
	return fault.Bounded(text)
}
