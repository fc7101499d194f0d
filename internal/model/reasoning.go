package model

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Reasoning is a piece of a model's thoughts before its answer. The model may need
// it again with the next request of the conversation; what it is made of is known only
// to the dialect that received it.
type Reasoning struct {
	// Text is what the user may see. It may be empty: some providers send only Opaque.
	Text string
	// Field is the name under which the provider sent Text, for protocols that have
	// several names for it, such as "reasoning_content". Empty if the name is fixed. After
	// [PhaseMark] it is the phase in which the text of the answer after the piece was written.
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
	// Seal is a digest of what was sent before the piece, if it is opaque and the model may check
	// that nothing of that has changed. [Client.Stream] sets it, and leaves a piece out of a
	// request in which the digest is another one. Empty: the piece is sent in any case.
	Seal string
}

// PhaseMark begins the field of a piece that is no reasoning, but says in which phase the text of
// the answer from there on was written. Responses has them.
const PhaseMark = "phase:"

// Origin says which model an answer came from. Providers refuse, drop or misread the
// reasoning of other models and accounts, so it goes back only to where it came from.
type Origin struct {
	// Provider is the endpoint's base URL without user and query.
	Provider string
	// Model is the name of the model at the endpoint.
	Model string
	// Dialect is [Endpoint.Dialect]: the opaque parts of dialects have different forms.
	Dialect string
	// Account tells accounts of the provider apart, empty if nothing does; see
	// [Endpoint.Account].
	Account string
}

// OriginAt returns the origin of answers to r at e.
func OriginAt(e *Endpoint, r *Request) Origin {
	return Origin{Provider: PublicAddress(e.BaseURL), Model: r.ModelAt(e), Dialect: e.Dialect, Account: e.Account()}
}

// accountBytes is how much of a digest tells accounts apart. It is short on purpose: the digest
// is kept in logs, and very many keys have the same.
const accountBytes = 4

// Account returns a short digest of the credential and of the headers that choose an organization,
// from which neither can be computed; empty if there are none. A credential that a
// [Endpoint.Token] gives is not part of it: it is renewed within a conversation. If such an
// account changes, the provider refuses the reasoning of the other one, and the call is made again
// without it.
func (e *Endpoint) Account() string {
	var parts []string
	if secret := e.Secret(); secret != "" && e.Token == nil {
		parts = append(parts, secret)
	}
	for name, value := range e.Headers {
		if slices.Contains(accountHeaders.Get(), strings.ToLower(name)) {
			parts = append(parts, strings.ToLower(name)+":"+value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	sum := sha256.Sum256([]byte("account\x00" + PublicAddress(e.BaseURL) + "\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:accountBytes])
}

// accountHeaders are the headers that choose an account, in lower case.
var accountHeaders = lazy.Value[[]string]{Make: func() []string {
	return []string{"authorization", "x-api-key", "api-key", "x-goog-api-key", "openai-organization", "openai-project"}
}}

// encryptedMember begins the member of an opaque piece that is encrypted, in Responses.
const encryptedMember = `"encrypted_content":"`

// SplitEncrypted takes the encrypted content out of an opaque piece that is JSON, so that it can be
// kept in a place of its own; encrypted is empty if there is none. [JoinEncrypted] is the inverse.
func SplitEncrypted(opaque string) (rest, encrypted string) {
	before, after, ok := strings.Cut(opaque, encryptedMember)
	if !ok {
		return opaque, ""
	}
	encrypted, after, ok = strings.Cut(after, `"`)
	if !ok || strings.Contains(encrypted, `\`) { // it is written with escapes, of which it may have several forms
		return opaque, ""
	}
	return before + encryptedMember + `"` + after, encrypted
}

// JoinEncrypted returns the opaque piece that [SplitEncrypted] has taken apart.
func JoinEncrypted(rest, encrypted string) string {
	return strings.Replace(rest, encryptedMember+`"`, encryptedMember+encrypted+`"`, 1)
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

// InOrder returns a function that passes on what an answer has up to a place, and has not passed on yet: a
// part of its text, then calls. Places are as in [Reasoning].
func (m *Message) InOrder(text func(string), call func(*ToolCall)) (upTo func(endText, endCalls int)) {
	texts, calls := 0, 0
	return func(endText, endCalls int) {
		if endText = min(endText, len(m.Content)); texts < endText {
			text(m.Content[texts:endText])
			texts = endText
		}
		for ; calls < min(endCalls, len(m.ToolCalls)); calls++ {
			call(&m.ToolCalls[calls])
		}
	}
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
