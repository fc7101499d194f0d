package session_test

import (
	"crypto/sha256"

	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
)

// promptCache is what providers keep of prompts. It counts four bytes as a token, and never
// forgets.
type promptCache struct {
	marked map[[sha256.Size]byte]bool // Anthropic: beginnings of requests up to a mark
	seen   map[string][]*asked        // others: earlier requests, by the key of the cache
}

// Limits of caches. Source: dialects.md, section 11.
const (
	lookBack   = 20   // blocks before a mark, in which Anthropic finds an earlier one
	leastTaken = 1024 // tokens
	maxMarks   = 4
)

// look returns how many tokens of a request the cache has, and how many it has in all, and then
// keeps the request.
func (c *promptCache) look(a *asked) (cached, total int) {
	size := 0
	sizes := make([]int, len(a.parts)) // of what is up to each part
	sums := make([][sha256.Size]byte, len(a.parts))
	var sum [sha256.Size]byte
	for i, p := range a.parts {
		size += len(p.json)
		sum = sha256.Sum256(append(sum[:], a.vendor.name+p.json...))
		sizes[i], sums[i] = size, sum
	}
	if a.vendor.dialect == anthropic.Name {
		cached = c.byMarks(a, sums, sizes)
	} else {
		cached = c.byBeginning(a)
	}
	if cached /= 4; cached < leastTaken {
		cached = 0
	}
	return cached, size / 4
}

// byMarks is Anthropic's: what is up to the newest mark that it finds.
func (c *promptCache) byMarks(a *asked, sums [][sha256.Size]byte, sizes []int) (bytes int) {
	if c.marked == nil {
		c.marked = map[[sha256.Size]byte]bool{}
	}
	for i, p := range a.parts {
		if !p.mark {
			continue
		}
		for k := i; k >= max(0, i-lookBack); k-- {
			if c.marked[sums[k]] {
				bytes = max(bytes, sizes[k])
				break
			}
		}
	}
	for i, p := range a.parts {
		if p.mark {
			c.marked[sums[i]] = true
		}
	}
	return bytes
}

// byBeginning is that of all others: the longest beginning that an earlier request had.
func (c *promptCache) byBeginning(a *asked) (most int) {
	if c.seen == nil {
		c.seen = map[string][]*asked{}
	}
	for _, was := range c.seen[a.vendor.name] {
		bytes := 0
		for i := range min(len(was.parts), len(a.parts)) {
			if was.parts[i].json != a.parts[i].json {
				break
			}
			bytes += len(a.parts[i].json)
		}
		most = max(most, bytes)
	}
	c.seen[a.vendor.name] = append(c.seen[a.vendor.name], a)
	return most
}
