package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// Change is a line that is not as it was written.
type Change struct {
	// Line is its number, from 1, which is also the position of the record.
	Line uint64 `json:"line"`
	// Written and Found describe the line as it was and as it is: its length and
	// CRC-32C; if these are the same, its running hash.
	Written string `json:"written"`
	Found   string `json:"found"`
	// Sealed says that the line was synced to disk before the index was written,
	// so that no crash explains the change. [Store.Open] refuses such a log. It takes
	// any other change for the result of a loss of power.
	Sealed bool `json:"sealed"`
}

// String describes the change in a sentence.
func (c *Change) String() string {
	return fmt.Sprintf("line %d is not what was written: it has %s, written were %s", c.Line, c.Found, c.Written)
}

// compared is the result of comparing an index with its log.
type compared struct {
	there   bool        // there is an index
	sound   bool        // it consists of entries only
	entries uint64      // how many it has
	matched uint64      // how many records, from the first, are as it says
	size    int64       // bytes of these records
	sum     [32]byte    // the running hash behind these records
	short   bool        // the log ends before the next record
	change  *Change     // the next record differs; nil if it is missing or damaged
	refs    []reference // the matched records that stand for payloads, if the comparison is deep
}

// stale reports whether an index must be removed, because something in it is wrong, or
// because it has no entry that could be continued.
func (c *compared) stale() bool {
	return c.there && (!c.sound || c.entries == 0 || c.matched < c.entries)
}

// compare reads an index, nil if there is none, and the log, up to end, side by
// side. It calls each for every record that is as the index says. It computes the running
// hash and collects references to payloads only if deep is set.
func compare(index *indexReader, log io.ReaderAt, end int64, deep bool, each func(off int64)) (compared, error) {
	if index == nil {
		return compared{}, nil
	}
	c := compared{there: true}
	v := newVerifier(log, end, deep)
	for e, ok := index.read(); ok; e, ok = index.read() {
		if c.entries == c.matched { // all before it have matched
			if err := v.check(&c, e, each); err != nil {
				return c, err
			}
		}
		c.entries++
		if c.change != nil && e.sealed {
			c.change.Sealed = true // a sealed entry seals all before it
		}
	}
	c.sound = !index.broken
	return c, nil
}

// verifier reads a log from its beginning, without holding whole lines.
type verifier struct {
	log  io.ReaderAt
	end  int64
	in   *bufio.Reader
	sums hash.Hash // nil if the comparison is not deep
	sum  []byte
	ref  reference // that the record read last is, if it has a name; only if sums is set
}

func newVerifier(log io.ReaderAt, end int64, deep bool) *verifier {
	v := &verifier{log: log, end: end, in: bufio.NewReaderSize(io.NewSectionReader(log, 0, end), int(min(2*window, end)))}
	if deep {
		v.sums = sha256.New()
	}
	return v
}

// check compares the next record with its entry, and notes the result in c.
func (v *verifier) check(c *compared, e entry, each func(off int64)) error {
	if e.end() > v.end {
		c.short = true
		return nil
	}
	crc, fed, err := v.read(e, c.sum[:])
	switch {
	case err != nil:
		return err
	case crc != e.crc || !fed:
		c.change, err = v.found(c.matched+1, e)
		return err
	case v.sums != nil:
		v.sum = v.sums.Sum(v.sum[:0])
		if !bytes.Equal(v.sum, e.sum[:]) {
			c.change = &Change{Line: c.matched + 1, Written: shownSum(e.sum), Found: shownSum([32]byte(v.sum))}
			return nil
		}
	}
	c.matched++
	c.size, c.sum = e.end(), e.sum
	if v.ref.name != "" {
		v.ref.event = c.matched
		c.refs = append(c.refs, v.ref)
	}
	each(e.off)
	return nil
}

// read returns the checksum of the bytes where a record should be, and whether a line
// feed follows them.
func (v *verifier) read(e entry, before []byte) (crc uint32, fed bool, err error) {
	if v.sums != nil {
		v.sums.Reset()
		v.sums.Write(before)
		head, _ := v.in.Peek(min(int(e.length), window)) // an error comes again below
		v.ref, _ = referenceOf(0, head)
	}
	for left := int(e.length); left > 0; {
		part, err := v.in.Peek(min(left, v.in.Size()))
		if err != nil {
			return 0, false, cutUnder(err)
		}
		crc = crc32.Update(crc, castagnoli.Get(), part)
		if v.sums != nil {
			v.sums.Write(part)
		}
		left -= len(part)
		_, _ = v.in.Discard(len(part)) // they are there
	}
	feed, err := v.in.ReadByte()
	return crc, feed == '\n', cutUnder(err)
}

// found describes the line where a record should be. It returns nil if NUL bytes are in
// it: disks damage lines in that way, and programs do not change them so.
func (v *verifier) found(number uint64, e entry) (*Change, error) {
	l, err := newLines(v.log, e.off, v.end).read()
	if err != nil {
		return nil, cutUnder(err)
	}
	if bytes.IndexByte(l.text, 0) >= 0 {
		return nil, nil
	}
	return &Change{
		Line: number, Written: shownCRC(int(e.length), e.crc),
		Found: shownCRC(len(l.body()), crc32.Checksum(l.body(), castagnoli.Get())),
	}, nil
}

func shownCRC(length int, crc uint32) string {
	return fmt.Sprintf("%d bytes, CRC-32C %08x", length, crc)
}

func shownSum(sum [32]byte) string { return fmt.Sprintf("SHA-256 %x", sum) }

// cutUnder turns the end of the file into an error, for a reader that expects more.
func cutUnder(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
