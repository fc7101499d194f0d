package input

import (
	"time"
	"unicode/utf8"
)

// EscapeWait is how long the rest of a key may take to arrive. Terminals send all bytes of a key
// at once, and a person who presses Esc and then another key takes longer.
const EscapeWait = 50 * time.Millisecond

// pasteWait is how long a pasted text may pause. If the mark of its end was lost, keys work again
// after this time.
const pasteWait = 10 * time.Second

// Decoder turns what a terminal sends into events. The zero value is ready.
type Decoder struct {
	// Brackets says that the terminal marks pasted text (screen.Screen.MarksPaste). As long as it is false, the Decoder
	// guesses from the speed of the characters that a text was pasted, and an Enter within it is
	// a [Paste] of a line feed instead of a key. The first marked paste sets it, and so does the
	// terminal's answer to CSI ? 2004 $ p.
	Brackets bool

	rest  []byte    // what was fed and is not decoded: the beginning of a key
	last  time.Time // when the last bytes came
	skip  skipping  // within a sequence that is too long to keep
	paste *paste    // the paste that has begun
	fast  burst
}

// Feed decodes what was read at a time. It keeps the beginning of a key that is not complete.
func (d *Decoder) Feed(p []byte, now time.Time) (out []Event) {
	if len(p) > 0 && d.paste == nil && isAnswer(d.rest) && now.Sub(d.last) > EscapeWait && !goesOn(d.rest, p[0]) {
		out = d.Flush() // the rest of the answer was lost, and this is a key
	}
	d.last = now
	d.rest = append(d.rest, p...)
	d.fast.read()
	return append(out, d.decode(false)...)
}

// Due is when to call Flush, unless more is fed before. It reports false if nothing waits. Feed
// what has been read before calling Flush, even if the time has passed.
func (d *Decoder) Due() (at time.Time, waits bool) {
	switch {
	case d.paste != nil:
		return d.last.Add(pasteWait), true
	case isAnswer(d.rest):
		return d.last.Add(answerWait), true
	case len(d.rest) > 0 || d.skip != nothing:
		return d.last.Add(EscapeWait), true
	}
	return time.Time{}, false
}

// Flush decodes what waits, because no more of it will come: Esc is the key Esc, and the
// beginning of a longer sequence is dropped.
func (d *Decoder) Flush() []Event {
	out := d.decode(true)
	d.skip = nothing
	if d.paste != nil {
		d.paste.add(d.rest)
		d.rest = nil
		out = append(out, d.paste.event())
		d.paste, d.Brackets = nil, false // the terminal does not mark all it should
	}
	return out
}

// decode returns the events of rest. With end, nothing more will come.
func (d *Decoder) decode(end bool) (out []Event) {
	b := d.rest
	for len(b) > 0 {
		n, ev := d.next(b, end)
		if n == 0 {
			break
		}
		b = b[n:]
		if ev = d.meant(ev, b); ev != nil {
			out = append(out, ev)
		}
	}
	d.rest = append(d.rest[:0], b...)
	if cap(d.rest) > maxPause && len(b) == 0 {
		d.rest = nil
	}
	return out
}

// maxPause bounds the memory that a Decoder keeps between keys, in bytes.
const maxPause = 64 << 10

// next decodes the first event of b and its length; 0 if b holds only the beginning of one. The
// event is nil if there is none in these bytes.
func (d *Decoder) next(b []byte, end bool) (n int, ev Event) {
	switch {
	case d.paste != nil:
		n, ev := d.paste.take(b)
		if ev != nil {
			d.paste, d.Brackets = nil, true
			d.fast.pasted()
		}
		return n, ev
	case d.skip != nothing:
		n, done := d.skip.length(b, end)
		if done {
			d.skip = nothing
		}
		if n > 0 || !done {
			return n, nil
		} // a key begins here
	}
	if b[0] != escape {
		return character(b, end)
	}
	n, ev = sequence(b, end)
	switch e := ev.(type) {
	case pasteBegins:
		d.paste, ev = &paste{}, nil
	case pasteMarked:
		d.Brackets, ev = true, nil
	case skipping:
		d.skip, ev = e, nil
	}
	return n, ev
}

// meant is the event, or a paste if the key is part of a pasted text without marks. rest is what
// was read with it.
func (d *Decoder) meant(ev Event, rest []byte) Event {
	k, ok := ev.(Key)
	if !ok {
		return ev
	}
	if text := d.fast.key(k, d.last, !d.Brackets, rest); text != "" {
		return Paste{Text: text}
	}
	return k
}

// character decodes the first character of b, which is no escape.
func character(b []byte, end bool) (n int, ev Event) {
	if c := b[0]; c < ' ' || c == 0x7f {
		return 1, control(c)
	}
	if !utf8.FullRune(b) && !end {
		return 0, nil
	}
	r, n := utf8.DecodeRune(b)
	if r >= 0x80 && r < 0xa0 {
		return n, nil // a control character of ISO 6429, which no key sends
	}
	return n, char(r, 0)
}
