package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// sent is one record that was published. The whole model is a slice of them.
type sent struct {
	seq   uint64 // as Record.Seq
	key   string // of a delta; "" for a persisted record, "emit" or "kept" for an ephemeral event
	token string // what identifies it, tokenSize bytes; "" for a persisted record
}

const tokenSize = 6

// checker is one tail, and how far in the model it is.
type checker struct {
	t      *testing.T
	model  *[]sent
	tail   *eventlog.Tail
	next   int    // index in model of the next record, if nothing is missed
	cursor uint64 // Seq of the last record
	missed uint64
	gap    bool // Missed grew, and no ephemeral record came since
	owed   int  // by how much, less what was found to be missing
}

// check compares one record with the model. Only ephemeral records may be left out, and
// only in a gap that Missed has announced.
func (c *checker) check(rec eventlog.Record) {
	c.t.Helper()
	tokens, key := [][]byte{nil}, ""
	switch {
	case rec.Delta != nil:
		tokens, key = split(rec.Delta.Text), rec.Delta.Key
	case rec.Kept:
		tokens, key = split(rec.JSON), "kept"
	case rec.Ephemeral:
		tokens, key = split(rec.JSON), "emit"
	case rec.Pos != c.cursor+1:
		c.t.Fatalf("record %d follows record %d", rec.Pos, c.cursor)
	}
	if grown := c.tail.Missed() - c.missed; grown > 0 {
		c.gap, c.owed, c.missed = true, c.owed+int(grown), c.missed+grown
	}
	for i, token := range tokens {
		skipped := c.skipTo(sent{rec.Pos, key, string(token)})
		if skipped > 0 && (i > 0 || !c.gap) {
			c.t.Fatalf("%d ephemeral records are missing before %s, Missed() is still %d", skipped, show(rec), c.missed)
		}
		c.owed -= skipped
	}
	c.cursor = rec.Pos
	if rec.Ephemeral && !rec.Kept {
		c.closeGap()
	}
}

// closeGap checks that as many records were missing as Missed has counted.
func (c *checker) closeGap() {
	if c.owed != 0 {
		c.t.Fatalf("Missed() is %d, which is %d more than were missing", c.missed, c.owed)
	}
	c.gap, c.owed = false, 0
}

// skipTo moves behind want and returns how many ephemeral records it passed.
func (c *checker) skipTo(want sent) (skipped int) {
	c.t.Helper()
	for ; c.next < len(*c.model); c.next++ {
		switch at := (*c.model)[c.next]; {
		case at == want:
			c.next++
			return skipped
		case at.token == "" || at.key == "kept":
			c.t.Fatalf("%+v comes before %+v, which must not be passed over", want, at)
		}
		skipped++
	}
	c.t.Fatalf("%+v was never sent, or twice, or too late", want)
	return skipped
}

func split(text []byte) (tokens [][]byte) {
	for ; len(text) > 0; text = text[min(tokenSize, len(text)):] {
		tokens = append(tokens, text[:min(tokenSize, len(text))])
	}
	return tokens
}

// take reads at most n records, without waiting.
func (c *checker) take(n int) {
	for ; n > 0 && c.tail.Ready(); n-- {
		for rec, err := range c.tail.Records(c.t.Context()) {
			if err != nil {
				c.t.Fatal(err)
			}
			c.check(rec)
			break
		}
	}
}

// finish reads to the end of the closed log.
func (c *checker) finish() {
	for rec, err := range c.tail.Records(c.t.Context()) {
		if errors.Is(err, eventlog.ErrClosed) {
			break
		}
		if err != nil {
			c.t.Fatal(err)
		}
		c.check(rec)
	}
	c.closeGap()
	if c.next < len(*c.model) {
		c.t.Fatalf("%+v is missing at the end, Missed() = %d", (*c.model)[c.next], c.tail.Missed())
	}
}

// restart has a reader come back with its cursor: it has lost the ephemeral records that
// were published while it was away, and no others.
func (c *checker) restart(l *eventlog.Log) {
	c.tail.Close()
	c.tail, c.missed, c.gap, c.owed = l.Tail(c.cursor), 0, false, 0
	c.next = len(*c.model)
	for i, at := range *c.model {
		if at.token == "" && at.seq == c.cursor+1 {
			c.next = i // ephemeral records from here to the end may not come
			break
		}
	}
	persisted := (*c.model)[:c.next:c.next]
	for _, at := range (*c.model)[c.next:] {
		if at.token == "" {
			persisted = append(persisted, at)
		}
	}
	c.model = &persisted
}

