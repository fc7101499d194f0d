package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// registration is this program as an authorization server knows it.
type registration struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
	Method string `json:"token_endpoint_auth_method"` // how the secret is sent
}

// The methods by which a client authenticates at the token endpoint.
const (
	methodNone  = "none"
	methodPost  = "client_secret_post"
	methodBasic = "client_secret_basic"
)

// register returns how this program is known at an authorization server: by the id that is
// configured, by the address of a document about it, or by a registration that it makes now.
func (s *Server) register(ctx context.Context, o *Options, a *authority, redirect string) (registration, error) {
	switch {
	case o.ClientID != "":
		return registration{ID: o.ClientID, Secret: o.ClientSecret, Method: methodFor(o.ClientSecret, a)}, nil
	case o.ClientDocument != "" && a.TakesDocument:
		return registration{ID: o.ClientDocument, Method: methodNone}, nil
	case a.registration == nil:
		return registration{}, &fault.Error{
			Op: "mcp.login", On: s.to.Host, Kind: fault.Unavailable, Hint: "register a client there, and configure its id as oauthClientId",
			Err: fmt.Errorf("%s does not register programs by itself", a.authorization.Host),
		}
	}
	body, err := json.Marshal(map[string]any{
		"client_name": o.ClientName, "redirect_uris": []string{redirect}, "grant_types": []string{"authorization_code", "refresh_token"},
		"response_types": []string{"code"}, "token_endpoint_auth_method": methodNone, "application_type": "native",
	})
	if err != nil {
		return registration{}, err
	}
	status, answer, err := s.post(ctx, a.registration, "application/json", body, nil)
	if err != nil {
		return registration{}, refused(s, "%s did not register this program: %w", a.registration.Host, err)
	}
	var r registration
	if status != http.StatusOK && status != http.StatusCreated || json.Unmarshal(answer, &r) != nil || r.ID == "" {
		return registration{}, refused(s, "%s did not register this program: status %d%s", a.registration.Host, status, reason(answer, nil))
	}
	if r.Method == "" {
		r.Method = methodFor(r.Secret, a)
	}
	return r, nil
}

// methodFor is how a client with a secret authenticates.
func methodFor(secret string, a *authority) string {
	switch {
	case secret == "":
		return methodNone
	case slices.Contains(a.AuthMethods, methodPost):
		return methodPost
	}
	return methodBasic // the default of RFC 8414
}
