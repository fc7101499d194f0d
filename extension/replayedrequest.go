package extension

import (
	"crypto/sha256"
	"encoding/asn1"
	"math/big"
	"sync"
)

// replays remembers the last requests that were accepted. A nil *replays remembers none.
type replays struct {
	mu   sync.Mutex // guards the rest
	seen map[replay]bool
	ring []replay // in order of arrival, once full from next on
	next int      // index of the oldest entry, which is replaced next
}

type replay [sha256.Size]byte

func newReplays(n int) *replays {
	if n <= 0 {
		return nil
	}
	return &replays{seen: map[replay]bool{}, ring: make([]replay, n)}
}

// add remembers a verified request, or returns an error if it is already known.
func (m *replays) add(s signedHeader, digest [sha256.Size]byte) error {
	if m == nil {
		return nil
	}
	r, err := s.replay(digest)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen[r] {
		return denied("the request has come before")
	}
	delete(m.seen, m.ring[m.next])
	m.ring[m.next] = r
	m.seen[r] = true
	m.next = (m.next + 1) % len(m.ring)
	return nil
}

// replay identifies a request: the hash of its body and the number r of its signature. The
// number s is not used, because anyone can negate it and get another valid signature. The
// signer chooses r at random, so signing the same body again gives a different request.
func (s signedHeader) replay(digest [sha256.Size]byte) (replay, error) {
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(s.signature, &pair); err != nil {
		return replay{}, denied("the signature is not ASN.1")
	}
	return sha256.Sum256(append(digest[:], pair.R.Bytes()...)), nil
}
