package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// copilotAPIVersion is sent as X-GitHub-Api-Version.
// Source: the newest version seen in public clients of the Copilot API, 2025-11.
const copilotAPIVersion = "2025-10-01"

// Endpoint is the address of a model and the credentials for it. It is a value: keep it with
// the session and change it freely between calls.
type Endpoint struct {
	// Dialect is the name of the protocol that the endpoint speaks; empty means the first
	// of the dialects that the client was made with.
	Dialect string
	// Copilot says that this is the Copilot API, which wants headers of its own in every
	// dialect.
	Copilot bool
	// BaseURL is what a dialect appends its paths to, such as https://api.openai.com/v1.
	// Trailing slashes do not matter; a query is kept. Of a Copilot Extensions agent it is
	// the whole address.
	BaseURL string
	// BearerToken, or else APIKey, is the credential. If both are empty, none is sent. An
	// agent gets BearerToken as X-GitHub-Token, and APIKey not at all.
	APIKey, BearerToken string
	// AWS, if it has a secret, signs requests if there is neither BearerToken nor APIKey. Bedrock
	// only.
	AWS AWS
	// Azure says that this is an Azure OpenAI resource. Only Responses and chat completions.
	Azure Azure
	// Token, if set, returns the bearer token of a request, in place of the two above. It is
	// called before every request, also before one that is tried again, and may wait until
	// ctx ends. Not for Copilot Extensions agents.
	Token func(ctx context.Context) (string, error)
	// Keys, if set, returns the APIKey of a call if neither that nor BearerToken is set; "" if
	// there is none. refused is the key that the provider has refused, "" before the first request:
	// if Keys then returns another one, the call is made once more. It may wait until ctx ends. Not
	// for Copilot Extensions agents.
	Keys func(ctx context.Context, refused string) (string, error)
	// Owner has brought the credential and Headers, and AddressOwner what is secret in BaseURL. A key
	// from Keys is always [OfMachine]. Transport gets only requests whose owners it may know. An AddressOwner that
	// is a client gets no [Request.Headers] of others: such a call fails.
	Owner, AddressOwner Owner
	// Transport, if set, carries the requests of dialects over HTTP, in place of the client's.
	Transport Transport
	// Uncarried, if set, is the error of a call that Transport may not carry. Otherwise the call
	// is made without it.
	Uncarried error
	// WebSocket sends calls as messages of a WebSocket, in dialects that have one (Responses). A
	// Transport gets requests with the scheme ws or wss then, and answers with the messages as a
	// stream of events.
	WebSocket bool
	// OrHTTP calls over HTTP if WebSockets do not work, as behind a proxy that has none: the handshake is answered
	// with a page or with the status 404, 405, 426 or 501, or the connection ends before the first message. That is
	// remembered for the endpoint and the model for 10 minutes.
	OrHTTP bool
	// PublicOnly refuses addresses that are not on the public internet. Copilot Extensions
	// only.
	PublicOnly bool
	// Headers are added to every call and override the headers above.
	Headers map[string]string
	// WireModel, if set, is the name sent instead of [Request.Model].
	WireModel string
	// UserAgent is sent as given; empty means "sidestick".
	UserAgent string
	// IntegrationID is Copilot-Integration-Id. Copilot API only; empty: not sent.
	IntegrationID string
	// MaxPromptTokens is for the caller's budget; it is not sent. 0: unknown.
	MaxPromptTokens int
	// MaxOutputTokens bounds an answer where the request does not. 0: no bound.
	MaxOutputTokens int
	// LongestAnswer is the model's output limit in tokens, or the free part of the context window if
	// that is smaller. It is sent only where nothing else bounds an answer, and the protocol wants a bound
	// or the provider's own is low. 0:
	// not known.
	LongestAnswer int
	// CompletionTokens sends that bound as max_completion_tokens, which newer models of OpenAI and
	// Azure insist on. Chat completions only; a call that is refused without it sets it.
	CompletionTokens bool
	// Silence is the longest silence that is accepted of this endpoint; 0 leaves it to [Client.Silence].
	Silence time.Duration
	// Params are the sampling parameters of calls; nil for none.
	Params *Params
	// PromptProgress asks the server how much of the prompt it has read. Each call sets it; it is for
	// llama.cpp and chat completions only.
	PromptProgress bool
	// Fresh has [Client.Models] ask again although it has kept a list.
	Fresh bool
}

