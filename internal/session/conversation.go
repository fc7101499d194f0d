package session

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxHeld bounds the text of a conversation that a session keeps in memory, in
// bytes: some two million tokens, more than any context window takes. What is
// older stays in the log and is read from there should it be sent again.
const maxHeld = 8 << 20

// conversation is the messages between a person and a model, the newest of them
// in memory.
type conversation struct {
	entries []entry  // but for the first ones, which were let go
	held    int      // bytes of text in entries
	gone    int      // how many were let go
	goneSeq uint64   // by the event of this position, all that went were complete
	whole   bool     // nothing is let go: a replay for somebody who needs all
	cuts    spans    // what of the log was taken back, and is not in entries
	torn    []rewind // what was taken back and still is in entries; see [Session.forget]
}

// say adds a message.
func (c *conversation) say(e entry) {
	c.entries = append(c.entries, e)
	c.held += e.size()
}

// size is the text of a message and of the results of its calls, in bytes.
func (e *entry) size() int {
	n := max(len(e.text), len(e.said)) // the one is a piece of the other, most often
	n += len(e.references) + len(e.later)
	for _, p := range e.parts {
		n += len(p.ImageURL)
	}
	for i := range e.calls {
		n += len(e.calls[i].Arguments) + len(e.calls[i].result) + weight(e.calls[i].pictures)
	}
	return n
}

func weight(pictures []tool.Image) (n int) {
	for _, p := range pictures {
		n += len(p.Data)
	}
	return n
}

// lastCalls are the calls of the last message that made any, and its index.
func (c *conversation) lastCalls() (calls []call, at int) {
	for i := len(c.entries) - 1; i >= 0; i-- {
		if len(c.entries[i].calls) > 0 {
			return c.entries[i].calls, i
		}
	}
	return nil, -1
}

// trim lets the oldest half go if there is too much text, but for the last
// message, and for the last one with calls: results may still come. seq is the
// position of the last event.
func (c *conversation) trim(seq uint64) {
	if c.held <= maxHeld || c.whole {
		return
	}
	last := len(c.entries) - 1
	if _, at := c.lastCalls(); at >= 0 {
		last = min(last, at)
	}
	n := 0
	for ; n < last && c.held > maxHeld/2; n++ {
		c.held -= c.entries[n].size()
	}
	if n > 0 {
		c.entries = append([]entry(nil), c.entries[n:]...) // a copy, to free what went
		c.gone += n
		c.goneSeq = seq
	}
}

// rest lets all of it go, which may be done while no call is open.
func (c *conversation) rest(seq uint64) {
	c.gone += len(c.entries)
	c.entries, c.held, c.goneSeq = nil, 0, seq
}

// regain takes back what was let go, now that all of it is at hand, unless it is
// too much to keep or c has changed since was.
func (c *conversation) regain(was conversation, all []entry) {
	if c.gone == 0 || c.gone != was.gone || c.goneSeq != was.goneSeq || len(c.entries) != len(was.entries) {
		return
	}
	size := 0
	for i := range all {
		size += all[i].size()
	}
	if size <= maxHeld {
		*c = conversation{entries: all, held: size, cuts: c.cuts}
	}
}

// all is the whole conversation; what was let go is folded from records, which
// are those of the log from the first on. It does not change c.
func (c conversation) all(records iter.Seq2[eventlog.Record, error]) ([]entry, error) {
	if c.gone == 0 {
		return c.entries, nil
	}
	h := history{conversation: conversation{whole: true}}
	for rec, err := range c.cuts.kept(records) {
		if err != nil {
			return nil, err
		}
		if rec.Seq > c.goneSeq {
			break
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			h.apply(rec.Seq, e)
		}
	}
	return append(h.entries[:c.gone:c.gone], c.entries...), nil
}
