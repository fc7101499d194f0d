package mcp

import (
	"context"
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Probe asks a web service whether it wants a token, with the one that is there, and changes nothing.
func (s *Set) Probe(ctx context.Context, name string) (wire.MCPProbed, error) {
	var c config
	var own *credentials
	err := s.with(name, func(v *server) error {
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
	web := newRoundTripper()
	defer web.CloseIdleConnections()
	with := own.now()
	copied := &credentials{address: own.address, scheme: "Bearer", access: with.access, dynamic: with.headers}
	r, err := newRemote(&c, web, copied)
	if err != nil {
		return wire.MCPProbed{}, err
	}
	answer, err := r.RoundTrip(hello(ctx, &c))
	if c := copied.last; c != nil {
		p := wire.MCPProbed{Status: wire.MCPProbeNeedsAuth, HTTPResponse: c.response(), Reason: wire.Optional(probeReason(with, c)), WwwAuthenticateParams: c.params()}
		return p, nil
	}
	if err != nil {
		text := fault.Bounded(err.Error())
		return wire.MCPProbed{Status: wire.MCPProbeFailed, Error: &text}, nil
	}
	defer answer.Body.Close()
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
		for _, v := range s.sorted() {
			if v.name != name && (name != "" || v.status != wire.MCPNeedsAuth) || v.credentials == nil || v.status == wire.MCPDisabled || v.status == wire.MCPStopped {
				continue
			}
			v.credentials = nil
			v.restart()
		}
	})
}
