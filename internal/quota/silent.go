package quota

import "sync/atomic"

// Regular is how many messages a peer has sent that is not taken for one that only connects.
const Regular = 4

// Signs are the signs of life of a peer. It is safe for concurrent use.
type Signs struct {
	last  atomic.Int64 // how many peers had come at its last message, or when it came itself
	count atomic.Int64 // its messages, at most [Regular]
}

// Came notes that the peer is the nth one.
func (s *Signs) Came(n int64) { s.last.Store(n) }

// Sent notes a message of the peer, with the number of peers that have come until now: so the one that has been silent
// longest is known without a clock. It is called by one goroutine at a time.
func (s *Signs) Sent(came int64) {
	if s.last.Load() != came {
		s.last.Store(came)
	}
	if s.count.Load() < Regular {
		s.count.Add(1)
	}
}

// Last returns how many peers had come at the last message.
func (s *Signs) Last() int64 { return s.last.Load() }

// Few reports whether the peer has sent few messages until now.
func (s *Signs) Few() bool { return s.count.Load() < Regular }

// Peer is a connection of a door. Its type embeds [Signs].
type Peer interface {
	comparable
	Last() int64
	Few() bool
	// Works reports whether the peer has something that it would lose with the connection.
	Works() bool
}

// Silent returns the peer that makes room for another: of those that may go, the one that has been silent longest. ok is
// false if none may go.
//
// Those that have sent few messages go first, as long as they have half of the places: peers that only connect do not
// displace those that work, and a new one has as long as it takes so many others to connect.
func Silent[P Peer](all []P, places int, mayGo func(P) bool) (silent P, ok bool) {
	var none, fresh P
	few := 0
	for _, p := range all {
		isFresh := p.Few() && !p.Works()
		if isFresh {
			few++ // also one that has a request under way just now, and so cannot go
		}
		if !mayGo(p) {
			continue
		}
		if silent == none || p.Last() < silent.Last() {
			silent = p
		}
		if isFresh && (fresh == none || p.Last() < fresh.Last()) {
			fresh = p
		}
	}
	if 2*few >= places {
		silent = fresh
	}
	return silent, silent != none
}
