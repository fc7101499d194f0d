// Package repetition notices that a text which is still arriving repeats itself: that its end is one
// piece, copied exactly, again and again. Models fall into such cycles and do not leave them.
//
// Begin with a [Detector] for each text, whose zero value is ready, give [Detector.Feed] each piece as it arrives,
// and stop when it reports true. [Detector.Keep] then says how much of the text is worth keeping: everything up to the end of the first copy.
//
// # What counts as a cycle
//
// A piece has at most 4,800 bytes. That is room for 1,200 characters in every script. There are at least six copies, the
// first one included, they stand at the end of what has come, and they have at least [Prose] characters together. The more patient bound of [Data] characters
// takes the place of Prose where repetition is often wanted:
//
//   - for a piece of less than 200 bytes in the arguments of a tool call, if the caller sets [Detector.Data]
//   - for such a piece in a fenced block and in a text that begins with "{", "[" or "<", as data does; but if the fence
//     names a programming language, only for elements of lists: lines that end with a comma, and pieces of a line
//     that have a comma or no space
//   - for a piece without a letter (rules, zeros, spaces), with a "|" (the rows of a table), and for a single
//     byte (base64 of zeros, and letters that fill something up)
//
// Repetition that was wanted ends, and a loop does not. So a larger bound costs a loop some seconds, and a smaller one
// would cost somebody a correct answer.
package repetition

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// The bounds of [Detector.Feed].
const (
	// Copies is how often a piece must be there, the first time included.
	Copies = 6
	// Prose is how many characters the copies must have together, at least.
	Prose = 400
	// Data is the same where repetition is often wanted. It is more than a line of 2,000 characters.
	Data = 2500
)

const (
	longest = 4800     // of a cycle, in bytes
	record  = 200      // of a cycle that is too long for a line of a log or of data, in bytes
	gram    = 16       // how many bytes in a row are looked for
	slots   = 2048     // places of grams that are remembered, a power of two
	window  = 16 << 10 // bytes of the end that stay when the buffer, twice as long, is full; at least four times Data
	factor  = 0x9E3779B97F4A7C15
	gap     = 64 // bytes in a row that are not sampled, after which more are: see step
)

// kept is the memory of a Detector. It is used again, because most answers are short and there are many.
type kept struct {
	end  [2 * window]byte // of the text
	seen [slots]int32     // where a gram ended last, by its hash, counted from 1
}

// spare holds what no Detector uses.
var spare sync.Pool

// Detector watches one text. The zero value watches prose. It has 40 KiB of memory until [Detector.Free], 32 of them for
// the end of the text, and takes about 4 ns for each byte of an ordinary text in pieces of five bytes: it looks for an
// earlier place of what it has just read after some bytes only. Not safe for concurrent use.
type Detector struct {
	// Data means that the text is data, such as the arguments of a tool call. It is set before the first Feed.
	Data bool

	mem    *kept  // nil: nothing has been fed
	end    []byte // of the text, in mem
	total  int    // bytes of the text
	plain  int    // bytes in a row at the end without one that ends in the bits 1100
	bare   int    // after gap such bytes: bytes in a row at the end without one that ends in the bits 0000, either
	period int    // of the cycle that the text may be in, 0 for none
	run    int    // how many bytes at the end are those of one period before
	marks  marks
	found  bool
}

// Feed adds a piece and reports whether the text repeats itself up to the end of this piece. A repetition that ends
// within the piece was wanted. So how a text is split makes a difference to that only, and the caller stops when Feed
// reports true.
func (d *Detector) Feed(piece string) bool {
	if d.mem == nil {
		d.borrow()
	}
	for piece != "" {
		if len(d.end) == 2*window {
			d.end = d.end[:copy(d.end, d.end[window:])]
		}
		n := min(len(piece), 2*window-len(d.end))
		d.end = append(d.end, piece[:n]...)
		piece = piece[n:]
		d.scan(len(d.end) - n)
	}
	return d.found
}

// scan looks at the bytes that are kept from number i on.
func (d *Detector) scan(i int) {
	plain, bare, within := d.plain, d.bare, d.marks.within
	before := d.total - i
	for ; i < len(d.end); i++ {
		c := d.end[i]
		if c == '\n' || !within {
			d.marks.add(c)
			within = d.marks.within
		}
		plain++
		sampled := c&15 == 12
		switch {
		case sampled:
			plain, bare = 0, 0
		case plain <= gap && d.period == 0: // nearly always
			continue
		case plain <= gap:
		case c&15 == 0:
			sampled, bare = true, 0
		default:
			bare++
			sampled = bare > gap
		}
		if sampled || d.period > 0 {
			d.total = before + i + 1
			d.step(i+1, sampled)
		}
	}
	d.total, d.plain, d.bare = before+len(d.end), plain, bare
}

