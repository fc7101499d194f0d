package eventlog

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// cursor is a position in one history, as a client keeps it from page to page, also
// over connections and restarts. To the client it is opaque text.
type cursor struct {
	back bool // pages go towards the beginning
	// pos is the position of the last persisted record handled. In a cursor that goes
	// back it is that of the first one: the next page ends before it.
	pos uint64
	// mark is the [mark] of the record at pos. It tells a cursor into this history from
	// one into another session, or into a history that was cut and grew again.
	mark uint64
	// run is the opening of the log in which passed ephemeral events had been
	// published when the cursor was made.
	run, passed uint64
}

// String returns the cursor as clients get it: a letter for the direction, then
// the numbers, all in base 36.
func (c cursor) String() string {
	b := []byte("f")
	if c.back {
		b[0] = 'b'
	}
	for _, n := range []uint64{c.pos, c.mark, c.run, c.passed} {
		b = strconv.AppendUint(append(b, '.'), n, 36)
	}
	return string(b)
}

// parseCursor reads what String wrote, and refuses everything else.
func parseCursor(text string) (c cursor, err error) {
	parts := strings.Split(text, ".")
	numbers := []*uint64{&c.pos, &c.mark, &c.run, &c.passed}
	if len(parts) != 1+len(numbers) {
		return cursor{}, fmt.Errorf("a cursor has %d parts, not %d", 1+len(numbers), len(parts))
	}
	for i, n := range numbers {
		if *n, err = strconv.ParseUint(parts[i+1], 36, 64); err != nil {
			return cursor{}, err
		}
	}
	if c.back = parts[0] == "b"; c.String() != text {
		return cursor{}, fmt.Errorf("%q is not in the form of a cursor", text)
	}
	return c, nil
}

// at returns the cursor of a reader that has handled what t has delivered. last is the
// mark of the last persisted record of that.
func (t *Tail) at(last uint64) string {
	return cursor{pos: t.cursor, mark: last, run: t.log.run, passed: t.passed + t.Missed()}.String()
}

// mark is a checksum of a record. It finds mistakes, not malice. Every record contains
// an id of its own, so no two are equal.
func mark(record []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(record) // a hash never fails
	return h.Sum64()
}