// FuzzTail takes its bytes as actions of an owner, a second process and two readers,
// and compares the received records with the published ones.
func FuzzTail(f *testing.F) {
	f.Add([]byte{4, 0, 1, 2, 2, 3, 0, 2, 11, 2, 4, 0, 12, 2, 2, 44})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 255, 254})
	f.Add([]byte{1, 2, 2, 2, 2, 10, 10, 18, 2, 2, 3, 11, 19, 5, 0, 0, 2, 3, 255})
	f.Add(bytes.Repeat([]byte{0, 2, 2, 1, 11, 4}, 40))
	f.Add(bytes.Repeat([]byte{0, 25, 2, 0, 25, 10, 1, 2}, 40))       // kept ones, and a reader that lags
	f.Add(bytes.Repeat([]byte{24, 2, 4, 32, 0, 12, 40, 1}, 20))      // two processes in turn
	f.Add(bytes.Repeat([]byte{3, 40, 40, 40, 40, 40, 40, 0, 2}, 10)) // the second appends more than a queue holds
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) == 0 || len(ops) > 1000 { // a restart costs as much as there was before it
			return
		}
		p := newTailPlay(t, int(ops[0]%16)+1)
		for i, op := range ops {
			p.step(fmt.Sprintf("%0*d", tokenSize, i), op%8, int(op/8))
		}
		if err := p.log.Close(); err != nil {
			t.Fatal(err)
		}
		for _, c := range p.readers {
			c.finish()
		}
	})
}

// tailPlay is a log, a second process that appends to it, and two readers.
type tailPlay struct {
	t       *testing.T
	log     *eventlog.Log
	second  *logtest.Writer
	models  [2][]sent // a reader that restarts has a model of its own
	readers [2]*checker
}

func newTailPlay(t *testing.T, lag int) *tailPlay {
	t.Helper()
	mine, second := twoStreams(t)
	p := &tailPlay{t: t, log: eventlog.NewLog(mine, eventlog.Options{Lag: lag}), second: second}
	for i := range p.readers {
		p.readers[i] = &checker{t: t, model: &p.models[i], tail: p.log.Tail(0)}
	}
	return p
}

// publish adds a record to those that both readers must receive.
func (p *tailPlay) publish(what sent) {
	for _, c := range p.readers {
		*c.model = append(*c.model, what)
	}
}

// step does one of eight actions. token is what the record holds, if there is one.
func (p *tailPlay) step(token string, action byte, arg int) {
	p.t.Helper()
	switch action {
	case 0: // one record or several, by the second process or by us
		if arg%6 >= 3 {
			appendInTurn(p.t, p.second, arg%3+1)
			return
		}
		p.appendOwn(arg%3 + 1)
	case 1:
		key := "emit"
		if arg%4 == 3 {
			key = "kept"
		}
		p.log.Emit([]byte(token), key == "kept")
		p.publish(sent{p.log.Len(), key, token})
	case 2, 3:
		key := strconv.Itoa(arg % 3)
		p.log.EmitDelta(delta(key, token))
		p.publish(sent{p.log.Len(), key, token})
	case 4, 5, 6:
		p.readers[arg%2].take(arg/2 + 1)
	case 7:
		p.readers[arg%2].restart(p.log)
	}
}

// appendOwn claims the log and appends n records. Readers get the records of the second
// process before them.
func (p *tailPlay) appendOwn(n int) {
	p.t.Helper()
	before := p.log.Len()
	if _, err := p.log.Claim(p.t.Context(), "test"); err != nil || p.log.Len() != max(before, p.second.Len()) {
		p.t.Fatalf("Claim() = %v with %d records at %d; the second process wrote up to %d", err, p.log.Len(), before, p.second.Len())
	}
	appendAtOnce(p.t, p.log, n)
	p.log.Release()
	for seq := before + 1; seq <= p.log.Len(); seq++ {
		p.publish(sent{seq: seq})
	}
}

// twoStreams opens a session twice, as two processes would.
func twoStreams(t *testing.T) (mine eventlog.Stream, second *logtest.Writer) {
	t.Helper()
	store := &logtest.Memory{}
	mine, err := store.Create(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	opened, err := store.Open(t.Context(), "s")
	return mine, logtest.Write(t, opened, err)
}

// appendInTurn claims a stream, appends n records and gives the claim back.
func appendInTurn(t *testing.T, s *logtest.Writer, n int) {
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, int(s.Len())+1, int(s.Len())+n)
	s.Release()
}

func appendAtOnce(t *testing.T, l *eventlog.Log, n int) {
	var recs [][]byte
	for i := range n {
		recs = append(recs, logtest.Record(int(l.Len())+i+1))
	}
	if err := l.Append(context.Background(), l.Len(), false, recs...); err != nil {
		t.Fatal(err)
	}
}
