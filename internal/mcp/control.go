package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Running reports whether a server is connected.
func (s *Set) Running(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.named(name)
	return v != nil && v.connection != nil
}

// Enable starts a server that is disabled. [fault.NotFound] if there is no such server.
func (s *Set) Enable(name string) error {
	return s.with(name, func(v *server) error {
		v.enable()
		return v.begin(false)
	})
}

// Disable stops a server, which is then not started any more until it is enabled. It waits
// until the server has ended, or ctx has.
func (s *Set) Disable(ctx context.Context, name string) error {
	return s.stop(ctx, name, wire.MCPDisabled)
}

// Stop stops a server, and waits until it has ended, or ctx has.
func (s *Set) Stop(ctx context.Context, name string) error {
	return s.stop(ctx, name, wire.MCPStopped)
}

func (s *Set) stop(ctx context.Context, name string, status wire.MCPServerStatus) error {
	var ended <-chan struct{}
	err := s.with(name, func(v *server) error {
		if status == wire.MCPDisabled {
			s.disabled[v.name] = true
		}
		ended = v.stop(status)
		return nil
	})
	if err != nil {
		return err
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start starts a server, with a new configuration unless sent is nil, and restarts it if it is
// running and again is set. It does not wait for it. A server that is disabled is started only with a new
// configuration; else the error is [fault.Denied].
func (s *Set) Start(name string, sent json.RawMessage, again bool) error {
	if sent == nil {
		return s.with(name, func(v *server) error {
			if err := v.mayAsk(); err != nil {
				return err
			}
			return v.begin(again)
		})
	}
	c, err := parse(name, sent)
	if err != nil {
		return err
	}
	s.opts.Host.Conceal(c.url, c.headers)
	s.lock(func() {
		s.replaces(name)
		v := s.servers[name]
		switch {
		case s.closed:
			err = fault.New(fault.Unavailable, "mcp", name, "the session is closing")
			return
		case v == nil && len(s.servers) >= maxServers:
			err = fault.New(fault.Invalid, "mcp", name, "a session has %d MCP servers at most", maxServers)
			return
		case v == nil:
			v = &server{set: s, name: name}
			s.servers[name] = v
		}
		again = again || !bytes.Equal(v.config.text, c.text)
		v.config, v.ours = c, false
		v.enable()
		err = v.begin(again)
	})
	return err
}

// enable removes the server from the list of those that are disabled. The caller holds the lock.
func (v *server) enable() {
	delete(v.set.disabled, v.name)
	if v.ours {
		delete(v.set.disabled, wire.OtherServerName(v.name))
	}
}

// begin starts the server unless it is running, and in any case if again is set. The caller holds
// the lock.
func (v *server) begin(again bool) error {
	if v.cancel != nil && !again {
		return nil
	}
	return v.startAgain()
}

// startAgain starts the server, which may be running. The caller holds the lock.
func (v *server) startAgain() error {
	if v.config.transport == "" && !v.ours {
		return fault.New(fault.Invalid, "mcp", v.name, "%w", errors.New(v.why)) // its configuration is wrong
	}
	v.restart()
	return nil
}

// Reload starts every server anew that is neither disabled nor stopped. It does not wait for
// them.
func (s *Set) Reload() {
	s.lock(func() {
		for _, v := range s.sorted() {
			if (v.config.transport != "" || v.ours) && v.status != wire.MCPDisabled && v.status != wire.MCPStopped {
				v.restart()
			}
		}
	})
}

// SetIndirect says whether the values of env are names of variables, for servers that are
// started from now on.
func (s *Set) SetIndirect(indirect bool) { s.lock(func() { s.indirect = indirect }) }

// Indirect reports what SetIndirect has set.
func (s *Set) Indirect() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.indirect
}

// Remote reports whether a server is a web service. [fault.NotFound] if there is no such
// server.
func (s *Set) Remote(name string) (remote bool, err error) {
	err = s.with(name, func(v *server) error { remote = !v.config.local(); return nil })
	return remote, err
}

// with calls f with a server, with the lock held. [fault.NotFound] if there is no such server,
// [fault.Unavailable] if the session is closing.
func (s *Set) with(name string, f func(v *server) error) (err error) {
	s.need()
	s.lock(func() {
		switch v := s.named(name); {
		case v == nil:
			err = fault.New(fault.NotFound, "mcp", name, "MCP server %q is not configured", name)
		case s.closed:
			err = fault.New(fault.Unavailable, "mcp", name, "the session is closing")
		default:
			err = f(v)
		}
	})
	return err
}

// usable returns the connection to a server; see [server.usable].
func (s *Set) usable(ctx context.Context, name string) (*connection, error) {
	s.mu.Lock()
	v := s.named(name)
	s.mu.Unlock()
	if v == nil {
		return nil, fault.New(fault.Unavailable, "mcp", name, "MCP server %q is not connected", name)
	}
	n, _, err := v.usable(ctx, name)
	return n, err
}

// connected returns the connection to a server, and its tools. [fault.Unavailable] if it is not
// connected.
func (s *Set) connected(name string) (*connection, []*Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.named(name)
	if v == nil || v.connection == nil {
		why := ""
		if v != nil && v.why != "" {
			why = ": " + v.why
		}
		return nil, nil, fault.New(fault.Unavailable, "mcp", name, "MCP server %q is not connected%s", name, why)
	}
	return v.connection, v.tools, nil
}
