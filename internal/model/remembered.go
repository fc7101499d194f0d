package model

import (
	"slices"
	"sync"
	"time"
)

// remembered is what calls have taught about endpoints: the repairs without which they refuse a
// model's calls, and the reasoning and pictures that they have refused. It is in memory only.
// Safe for concurrent use.
type remembered struct {
	mu      sync.Mutex
	fixes   map[string][]fix // by endpoint and model
	refused map[uint64]struct{}
}

// Bounds of what is remembered. When one is reached, everything is forgotten, and learnt again
// by one refused call each.
const (
	maxLearnt  = 512
	maxRefused = 16 << 10
	maxFixes   = 64 // of an endpoint and model; one for each tool with a bad schema, for example
)

// overHTTPFor is for how long calls go over HTTP after WebSockets did not work: a connection that broke once
// looks like a proxy that lets none through, and the next try costs one failed handshake.
const overHTTPFor = 10 * time.Minute

// key is the endpoint and the model of a call.
func (*remembered) key(ep *Endpoint, r *Request) string {
	return ep.Dialect + "\n" + PublicAddress(ep.BaseURL) + "\n" + r.ModelAt(ep)
}

// apply makes the repairs that calls of this endpoint and model have needed before.
func (m *remembered) apply(key string, ep *Endpoint, r *Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fixes[key] != nil {
		m.fixes[key] = slices.DeleteFunc(m.fixes[key], func(f fix) bool { return !f.until.IsZero() && time.Now().After(f.until) })
	}
	for _, f := range m.fixes[key] {
		f.apply(ep, r)
	}
	if len(m.refused) == 0 {
		return
	}
	known := func(h uint64) bool { _, ok := m.refused[h]; return ok }
	without(r, func(p *Reasoning) bool { return known(p.hash()) }, func(p *Part) bool { return known(hashOf(p.ImageURL)) })
}

// learn keeps the repairs with which a call has succeeded. before is the request as it was first.
func (m *remembered) learn(key string, made []fix, before *Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range made {
		switch {
		case f.kept():
			if m.fixes == nil || len(m.fixes) >= maxLearnt && m.fixes[key] == nil {
				m.fixes = map[string][]fix{}
			}
			if f.kind == RepairHTTP {
				f.until = time.Now().Add(overHTTPFor)
			}
			if known := m.fixes[key]; !slices.Contains(known, f) && len(known) < maxFixes {
				m.fixes[key] = append(known, f)
			}
		case f.kind == RepairReasoning || f.kind == RepairImages:
			m.refuse(f.kind, before)
		}
	}
}

// refuse keeps what a provider has refused in a request.
func (m *remembered) refuse(what Repair, r *Request) {
	if m.refused == nil || len(m.refused) >= maxRefused {
		m.refused = map[uint64]struct{}{}
	}
	for i := range r.Messages {
		for k := range r.Messages[i].Reasoning {
			if what == RepairReasoning {
				m.refused[r.Messages[i].Reasoning[k].hash()] = struct{}{}
			}
		}
		for k := range r.Messages[i].Parts {
			if url := r.Messages[i].Parts[k].ImageURL; what == RepairImages && url != "" {
				m.refused[hashOf(url)] = struct{}{}
			}
		}
	}
}