// AWS are the credentials with which requests to AWS are signed.
type AWS struct {
	// Region is where the service runs, such as us-east-1.
	Region string
	// SessionToken belongs to credentials that expire; "" for others.
	KeyID, Secret, SessionToken string
}

// Secret is the credential in force, empty for none.
func (e *Endpoint) Secret() string {
	if e.BearerToken != "" {
		return e.BearerToken
	}
	return e.APIKey
}

// Transport carries the requests of an endpoint.
type Transport interface {
	http.RoundTripper
	// Key tells apart transports that may reach different servers under one address. A list
	// of models is kept under it.
	Key() string
	// May reports whether the transport may be shown what an owner has brought.
	May(o Owner) bool
	// Withheld tells it that a request to an address, without user and query, was made without it,
	// because of what May has answered. It may be told several times.
	Withheld(address string)
}

// renew asks [Endpoint.Token] or [Endpoint.Keys], if one is set, for the credential.
func (e *Endpoint) renew(ctx context.Context) (err error) {
	if e.Token == nil && e.Keys != nil && e.Secret() == "" {
		e.APIKey, err = e.Keys(ctx, "")
		e.Owner = OfMachine
		return err
	}
	if e.Token == nil {
		return nil
	}
	token, err := e.Token(ctx)
	if err != nil {
		return err
	}
	e.APIKey, e.BearerToken = "", token
	return nil
}

// anotherKey asks [Endpoint.Keys] for another key if err says that the provider has refused the one
// that it gave, and reports whether there is one. It asks once for a call.
func (e *Endpoint) anotherKey(ctx context.Context, err error) bool {
	var refused *Error
	if e.Keys == nil || e.Token != nil || e.APIKey == "" || !errors.As(err, &refused) || refused.Category != CategoryAuthentication {
		return false
	}
	next, err := e.Keys(ctx, e.APIKey)
	e.Keys = nil
	if err != nil || next == "" || next == e.APIKey {
		return false // the refusal says more than why there is no other key
	}
	e.APIKey, e.Owner = next, OfMachine
	return true
}

// header returns the headers of every request over HTTP.
func (e *Endpoint) header() http.Header {
	h := http.Header{"User-Agent": {"sidestick"}}
	setIf(h, "User-Agent", e.UserAgent)
	return h
}

// copilotHeaders adds what the Copilot API wants to know about a request; r is nil for
// a list of models.
// Source: what the SDKs' tests assert of provider.getEndpoint and model requests;
// the vision header is what public clients send with images.
func copilotHeaders(h http.Header, e *Endpoint, r *Request) {
	h.Set("X-GitHub-Api-Version", copilotAPIVersion)
	setIf(h, "Copilot-Integration-Id", e.IntegrationID)
	if r == nil {
		return
	}
	h.Set("Openai-Intent", "conversation-agent")
	h.Set("X-Initiator", r.initiator())
	setIf(h, "X-Interaction-Id", r.InteractionID)
	if r.hasImages() {
		h.Set("Copilot-Vision-Request", "true")
	}
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// Overlay sets headers that a user or client asked for; they replace others.
func Overlay(h http.Header, over map[string]string) {
	for name, value := range over {
		h.Set(name, value)
	}
}

// At returns the address of path under the base URL, such as "models".
func (e *Endpoint) At(path ...string) (*url.URL, error) {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return nil, errors.New("base URL cannot be parsed") // err would quote a password
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("base URL must start with http:// or https:// and name a host")
	}
	// Source: github.com/orgs/community/discussions/203602.
	if host := strings.ToLower(u.Hostname()); host == "models.github.ai" || host == "models.inference.ai.azure.com" {
		return nil, errors.New("GitHub Models was retired on 2026-07-30; configure another provider, such as the Copilot API")
	}
	return u.JoinPath(path...), nil
}

// CheckHeader fails on a name or value that cannot be sent. Values are not
// quoted: they may be credentials.
func CheckHeader(h http.Header) error {
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
