package eventlog

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// cursor is a place in one history, as a client keeps it: between two pages, over
// connections and restarts. To the client it is text without a meaning.
type cursor struct {
	back bool // pages go towards the beginning
	// seq is the last persisted record handled. Of a cursor that goes back it is the
	// first one: what comes next ends before it.
	seq uint64
	// mark is [mark] of record seq. By it a cursor into another session, or into a
	// history that was cut and grew again, is told from one into this.
	mark uint64
	// run is the opening of the log in which passed ephemeral events had been
	// published when the reader stood here.
	run, passed uint64
}

// String returns the cursor as clients get it: a letter for the direction, then
// the numbers, all in base 36.
func (c cursor) String() string {
	b := []byte("f")
	if c.back {
		b[0] = 'b'
	}
	for _, n := range []uint64{c.seq, c.mark, c.run, c.passed} {
		b = strconv.AppendUint(append(b, '.'), n, 36)
	}
	return string(b)
}

// parseCursor reads what String wrote, and nothing else.
func parseCursor(text string) (c cursor, err error) {
	parts := strings.Split(text, ".")
	numbers := []*uint64{&c.seq, &c.mark, &c.run, &c.passed}
	if len(parts) != 1+len(numbers) {
		return cursor{}, fmt.Errorf("a cursor has %d parts, not %d", 1+len(numbers), len(parts))
	}
	for i, n := range numbers {
		if *n, err = strconv.ParseUint(parts[i+1], 36, 64); err != nil {
			return cursor{}, err
		}
	}
	if c.back = parts[0] == "b"; c.String() != text {
		return cursor{}, fmt.Errorf("%q is not how a cursor is written", text)
	}
	return c, nil
}

// at is the cursor of a reader where t stands. last is the mark of the last
// persisted record before it.
func (t *Tail) at(last uint64) string {
	return cursor{seq: t.cursor, mark: last, run: t.log.run, passed: t.passed + t.Missed()}.String()
}

// mark is a checksum of a record: against a mistake, not against malice. Every
// record has an id of its own in it, so no two are equal.
func mark(record []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(record) // it never fails
	return h.Sum64()
}
