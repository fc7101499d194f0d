package model

import (
	"net/url"
	"strings"
)

// Reasoning is a piece of a model's thoughts before its answer. The model may need
// it again with the next request of the conversation; what it is made of is known only
// to the dialect that received it.
type Reasoning struct {
	// Text is what the user may see. It may be empty: some providers send only Opaque.
	Text string
	// Field is the name under which the provider sent Text, for protocols that have
	// several names for it, such as "reasoning_content". Empty if the name is fixed.
	Field string
	// ID is the provider's id of the piece, empty if it has none.
	ID string
	// Opaque is what the provider wants to be sent back unchanged: a signature, encrypted
	// content, or the JSON of a whole block. Empty if there is none.
	Opaque string
	// AfterText and AfterCalls are the place of the piece in the answer: how many bytes of its
	// text, and how many of its tool calls, came before it. Only dialects that send pieces back
	// in their places set them.
	AfterText, AfterCalls int
	// Origin is the model that thought so. [Client.Stream] sets it.
	Origin Origin
}

// Origin says which model an answer came from. Providers refuse, drop or misread the
// reasoning of other models, so it goes back only to where it came from.
//
// The credential is not part of it, because tokens are renewed within a conversation. A
// provider that binds reasoning to an account answers with an error of its own when the
// account has changed.
type Origin struct {
	// Provider is the endpoint's base URL without user and query.
	Provider string
	// Model is the name of the model at the endpoint.
	Model string
}

// OriginAt returns the origin of answers to r at e.
func OriginAt(e *Endpoint, r *Request) Origin {
	return Origin{Provider: PublicAddress(e.BaseURL), Model: r.ModelAt(e)}
}

// ReasoningText is the visible text of all pieces.
func ReasoningText(pieces []Reasoning) string {
	if len(pieces) == 1 {
		return pieces[0].Text
	}
	var b strings.Builder
	for i := range pieces {
		b.WriteString(pieces[i].Text)
	}
	return b.String()
}

// PublicAddress returns an address as errors and logs may show it, without user and
// query; "" if it is not a URL.
func PublicAddress(address string) string {
	if u, err := url.Parse(address); err == nil {
		return public(u)
	}
	return ""
}

// public returns u as errors and logs may show it: no user, no query.
func public(u *url.URL) string {
	p := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return strings.TrimSuffix(p.String(), "/")
}
