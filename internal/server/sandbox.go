package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sandboxSupport says which parts of a sandbox work on this machine. Finding that out takes
// seconds at most, once for each process.
func sandboxSupport(_ context.Context, c *conn, _ none) (any, error) {
	if c.srv.opts.Sandboxes == nil {
		return wire.HostSupport{Reason: "this server starts no commands", Capabilities: []wire.HostCapability{}}, nil
	}
	return c.srv.opts.Sandboxes(), nil
}

// sandboxEnforcement says whether commands of a session must run in a sandbox, and why none
// can, if that is so.
func sandboxEnforcement(ctx context.Context, s *session.Session, _ none) (any, error) {
	now, err := s.Permissions().Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	status := wire.SandboxEnforcement{Required: now.On && now.Required}
	if status.Required && !now.ReadOnly {
		status.Blocked, status.Reason = true, &now.Why
	}
	return status, nil
}

// disableSandbox switches the sandbox of a session off if the user was asked whether a command
// may run outside of it, and allows that command.
func disableSandbox(ctx context.Context, s *session.Session, p wire.SandboxDisable) (any, error) {
	if p.RequestID == "" {
		return nil, missing("requestId")
	}
	ok, err := s.Permissions().DisableSandbox(ctx, p.RequestID)
	if err != nil {
		return nil, err
	}
	now, err := s.Permissions().Sandbox(ctx)
	return wire.SandboxDisabled{Success: ok, Enabled: now.On}, err
}
