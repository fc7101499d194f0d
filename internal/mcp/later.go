package mcp

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Servers of this program: they are started when the servers are first needed, with the first call of
// the model or the first question of a client about them.

// Later adds a server of this program, unless there is one of that name. configure returns its
// configuration when it is needed, within [AwaitTime].
func (s *Set) Later(name string, configure func(context.Context) json.RawMessage) {
	s.lock(func() {
		if s.servers[name] != nil || s.closed {
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
			if s.closed || s.servers[name] != nil {
				continue
			}
			v := &server{set: s, name: name, ours: true}
			s.servers[name] = v
			v.become(wire.MCPPending, "")
			if s.disabled[name] {
				v.become(wire.MCPDisabled, "")
				continue
			}
			s.threads.Go(func() { v.begun(configure) })
		}
		clear(s.later)
	})
}

// begun finds the configuration of a server of this program, and starts it.
func (v *server) begun(configure func(context.Context) json.RawMessage) {
	ctx, cancel := context.WithTimeout(v.set.context, AwaitTime)
	defer cancel()
	var c config
	err := fault.Guard("mcp.later", func() (err error) {
		c, err = parse(v.name, configure(ctx))
		return err
	})
	v.set.lock(func() {
		switch {
		case v.set.closed || v.set.servers[v.name] != v || v.status != wire.MCPPending || v.cancel != nil || v.config.transport != "":
			// A client has stopped, removed or configured it meanwhile.
		case err != nil:
			v.become(wire.MCPFailed, fault.Message(err))
		default:
			v.config = c
			v.set.opts.Host.Conceal(c.url, c.headers)
			v.start()
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
