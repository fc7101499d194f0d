package extension

import (
	"crypto/sha256"
	"encoding/asn1"
	"math/big"
	"sync"
)

// replays remembers the last requests that were let in. nil remembers none.
type replays struct {
	mu   sync.Mutex // guards the rest
	seen map[replay]bool
	ring []replay // in order of arrival
	next int      // of ring, to be forgotten
}

type replay [sha256.Size]byte

func newReplays(n int) *replays {
	if n <= 0 {
		return nil
	}
	return &replays{seen: map[replay]bool{}, ring: make([]replay, n)}
}

// add remembers a request that was verified, or reports that it was there before.
func (m *replays) add(s seal, digest [sha256.Size]byte) error {
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

// replay is what two requests have in common of which one repeats the other: the body
// and the first number of the signature. The second says nothing: of each signature
// anybody can make another that verifies, by its negative. The first is a random
// number of the signer's, so that the same body signed anew is another request.
func (s seal) replay(digest [sha256.Size]byte) (replay, error) {
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(s.signature, &pair); err != nil {
		return replay{}, denied("the signature is not ASN.1")
	}
	return sha256.Sum256(append(digest[:], pair.R.Bytes()...)), nil
}