func (d *Detector) borrow() {
	if d.mem, _ = spare.Get().(*kept); d.mem == nil {
		d.mem = new(kept)
	}
	d.mem.seen = [slots]int32{}
	d.end = d.mem.end[:0]
}

// Free gives the memory back. The Detector is then as new, and Keep is 0.
func (d *Detector) Free() {
	if d.mem != nil {
		spare.Put(d.mem)
	}
	*d = Detector{Data: d.Data}
}

// Keep is how many bytes of the text end with the first copy, and with a whole character; 0 if the text does not repeat
// itself.
func (d *Detector) Keep() int {
	if !d.found {
		return 0
	}
	keep, at := d.total-d.run, len(d.end)-d.period-d.run%d.period // what is there is also at keep
	for back := 0; back < utf8.UTFMax && back < keep && at > 0 && !utf8.RuneStart(d.end[at]); back++ {
		keep, at = keep-1, at-1
	}
	return keep
}

// step looks at the last byte of the first n that are kept. sampled says whether the gram that ends there is looked for.
// It is after a byte that ends in the bits 1100, such as a comma or an l; where there has been none for gap bytes, as among
// digits, after a byte that ends in the bits 0000, too, such as a space, a 0 or a p; and where there has been neither, after every byte.
// That depends on the last bytes alone, so it is the same in each copy of a cycle.
func (d *Detector) step(n int, sampled bool) {
	if p := d.period; p > 0 && p < n && d.end[n-1-p] == d.end[n-1] {
		d.run++
	} else {
		d.period, d.run, d.found = 0, 0, false
	}
	if sampled && n >= gram {
		if last := d.place(n); d.period == 0 && last > 0 {
			d.look(n, last)
		}
	}
	if !d.found && d.run+d.period >= max(Prose, Copies*d.period) {
		d.found = d.enough(n)
	}
}

// place remembers where the last gram of the text ends, and returns where it, or one with the same hash, ended before.
// The number 0 means that the text has no such place. In texts beyond 2 GiB the numbers wrap around, and look then refuses them.
func (d *Detector) place(n int) int {
	b := d.end[n-gram : n]
	low, high := word(b), word(b[8:])
	slot := &d.mem.seen[((low*factor^high)*factor)>>53]
	last := int(*slot)
	*slot = int32(d.total)
	return last
}

func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// look begins a cycle from the place where the last gram ended before.
func (d *Detector) look(n, last int) {
	p := d.total - last
	if p <= 0 || p > longest || p+gram > n {
		return
	}
	run := 0
	for i, most := n-1, max(Copies*p, utf8.UTFMax*Data); i >= p && run < most && d.end[i] == d.end[i-p]; i-- {
		run++
	}
	if run >= gram {
		d.period, d.run = p, run
	}
}

// enough reports whether the copies have enough characters for what they consist of.
func (d *Detector) enough(n int) bool {
	need := Prose
	if d.wanted(d.end[n-2*d.period : n]) {
		need = Data
	}
	size := d.run + d.period
	return size >= need && (size >= utf8.UTFMax*need || utf8.RuneCount(d.end[n-size:n]) >= need)
}

// wanted reports whether somebody may want more than a few copies of a piece; two are given.
func (d *Detector) wanted(two []byte) bool {
	cycle := two[:d.period]
	switch {
	case d.period == 1, bytes.IndexByte(cycle, '|') >= 0, !hasLetter(cycle):
		return true
	case d.period >= record, !d.Data && !d.marks.data():
		return false
	case !d.Data && d.marks.program: // statements are not repeated, but elements of lists are
		if bytes.IndexByte(cycle, '\n') < 0 {
			return bytes.IndexByte(cycle, ' ') < 0 || bytes.IndexByte(cycle, ',') >= 0
		}
		return bytes.Contains(two, []byte(",\n"))
	}
	return true
}

// hasLetter reports whether a piece has a letter. Everything outside of ASCII counts as one, except the lines and blocks
// that pictures are drawn with, and the spaces and dashes before them (U+2000 to U+2FFF).
func hasLetter(b []byte) bool {
	for i, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c >= 0xC3 && c != 0xE2:
			return true
		case c == 0xE2 && i+1 < len(b) && b[i+1] >= 0xC0: // broken
			return true
		}
	}
	return false
}
