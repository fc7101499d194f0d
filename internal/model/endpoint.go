package model

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Kind is how an endpoint is spoken to: which headers it expects and, of an agent,
// also which body.
type Kind uint8

const (
	OpenAI    Kind = iota // any OpenAI-compatible endpoint
	Copilot               // the Copilot API
	Extension             // a Copilot Extensions agent, see agent.go
)

// copilotAPIVersion is sent as X-GitHub-Api-Version.
// Source: the newest version seen in public clients of the Copilot API, 2025-11.
const copilotAPIVersion = "2025-10-01"

// Endpoint is where a model is called and as whom. It is a value: keep it with
// the session and change it freely between calls.
type Endpoint struct {
	Kind Kind
	// BaseURL is what "/chat/completions" and "/models" are appended to, such as
	// https://api.openai.com/v1. Trailing slashes do not matter; a query is kept. Of an
	// agent it is the whole address.
	BaseURL string
	// BearerToken, or else APIKey, is sent as "Authorization: Bearer". Neither:
	// no such header. To an agent BearerToken goes as X-GitHub-Token, APIKey not at all.
	APIKey, BearerToken string
	// PublicOnly refuses addresses that are not on the public internet. Extension only.
	PublicOnly bool
	// Headers are added to every call and override the headers above.
	Headers map[string]string
	// WireModel, if set, is the name sent in place of [Request.Model].
	WireModel string
	// UserAgent is sent as given; empty means "sidestick".
	UserAgent string
	// IntegrationID is Copilot-Integration-Id. Copilot only; empty: not sent.
	IntegrationID string
	// MaxPromptTokens is for the caller's budget; it is not sent. 0: unknown.
	MaxPromptTokens int
	// MaxOutputTokens is sent as max_tokens where the request sets none. 0: unset.
	MaxOutputTokens int
}

// Header returns the headers of one call, as [Client.Stream] sends them: the
// endpoint's own, its credential, its Headers, then those of r.
func (e Endpoint) Header(r *Request) http.Header {
	h := e.common()
	if e.Kind == Copilot {
		copilotHeaders(h, e, r)
	}
	overlay(h, e.Headers)
	overlay(h, r.Headers)
	return h
}

// common is what listing models and calling one have in common.
func (e Endpoint) common() http.Header {
	h := http.Header{"User-Agent": {"sidestick"}}
	if e.UserAgent != "" {
		h.Set("User-Agent", e.UserAgent)
	}
	if secret := e.secret(); secret != "" {
		h.Set("Authorization", "Bearer "+secret)
	}
	if e.Kind == Copilot {
		h.Set("X-GitHub-Api-Version", copilotAPIVersion)
		setIf(h, "Copilot-Integration-Id", e.IntegrationID)
	}
	return h
}

// secret is the credential in force.
func (e Endpoint) secret() string {
	if e.BearerToken != "" {
		return e.BearerToken
	}
	return e.APIKey
}

// copilotHeaders adds what the Copilot API wants to know about one call.
// Source: what the SDKs' tests assert of provider.getEndpoint and model requests;
// the vision header is what public clients send with images.
func copilotHeaders(h http.Header, e Endpoint, r *Request) {
	h.Set("Openai-Intent", "conversation-agent")
	h.Set("X-Initiator", r.initiator())
	setIf(h, "X-Interaction-Id", r.InteractionID)
	if r.hasImages() {
		h.Set("Copilot-Vision-Request", "true")
	}
}

func (r *Request) initiator() string {
	if r.Initiator != "" {
		return r.Initiator
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == RoleUser {
		return InitiatorUser
	}
	return InitiatorAgent
}

func (r *Request) hasImages() bool {
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.ImageURL != "" {
				return true
			}
		}
	}
	return false
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

func overlay(h http.Header, over map[string]string) {
	for name, value := range over {
		h.Set(name, value)
	}
}

// at returns the address of path under the base URL, such as "models".
func (e Endpoint) at(path ...string) (*url.URL, error) {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return nil, errors.New("base URL cannot be parsed") // err would quote a password
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("base URL must start with http:// or https:// and name a host")
	}
	return u.JoinPath(path...), nil
}

// public returns u as errors and logs may show it: no user, no query.
func public(u *url.URL) string {
	p := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return strings.TrimSuffix(p.String(), "/")
}

// checkHeader fails on a name or value that cannot be sent. Values are not
// quoted: they may be credentials.
func checkHeader(h http.Header) error {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ':' }) {
			return fmt.Errorf("header name %q cannot be sent", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return fmt.Errorf("the value of header %s cannot be sent: it holds a control character", name)
			}
		}
	}
	return nil
}
