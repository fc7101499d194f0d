package mcp

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Servers of this program: they are started when the servers are first needed, with the first call of
// the model or the first question of a client about them.

// named returns the server that a name means, nil if there is none. A server of this program also goes by
// its second name ([wire.OtherServerName]), unless a client has configured a server of that name. The caller
// holds the lock.
func (s *Set) named(name string) *server {
	if v := s.servers[name]; v != nil {
		return v
	}
	if v := s.servers[wire.OtherServerName(name)]; v != nil && v.ours {
		return v
	}
	return nil
}

// replaces forgets the server of this program that has one of the names of a server which a client
// configures. The caller holds the lock.
func (s *Set) replaces(name string) {
	other := wire.OtherServerName(name)
	if other == name {
		return
	}
	delete(s.later, other)
	if v := s.servers[other]; v != nil && v.ours {
		v.stop(wire.MCPStopped)
		delete(s.servers, other)
		s.changedLocked()
	}
}

// Later adds a server of this program, unless a client has configured one by its name, or by its second
// one. configure returns its configuration when it is needed, within [AwaitTime].
func (s *Set) Later(name string, configure func(context.Context) json.RawMessage) {
	s.lock(func() {
		if s.servers[name] != nil || s.servers[wire.OtherServerName(name)] != nil || s.closed {
			return
		}
		if s.later == nil {
			s.later = map[string]func(context.Context) json.RawMessage{}
		}
		s.later[name] = configure
	})
}

// need starts the servers of this program that have not been started.
func (s *Set) need() {
	s.mu.Lock()
	waiting := len(s.later) > 0
	s.mu.Unlock()
	if !waiting {
		return
	}
	s.lock(func() {
		for name, configure := range s.later {
			if s.closed || s.servers[name] != nil || s.servers[wire.OtherServerName(name)] != nil {
				continue
			}
			v := &server{set: s, name: name, ours: true, find: configure}
			s.servers[name] = v
			v.restart()
		}
		clear(s.later)
	})
}

// seek begins to find the configuration of a server of this program, at every start: its token may be
// another one. The caller holds the lock.
func (v *server) seek() {
	v.at++
	at := v.at
	v.become(wire.MCPPending, "")
	v.set.threads.Go(func() { v.begun(at) })
}

// begun finds the configuration of a server of this program, and starts it, unless another start has begun.
func (v *server) begun(at int) {
	ctx, cancel := context.WithTimeout(v.set.context, AwaitTime)
	defer cancel()
	var c config
	err := fault.Guard("mcp.later", func() (err error) {
		c, err = parse(v.name, v.find(ctx))
		return err
	})
	v.set.lock(func() {
		switch {
		case v.set.closed || v.set.servers[v.name] != v || v.at != at || v.status != wire.MCPPending || v.cancel != nil || !v.ours:
			// A client has stopped, removed or configured it meanwhile.
		case err != nil:
			v.become(wire.MCPFailed, fault.Message(err))
		default:
			c.own = true
			v.config = c
			v.set.opts.Host.Conceal(c.url, c.headers)
			v.start()
		}
	})
}

// Renew starts a server of this program again if it runs or is starting, with the configuration that it has
// now. It does nothing for other servers.
func (s *Set) Renew(name string) {
	s.lock(func() {
		if v := s.servers[name]; v != nil && v.ours && v.status != wire.MCPDisabled && v.status != wire.MCPStopped {
			v.restart()
		}
	})
}

// Remove stops a server of this program and forgets it. It reports false if there is none of that
// name, or if a client has configured it.
func (s *Set) Remove(name string) (removed bool) {
	s.lock(func() {
		v := s.servers[name]
		if _, waits := s.later[name]; waits {
			delete(s.later, name)
			removed = true
		}
		if v != nil && v.ours {
			v.stop(wire.MCPStopped)
			delete(s.servers, name)
			s.changedLocked()
			removed = true
		}
	})
	return removed
}
