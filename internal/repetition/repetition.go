// Package repetition notices that a text which is still arriving repeats itself: that its end is one
// piece, copied exactly, again and again. Models fall into such cycles and do not leave them.
//
// Begin with a [Detector] for each text, whose zero value is ready, give [Detector.Feed] each piece as it arrives,
// and stop when it reports true. [Detector.Keep] then says how much of the text is worth keeping: everything up to the end of the first copy.
//
// # What counts as a cycle
//
// The piece has 1 to 4,800 bytes, so at least 1,200 characters of any script. There are at least six copies, the
// first one included, and they have at least [Prose] characters together. The more patient bound of [Data] characters
// takes the place of Prose where repetition is often wanted:
//
//   - in the arguments of a tool call, if the caller sets [Detector.Data]
//   - in a fenced block of code, and in a text that begins with "{", "[" or "<", as data does
//   - for a piece without a letter (rules, zeros, spaces), with a "|" (the rows of a table), or of at most
//     three bytes (base64 of zeros)
//
// Repetition that was wanted ends, and a loop does not. So a larger bound costs a loop some seconds, and a smaller one
// would cost somebody a correct answer.
package repetition

import (
	"bytes"
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
	gram    = 16       // how many bytes in a row are looked for
	slots   = 2048     // places of grams that are remembered, a power of two
	window  = 16 << 10 // bytes of the end that are kept, at least four times Data
	factor  = 0x9E3779B97F4A7C15
)

// Detector watches one text. The zero value watches prose. It keeps the last 32 KiB of the text at most, and takes
// constant time for each byte of an ordinary text. Not safe for concurrent use.
type Detector struct {
	// Data means that the text is data, such as the arguments of a tool call. It is set before the first Feed.
	Data bool

	end    []byte        // of the text
	total  int           // bytes of the text
	seen   *[slots]int32 // where a gram ended last, by its hash, counted from 1
	period int           // of the cycle that the text may be in, 0 for none
	run    int           // how many bytes at the end are those of one period before
	marks  marks
	found  bool
}

// Feed adds a piece and reports whether the text repeats itself. After it has, it ignores what follows. How a text is
// split into pieces makes no difference.
func (d *Detector) Feed(piece string) bool {
	for piece != "" && !d.found {
		if len(d.end) == 2*window {
			d.end = d.end[:copy(d.end, d.end[window:])]
		}
		n := min(len(piece), 2*window-len(d.end))
		d.end = append(d.end, piece[:n]...)
		piece = piece[n:]
		for i := len(d.end) - n; i < len(d.end) && !d.found; i++ {
			if c := d.end[i]; c == '\n' || !d.marks.within {
				d.marks.add(c)
			}
			d.total++
			d.step(i + 1)
		}
	}
	return d.found
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

// step looks at the last byte of the first n that are kept.
func (d *Detector) step(n int) {
	if p := d.period; p > 0 && p < n && d.end[n-1-p] == d.end[n-1] {
		d.run++
	} else {
		d.period, d.run = 0, 0
	}
	if n < gram {
		return
	}
	last := d.place(n)
	if d.period == 0 && last > 0 {
		d.look(n, last)
	}
	if d.run+d.period >= max(Prose, Copies*d.period) && d.enough(n) {
		d.found, d.end = true, d.end[:n]
	}
}

// place remembers where the last gram of the text ends, and returns where it, or one with the same hash, ended before.
// The number is 0 for nowhere. Numbers of texts beyond 2 GiB wrap around, and look then refuses them.
func (d *Detector) place(n int) int {
	if d.seen == nil {
		d.seen = new([slots]int32)
	}
	b := d.end[n-gram : n]
	low, high := word(b), word(b[8:])
	slot := &d.seen[((low*factor^high)*factor)>>53]
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
	need, cycle := Prose, d.end[n-d.period:n]
	if d.Data || d.marks.data() || d.period <= 3 || bytes.IndexByte(cycle, '|') >= 0 || !hasLetter(cycle) {
		need = Data
	}
	size := d.run + d.period
	return size >= need && (size >= utf8.UTFMax*need || utf8.RuneCount(d.end[n-size:n]) >= need)
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

// marks follows where blocks of code begin and end, and whether the text begins as data does.
type marks struct {
	begun, isData bool
	within        bool // of a line, after its indentation
	fence         int  // how many marks of a fence the line begins with
	mark          byte
	open          byte // the mark that has opened a block; 0 outside
}

func (m *marks) data() bool { return m.isData || m.open != 0 }

func (m *marks) add(c byte) {
	switch {
	case c == '\n':
		m.within, m.fence, m.mark = false, 0, 0
		return
	case m.within, m.fence == 0 && (c == ' ' || c == '\t' || c == '\r'):
		return
	}
	if !m.begun {
		m.begun, m.isData = true, c == '{' || c == '[' || c == '<'
	}
	if (c != '`' && c != '~') || m.mark != 0 && m.mark != c {
		m.within = true
		return
	}
	m.mark = c
	if m.fence++; m.fence < 3 {
		return
	}
	m.within = true
	switch m.open {
	case 0:
		m.open = c
	case c:
		m.open = 0
	}
}
