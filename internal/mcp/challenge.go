package mcp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// challenge is the answer of a web service that requires a token, or a different one than it
// got.
type challenge struct {
	status   int
	metadata string // the address of the metadata about signing in; "" if it is not named
	scope    string // what is asked for; "" if that is not named
	reason   string // why a token was refused; "" if that is not named
	access   string // the token that was refused; "": none was sent
	header   http.Header
	body     []byte // at most maxRefusal bytes
}

// maxRefusal bounds the body of a challenge, in bytes.
const maxRefusal = 64 << 10

const insufficientScope = "insufficient_scope"

// narrow is a request that the server has refused because the token lacks a scope.
type narrow struct {
	scope string // that it wants; "" if it names none
}

// Error implements [error].
func (n *narrow) Error() string {
	if n.scope == "" {
		return "the token does not allow this; sign in again"
	}
	return "the token does not allow this; sign in again for the scope " + fault.Bounded(invisible.Show(strings.ToValidUTF8(n.scope, "?")))
}

// challengeOf returns the challenge in an answer; nil if it is none: status 401, and status 403 if
// the token lacks a scope.
func challengeOf(answer *http.Response) *challenge {
	if answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusForbidden {
		return nil
	}
	c := &challenge{status: answer.StatusCode, header: answer.Header}
	all, _ := oauthex.ParseWWWAuthenticate(answer.Header.Values("WWW-Authenticate")) // without parameters if it cannot be read
	for _, one := range all {
		if one.Scheme == "bearer" {
			c.metadata, c.scope, c.reason = one.Params["resource_metadata"], one.Params["scope"], one.Params["error"]
			break
		}
	}
	if c.status == http.StatusForbidden && c.reason != insufficientScope {
		return nil
	}
	return c
}

// read reads the body of the answer, and leaves it there for the next reader.
func (c *challenge) read(answer *http.Response) {
	c.body, _ = io.ReadAll(io.LimitReader(answer.Body, maxRefusal)) // what came is enough
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(c.body))
}

// params are the parameters for clients; nil if the server named none.
func (c *challenge) params() *wire.MCPAuthParams {
	if c.metadata == "" && c.scope == "" && c.reason == "" {
		return nil
	}
	return &wire.MCPAuthParams{ResourceMetadataURL: wire.Optional(c.metadata), Scope: wire.Optional(c.scope), Error: wire.Optional(c.reason)}
}

// response is the answer for clients. Cookies are left out.
func (c *challenge) response() *wire.MCPAuthResponse {
	r := &wire.MCPAuthResponse{StatusCode: int32(c.status), Headers: []wire.HeaderEntry{}}
	for name, values := range c.header {
		if name == "Set-Cookie" {
			continue
		}
		for _, value := range values {
			r.Headers = append(r.Headers, wire.HeaderEntry{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(r.Headers, func(a, b wire.HeaderEntry) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	if len(c.body) < maxRefusal && utf8.Valid(c.body) {
		text := string(c.body)
		r.Body = &text
	}
	return r
}
