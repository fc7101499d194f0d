package mcp

import (
	"context"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Probe asks a web service whether it wants a token, with the one that is there, and changes nothing.
func (s *Set) Probe(ctx context.Context, name string) (wire.MCPProbed, error) {
	var c config
	var own *credentials
	err := s.with(name, func(v *server) error {
		if err := v.mayAsk(); err != nil {
			return err
		}
		if v.config.local() {
			return fault.New(fault.Invalid, "mcp", name, "MCP server %q is not a remote server", name)
		}
		c, own = v.config, v.credentialsFor(&v.config)
		return nil
	})
	if err != nil {
		return wire.MCPProbed{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	s.lock(func() { s.online = true })
	with := own.now()
	copied := &credentials{address: own.address, scheme: "Bearer", access: with.access, dynamic: with.headers}
	r, err := newRemote(&c, s.web(), copied)
	if err != nil {
		return wire.MCPProbed{}, err
	}
	answer, err := r.firstAnswer(ctx, &c)
	if c := copied.last; c != nil {
		p := wire.MCPProbed{Status: wire.MCPProbeNeedsAuth, HTTPResponse: c.response(), Reason: wire.Optional(probeReason(with, c)), WwwAuthenticateParams: c.params()}
		return p, nil
	}
	if err != nil {
		text := fault.Bounded(err.Error())
		return wire.MCPProbed{Status: wire.MCPProbeFailed, Error: &text}, nil
	}
	defer r.leave(ctx, answer)
	p := wire.MCPProbed{Status: wire.MCPProbeOpen, HTTPResponse: (&challenge{status: answer.StatusCode, header: answer.Header, body: make([]byte, maxRefusal)}).response()}
	switch {
	case answer.StatusCode >= 400:
		text := "the server answered with status " + http.StatusText(answer.StatusCode)
		p.Status, p.Error = wire.MCPProbeFailed, &text
	case with.access != "":
		p.Status = wire.MCPProbeAuthenticated
	}
	return p, nil
}

// probeReason says why a token is needed.
func probeReason(with sent, c *challenge) string {
	switch {
	case c.status == http.StatusForbidden:
		return tokenUpscope
	case with.access != "":
		return tokenRefresh
	}
	return tokenInitial
}

// Reread starts servers again with the tokens that are stored now: one, or with an empty name all that
// want the user to sign in.
func (s *Set) Reread(name string) {
	s.lock(func() {
		one := s.named(name)
		for _, v := range s.sorted() {
			if v != one && (name != "" || v.status != wire.MCPNeedsAuth) || v.credentials == nil || v.status == wire.MCPDisabled || v.status == wire.MCPStopped {
				continue
			}
			v.credentials = nil
			v.restart()
		}
	})
}

// The first requests of the older versions of the protocol, and of the newest one.
const (
	helloOlder  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + protocolVersion + `","capabilities":{},"clientInfo":{"name":"sidestick","version":"0"}}}`
	helloNewest = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"` + sdk.MetaKeyProtocolVersion + `":"` + modernVersion + `","` +
		sdk.MetaKeyClientInfo + `":{"name":"sidestick","version":"0"},"` + sdk.MetaKeyClientCapabilities + `":{}}}}`
)

// firstAnswer returns the answer to the first request of a connection. A server that refuses the one of the older versions is
// asked as the newest one wants, unless it has said that it wants a token.
func (r *remote) firstAnswer(ctx context.Context, c *config) (*http.Response, error) {
	if c.transport == transportSSE {
		return r.RoundTrip(hello(ctx, c, http.MethodGet, ""))
	}
	answer, err := r.RoundTrip(hello(ctx, c, http.MethodPost, helloOlder))
	if err != nil || answer.StatusCode < 400 || r.credentials.last != nil {
		return answer, err
	}
	_ = answer.Body.Close()
	newest := hello(ctx, c, http.MethodPost, helloNewest)
	newest.Header.Set("Mcp-Protocol-Version", modernVersion)
	newest.Header.Set("Mcp-Method", "server/discover")
	return r.RoundTrip(newest)
}

// hello is a first request.
func hello(ctx context.Context, c *config, method, body string) *http.Request {
	q, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		panic(err) // the address was parsed
	}
	q.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	return q
}

// leave ends what a first request has begun.
func (r *remote) leave(ctx context.Context, answer *http.Response) {
	_ = answer.Body.Close()
	id := answer.Header.Get("Mcp-Session-Id")
	if id == "" {
		return
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodDelete, r.to.String(), nil)
	if err != nil {
		return
	}
	q.Header.Set("Mcp-Session-Id", id)
	if res, err := r.RoundTrip(q); err == nil {
		_ = res.Body.Close()
	}
}
