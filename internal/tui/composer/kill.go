package composer

// ring is texts that were cut out, the newest last.
type ring struct {
	texts []string
	turn  int   // how far back the last yank is, from the newest
	from  place // where the last yank began
}

// The bounds of a ring. The oldest texts are forgotten first, but never the last one.
const (
	maxRing     = 30
	maxRingSize = 16 << 20 // bytes of all texts
)

// trim forgets the oldest texts.
func (r *ring) trim() {
	size, keep := 0, len(r.texts)
	for keep > 0 && len(r.texts)-keep < maxRing {
		size += len(r.texts[keep-1])
		if size > maxRingSize && keep < len(r.texts) {
			break
		}
		keep--
	}
	r.texts = append(r.texts[:0], r.texts[keep:]...)
}

// kill cuts out the text between two places. Texts that one key after another cuts out are joined.
func (c *Composer) kill(from, to place) {
	if from == to {
		return
	}
	forward := from == c.cursor
	s := c.text.slice(from, to)
	n := len(c.ring.texts)
	switch {
	case c.last == killing && n > 0 && forward:
		c.ring.texts[n-1] += s
	case c.last == killing && n > 0:
		c.ring.texts[n-1] = s + c.ring.texts[n-1]
	default:
		c.ring.texts = append(c.ring.texts, s)
	}
	c.ring.trim()
	c.change(from, to, "", killing)
}

// yank brings back what was cut out last.
func (c *Composer) yank() {
	if n := len(c.ring.texts); n > 0 {
		c.ring.turn, c.ring.from = 0, c.cursor
		c.change(c.cursor, c.cursor, c.ring.texts[n-1], yanking)
	}
}

// yankOlder replaces what yank has brought back by what was cut out before it.
func (c *Composer) yankOlder() {
	n := len(c.ring.texts)
	if c.last != yanking || n == 0 {
		return
	}
	c.ring.turn = (c.ring.turn + 1) % n
	c.change(c.ring.from, c.cursor, c.ring.texts[n-1-c.ring.turn], yanking)
}
