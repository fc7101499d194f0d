package model

import (
	"context"
	"crypto/sha256"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	keepModels   = 5 * time.Minute
	keepFailure  = 5 * time.Second // so that many callers do not ask a failing endpoint at once
	maxEndpoints = 4096            // lists kept; a server may have a credential for each user
)

// listings keeps the lists of models and lets one caller at a time fetch each. The zero
// value is empty and ready. It starts no goroutine: the first caller fetches, and if its
// context ends, a waiting caller takes over.
type listings struct {
	mu sync.Mutex
	by map[[32]byte]*listing // by [listingKey]
}

// listing is being fetched until done is closed; the rest is then fixed.
type listing struct {
	done    chan struct{}
	infos   []Info
	err     error
	expires time.Time
}

// listingKey tells endpoints and credentials apart without keeping the latter.
func listingKey(u *url.URL, h http.Header, ep *Endpoint) [32]byte {
	d := sha256.New()
	part := func(s string) { d.Write([]byte(s)); d.Write([]byte{0}) }
	part(u.String())
	if ep.Transport != nil {
		part(ep.Transport.Key())
	}
	part(ep.AWS.KeyID)
	part(ep.AWS.Secret)
	part(ep.AWS.SessionToken)
	for _, name := range slices.Sorted(maps.Keys(h)) {
		part(name)
		part(h.Get(name))
	}
	return [32]byte(d.Sum(nil))
}

// get returns the listing under key, from fetch if there is none that is fresh.
// fetch must end with ctx.
func (c *listings) get(ctx context.Context, key [32]byte, fetch func() ([]Info, error)) ([]Info, error) {
	for {
		l, mine := c.claim(key)
		if mine {
			l.infos, l.err = fetch()
			c.settle(key, l, ctx.Err() != nil)
			return l.infos, l.err
		}
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !l.expires.IsZero() {
			return l.infos, l.err
		}
	}
}

// forget removes the listing under key, unless it is being fetched.
func (c *listings) forget(key [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.by[key]; l != nil && l.settled() {
		delete(c.by, key)
	}
}

// claim returns the listing under key; mine means the caller is to fetch it.
func (c *listings) claim(key [32]byte) (l *listing, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if l := c.by[key]; l != nil && !l.stale(now) {
		return l, false
	}
	if c.by == nil {
		c.by = make(map[[32]byte]*listing)
	}
	c.sweep(now)
	l = &listing{done: make(chan struct{})}
	c.by[key] = l
	return l, true
}

// settled reports whether l is fetched.
func (l *listing) settled() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// stale reports whether l was fetched too long ago.
func (l *listing) stale(now time.Time) bool { return l.settled() && !now.Before(l.expires) }

// sweep makes room once there are too many: it removes the stale lists or, if there are
// none, all that have been fetched.
func (c *listings) sweep(now time.Time) {
	if len(c.by) < maxEndpoints {
		return
	}
	maps.DeleteFunc(c.by, func(_ [32]byte, l *listing) bool { return l.stale(now) })
	if len(c.by) >= maxEndpoints {
		maps.DeleteFunc(c.by, func(_ [32]byte, l *listing) bool { return l.settled() })
	}
}

// settle publishes a fetch. One abandoned by its caller has no expiry: waiting
// callers see that and claim it again.
func (c *listings) settle(key [32]byte, l *listing, abandoned bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case abandoned:
		if c.by[key] == l {
			delete(c.by, key)
		}
	case l.err != nil:
		l.expires = time.Now().Add(keepFailure)
	default:
		l.expires = time.Now().Add(keepModels)
	}
	close(l.done)
}
