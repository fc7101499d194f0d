// Package quota bounds what the peers of a process make it hold, all together, and divides that
// fairly among them.
//
// A [Pool] is one amount, in bytes or in pieces. Each peer has a [Share] of it. A share may have up to
// three times as much as is still free after that, so the first peer can have three quarters of the pool, and
// however much others have, something is left for the next one. The rule needs no list of peers; it is
// that of buffers in network switches (Choudhury and Hahne, "Dynamic Queue Length Thresholds for
// Shared-Memory Packet Switches", 1998).
//
// Nothing here waits: what has no room is refused, and the caller says so by name. [ReadAll] counts a body of HTTP
// as it arrives, and [Silent] chooses the connection that makes room for another.
package quota

import (
	"sync"
	"sync/atomic"
)

// greed is how many times what is free a share may have.
const greed = 3

// Pool is the amount that all shares together may have. It is safe for concurrent use.
type Pool struct {
	max  int64
	used atomic.Int64
}

// New returns a pool of max, of which nothing is used.
func New(max int64) *Pool { return &Pool{max: max} }

// Used returns how much of the pool is used now. What shares have within their allowance is not
// counted; what [Share.Force] took may exceed the pool.
func (p *Pool) Used() int64 { return p.used.Load() }

// Max returns the size of the pool.
func (p *Pool) Max() int64 { return p.max }

// Share returns a share of the pool that may always have allowance, which is not counted.
func (p *Pool) Share(allowance int64) *Share { return &Share{pool: p, allowance: allowance} }

// Share is what one peer has of a pool. It is safe for concurrent use. A nil share has room for
// everything and counts nothing.
type Share struct {
	pool      *Pool
	allowance int64

	mu   sync.Mutex
	held int64
}

// Take reports whether there is room for n more, and counts them if there is. What is not above zero has room.
func (s *Share) Take(n int) bool { return s.add(n, false) }

// Force counts n more, whether there is room or not: what exists already, and cannot be refused, leaves less
// for the rest.
func (s *Share) Force(n int) { s.add(n, true) }

func (s *Share) add(n int, force bool) bool {
	if s == nil || n <= 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := s.above(s.held), s.above(s.held+int64(n))
	if after > 0 {
		used := s.pool.used.Add(after - before)
		if !force && after > greed*(s.pool.max-used) {
			s.pool.used.Add(before - after)
			return false
		}
	}
	s.held += int64(n)
	return true
}

// Give gives back n that were taken.
func (s *Share) Give(n int) {
	if s == nil || n <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.above(s.held)
	s.held -= int64(n)
	if after := s.above(s.held); after != before {
		s.pool.used.Add(after - before)
	}
}

// GiveAll gives back everything.
func (s *Share) GiveAll() { s.Give(int(s.Held())) }

// Held returns how much the share has, its allowance included.
func (s *Share) Held() int64 {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// above is how much of held counts.
func (s *Share) above(held int64) int64 { return max(held-s.allowance, 0) }

// Pool returns the pool of which this is a share; for a nil share, one of nothing.
func (s *Share) Pool() *Pool {
	if s == nil {
		return &Pool{}
	}
	return s.pool
}
